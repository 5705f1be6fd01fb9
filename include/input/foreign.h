#pragma once

/* Files that are something else than a sequence of records, known by how they begin: archives and tables, what programs
 * compressed that -Z does not know, and texts whose lines belong together. */

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum foreign_class {
    FOREIGN_BINARY,  /* no text at all */
    FOREIGN_ENCODED, /* text, but no bytes of lines */
    FOREIGN_HEADED,  /* lines after a header, which must stay at the top */
    FOREIGN_WHOLE,   /* lines that make sense only in their order, unless other records are asked for */
    FOREIGN_PERHAPS  /* the same, but other text may begin so as well */
};

enum { FOREIGN_LOOK_BYTES = 512, FOREIGN_ENDINGS = 9, FOREIGN_BEGINNINGS = 5 };

struct foreign {
    const char *what; /* "an HDF5 file" */
    struct foreign_beginning {
        const char *text;
        size_t bytes;
    } beginning[FOREIGN_BEGINNINGS]; /* one of these; none: its name tells */
    const char *then;                /* and this after them, among the bytes that are looked at; NULL: anything */
    enum foreign_class class;
    const char *command;                 /* makes lines of it; else NULL, and */
    const char *advice;                  /* what to do */
    const char *mark;                    /* with which each line of the header begins; NULL: any header will do */
    const char *until;                   /* from there on, the lines are something else; NULL: they are not */
    const char *ending[FOREIGN_ENDINGS]; /* of names of what a program compressed */
};

/* What a file is that begins so, of which FOREIGN_LOOK_BYTES bytes are enough if it is binary, and else two lines. One
 * that has the name of a compressed file, but is neither that nor text, is foreign as well; NULL: nobody knows its
 * name. Returns NULL if it is nothing of all that. */
const struct foreign *foreign_of(const char *name, const uint8_t *data, size_t bytes);

/* Is this text among the bytes? */
bool foreign_finds(const uint8_t *data, size_t bytes, const char *text);

/* Does the name say that a program compressed the file that -Z does not use? */
bool foreign_is_packed(const char *name);
