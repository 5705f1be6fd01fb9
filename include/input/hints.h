#pragma once

/* Warnings about inputs that are probably not what the user thinks. They are still shuffled, unless that would destroy
 * them. A run warns of each kind once, naming the first such file. */

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "record/header.h"
#include "record/record.h"
#include "record/tail.h"
#include "system/file_mark.h"
#include "system/packer.h"

/* The first bytes of a file that are looked at. They are enough, except for reads of many thousand letters. */
enum { HINTS_LOOK_BYTES = 16 << 10, HINTS_TEXT_BYTES = 64 };

/* Files that may belong together, as reads 1 and 2 do: the names of the first reads of the first one, hashed. */
enum { HINTS_READS = 100 };

struct hints_reads {
    bool apart;       /* is each a source by itself, and in the same order? */
    const char *file; /* NULL: none has been looked at */
    size_t count;
    uint64_t hash[HINTS_READS];
};

struct hints {
    const struct record_format *format; /* that was asked for, */
    const struct header_rule *header;   /* with this header, */
    bool decompresses;                  /* and -Z, */
    bool divides;                       /* into files that each need a header */
    struct hints_reads *reads;          /* of this source and others; not of an output */
    bool content_told, end_told;

    /* Of the file being read: what is not to come in it (foreign.h), and where it is looked for. */
    const char *until;
    struct record_scan scan;
    bool until_told;

    /* Of several files: the first record of the first one, which `same` others have as well. */
    const struct file_mark *first;
    const char *first_name;
    uint64_t first_hash, same;
    bool differs; /* not all have it, or it is no header */
    char text[HINTS_TEXT_BYTES];
};

/* Look at the beginning of a file, `unpacked` if it was compressed: is it (still) compressed, an archive, a table, text
 * in UTF-16, or one whose records are no lines, such as CSV with newlines in fields and JSON with several lines for a
 * value, or that has a header which was not asked for? Records of a fixed size or with a length may begin so by chance.
 * With -Z, the run ends if it is no text. */
void hints_look(struct hints *hints, bool unpacked, const char *name, const uint8_t *data, size_t bytes);

/* The next bytes of a file have come, or its first ones. Warn if it goes on as something else, or end the run if an
 * input is replaced. */
void hints_follow(struct hints *hints, bool first, bool replaced, const char *name, const uint8_t *data, size_t bytes);

/* Refuse a file that begins so and is also an output: it would be damaged. Not if lines of text may begin like that, as
 * JSON in one line. */
void hints_refuse(const struct hints *hints, bool unpacked, const char *name, const uint8_t *data, size_t bytes);

/* Refuse a file that should be records of this kind, and is compressed. */
_Noreturn void hints_refuse_packed(const struct record_kind *kind, const struct packer *packer, const char *name);

/* One of several files begins so, `mark` being its mark: does it begin with the row of the others, without --header? */
void hints_compare(struct hints *hints, const struct file_mark *mark, const char *name, const uint8_t *data,
                   size_t bytes);

/* All files have ended, not all empty: warn if none contains the delimiter, or if all begin with the same row. */
void hints_look_at_end(struct hints *hints, const struct tail *tail);
