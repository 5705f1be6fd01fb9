#ifndef BIGSHUF_RECORD_RECORD_H
#define BIGSHUF_RECORD_RECORD_H

/*
 * What a record is. The bytes of whole records, put one after another in any order, are again a sequence of the same
 * records: that is what lets a pile be a plain run of bytes, in memory and on disk.
 *
 * Records that start with a string instead of ending with one (--records=start:) are brought into this form by moving
 * the string: of the lines ">a", "A", ">b", "C" the first ">" is taken away and one is put at the end, so that each
 * record, "a\nA\n>" and "b\nC\n>", ends with the delimiter "\n>". After the shuffle it moves back.
 *
 * A group (--group-field) is a record that consists of members, each of them a record of another format with a mark
 * behind it: one byte that says whether the group goes on or ends with this member. So two groups with the same key
 * that come to stand side by side stay two. After the shuffle the marks are taken away.
 */

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#include "record/length.h"
#include "record/tar_scan.h"

enum { RECORD_DELIMITER_BYTES_MAX = 255 };

enum record_kind {
    RECORD_BYTE,   /* a record ends with the delimiter byte and holds it nowhere else */
    RECORD_STRING, /* ... with the delimiter string, found leftmost, not overlapping */
    RECORD_LINES,  /* ... with its count-th delimiter byte */
    RECORD_SIZE,   /* ... with its count-th byte */
    RECORD_CSV,    /* ... with a newline outside double quotes, each of which opens or closes */
    RECORD_LENGTH, /* it begins with how many bytes follow (length.h) */
    RECORD_TAR     /* it is a member of a tar archive (tar_headers.h), always of a group */
};

struct record_format {
    enum record_kind kind;
    bool grouped;              /* that is what the members of a group are, and the group is the record */
    uint8_t delimiter;         /* RECORD_BYTE, RECORD_LINES */
    uint8_t separator;         /* RECORD_CSV: of fields, which only the search for quotes in the wrong place asks */
    bool starts;               /* RECORD_STRING: it is a newline and what records start with, which has none */
    const uint8_t *string;     /* RECORD_STRING; the caller's */
    size_t string_bytes;       /* 2 to RECORD_DELIMITER_BYTES_MAX */
    uint64_t count;            /* RECORD_LINES, RECORD_SIZE: at least 1 */
    enum length_coding coding; /* RECORD_LENGTH */
    /* RECORD_TAR: it has the marks; NULL if they are in the data */
    const struct record_margin *margin;
};

/* What records start with, behind the newline; NULL and 0 bytes if that is nothing in particular. */
const uint8_t *record_start(const struct record_format *format, size_t *bytes);

enum { RECORD_GOES_ON = '+', RECORD_ENDS = '.' }; /* the marks behind members */

/* Groups of members of archives that are not in piles need no marks among their members: where a group ends is written
 * beside the memory in which they stand. It ends where a block of TAR_BLOCK_BYTES does, counted from `base`. */
struct record_margin {
    const uint8_t *base;
    uint8_t *mark; /* RECORD_ENDS if one ends where block i begins, else anything else */
};

/* Where in a record a stream of bytes stands. Zeroed: at the beginning of a record. It may be copied, to scan the same
 * bytes again. */
struct record_scan {
    uint64_t done; /* of the record: lines, or bytes (RECORD_SIZE), or bytes of the delimiter that may have begun */
    struct length_scan length; /* RECORD_LENGTH */
    bool open;                 /* the last byte ended no record, and no line of one */
    bool quoted;               /* RECORD_CSV */
    bool marked;               /* the next byte is the mark of the member before it */
    struct tar_scan tar;       /* RECORD_TAR */
};

/* Find the ends of records in data[0, bytes), the next bytes of the stream in which `scan` stands, and move it on. As
 * with scan_byte (scan.h), ends[i] receives the offset after the i-th record's last byte, `bytes` is less than 2^32, no
 * more than `room` are found, and *scanned receives how many bytes were looked at: the offset after the last end when
 * room ran out, else `bytes`. No byte outside data[0, bytes) is read. Returns the number of ends. */
size_t record_ends(const struct record_format *format, struct record_scan *scan, const uint8_t *data, size_t bytes,
                   uint32_t *ends, size_t room, size_t *scanned);

/* How many ends there are in data[0, bytes), of which there is at least one byte. *whole says whether the last byte is
 * such an end. */
uint64_t record_count(const struct record_format *format, struct record_scan *scan, const uint8_t *data, size_t bytes,
                      bool *whole);

/* Move the scan on behind the `count`-th end in data[0, bytes), or behind all of the data if there are fewer. `bytes`
 * is less than 2^32. Returns how many bytes that are. */
size_t record_skip(const struct record_format *format, struct record_scan *scan, const uint8_t *data, size_t bytes,
                   size_t count);

/* Move the scan on without looking for the ends, which is faster: RECORD_BYTE and RECORD_STRING seldom look at more
 * than the last bytes, RECORD_LINES and RECORD_CSV count. RECORD_LENGTH and RECORD_TAR go from length to
 * length in any case. */
void record_advance(const struct record_format *format, struct record_scan *scan, const uint8_t *data, size_t bytes);

/* How many marks there are in data[0, bytes), the next bytes of a stream of groups; 0 of any other. `scan` is moved on.
 */
uint64_t record_marks(const struct record_format *format, struct record_scan *scan, const uint8_t *data, size_t bytes);

/* Take these marks away. Returns how many bytes are left, from data[0] on. */
size_t record_unmark(const struct record_format *format, struct record_scan *scan, uint8_t *data, size_t bytes);

/* Does it take the scan of all bytes before to find the ends in a block? False for RECORD_BYTE without groups alone,
 * for which a zeroed scan will do anywhere. */
bool record_is_sequential(const struct record_format *format);

/* At the end of an input, which has no groups: the bytes that the record lacks in which `scan` stands. *missing points
 * to them, in the format or a constant. Returns their number, 0 at the beginning of a record, or -1 if it cannot be
 * completed: a short group of lines, a part of a fixed size or length, an open quote. If the input ends with a
 * beginning of the delimiter, these bytes are data, and the whole delimiter is missing; but where they and a whole
 * delimiter would hold the delimiter earlier ("\n" and "\n\n"), only what ends it there is missing. If the format
 * `starts`, a record has begun wherever there was any input, so that there is always something missing; its last line
 * may have its newline. */
ssize_t record_missing(const struct record_format *format, const struct record_scan *scan, const uint8_t **missing);

#endif
