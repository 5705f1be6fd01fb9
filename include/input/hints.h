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

/* How many bytes of a file's beginning are looked at: enough, except for reads of many thousand letters. */
enum { HINTS_LOOK_BYTES = 16 << 10, HINTS_TEXT_BYTES = 64 };

/* For files that belong together, as reads 1 and 2 do: hashes of the names of the first file's first reads. */
enum { HINTS_READS = 100 };

struct hints_reads {
    bool apart;       /* is each file a source by itself, shuffled in the same order? */
    const char *file; /* NULL: none has been looked at */
    size_t count;
    uint64_t hash[HINTS_READS];
};

struct hints {
    const struct record_format *format; /* as the options say: the records, */
    const struct header_rule *header;   /* the header, */
    bool decompresses;                  /* -Z, */
    bool divides;                       /* and is the output divided into files that each need a header? */
    struct hints_reads *reads;          /* shared by several sources; NULL for an output */
    bool content_told, end_told;

    /* Of the file being read: a text that must not come in it (foreign.h), and the scan for it. */
    const char *until;
    struct record_scan scan;
    bool until_told;

    /* Of several files: the first record of the first file; `same` others begin with it as well. */
    const struct file_mark *first;
    const char *first_name;
    uint64_t first_hash, same;
    bool differs; /* not all files have it, or it is no header */
    char text[HINTS_TEXT_BYTES];
};

/* Look at the beginning of a file, `unpacked` if it was compressed, and warn if it is (still) compressed, an archive, a
 * table, text in UTF-16, has records that are no lines (CSV with newlines in fields, JSON with values of several
 * lines), or a header without --header. Not for records of a fixed size or with a length, which may begin so by chance.
 * With -Z, the run ends if it is no text. */
void hints_look(struct hints *hints, bool unpacked, const char *name, const uint8_t *data, size_t bytes);

/* The next bytes of a file, or its first ones. If it goes on with lines that are no records, warn, or end the run if
 * the output replaces an input. */
void hints_follow(struct hints *hints, bool first, bool replaced, const char *name, const uint8_t *data, size_t bytes);

/* Refuse an input that is also the output and, by its beginning, would be damaged; but not if lines of text may begin
 * so, as JSON in one line. */
void hints_refuse(const struct hints *hints, bool unpacked, const char *name, const uint8_t *data, size_t bytes);

/* Refuse a compressed file that should have records of this kind. */
_Noreturn void hints_refuse_packed(const struct record_kind *kind, const struct packer *packer, const char *name);

/* The beginning of one of several files, without --header: is its first row the same as that of the others? */
void hints_compare(struct hints *hints, const struct file_mark *mark, const char *name, const uint8_t *data,
                   size_t bytes);

/* All files have ended, and not all were empty: warn if none contains the delimiter, or all begin with the same row. */
void hints_look_at_end(struct hints *hints, const struct tail *tail);
