#ifndef BIGSHUF_INPUT_HINTS_H
#define BIGSHUF_INPUT_HINTS_H

/* Warnings about inputs that are hardly what the user takes them for. They are shuffled all the same, unless nothing
 * would be left of them. Each kind is told once in a run, of the first file that gives cause. */

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "record/record.h"
#include "record/tail.h"
#include "system/packer.h"

/* So many bytes of a file's beginning are enough, but for reads of many thousand letters. */
enum { HINTS_LOOK_BYTES = 16 << 10 };

struct hints {
    bool content_told;
    bool name_told;
    bool end_told;
};

/* Are there hints about files of this format? Records of a fixed size or with a length may begin like others by chance.
 */
bool hints_are_given(const struct record_format *format);

/* Look at the beginning of a file, `unpacked` if it was compressed: is it (still) compressed, an archive, a table, text
 * in UTF-16, or one whose records are no lines, such as CSV with newlines in fields and JSON with several lines for a
 * value? */
void hints_look(struct hints *hints, const struct record_format *format, bool unpacked, const char *name,
                const uint8_t *data, size_t bytes);

/* Refuse a file that begins so and is also an output: of a shuffled archive nothing can be read, and it may be the only
 * copy. Not if lines of text may look like that, as FASTA. */
void hints_refuse(const struct record_format *format, bool unpacked, const char *name, const uint8_t *data,
                  size_t bytes);

/* Refuse a file that should be records of this kind, and is compressed. */
_Noreturn void hints_refuse_packed(const struct record_kind *kind, const struct packer *packer, const char *name);

/* The file is not compressed, though it might be. Does its name say that it is? */
void hints_look_at_name(struct hints *hints, const char *name);

/* All files have ended, and some were not empty. Is what records end with in none of them? */
void hints_look_at_end(struct hints *hints, const struct tail *tail);

#endif
