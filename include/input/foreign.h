#pragma once

/* Files that are no sequence of records, known by their beginnings: archives, tables, formats of compression that -Z
 * does not know, and texts whose lines belong together. */

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum foreign_class {
    FOREIGN_BINARY,  /* no text at all */
    FOREIGN_ENCODED, /* text, but not in lines of bytes */
    FOREIGN_HEADED,  /* lines after a header, which must stay at the top */
    FOREIGN_WHOLE,   /* lines that make sense only in their order, unless options ask for other records */
    FOREIGN_PERHAPS  /* the same, but other text may begin so as well */
};

enum { FOREIGN_LOOK_BYTES = 512, FOREIGN_ENDINGS = 9, FOREIGN_BEGINNINGS = 5 };

struct foreign {
    const char *what; /* "an HDF5 file" */
    struct foreign_beginning {
        const char *text;
        size_t bytes;
    } beginning[FOREIGN_BEGINNINGS]; /* any of these; none: known by its name */
    const char *then;                /* follows among the bytes looked at; NULL: anything may */
    enum foreign_class class;
    const char *command;                 /* makes lines of it; or NULL, and then */
    const char *advice;                  /* what to do */
    const char *mark;                    /* each line of the header begins with it; NULL: any header will do */
    const char *until;                   /* from this line on there are no records; NULL: all are records */
    const char *ending[FOREIGN_ENDINGS]; /* of names of files that a program compressed */
};

/* What is a file that begins with `data`? FOREIGN_LOOK_BYTES bytes are enough if it is binary, else two lines. A file
 * with the name of a compressed one that is neither compressed nor text is foreign as well; `name` NULL: unknown.
 * Returns NULL if the file is not foreign. */
const struct foreign *foreign_of(const char *name, const uint8_t *data, size_t bytes);

/* Is this text among the bytes? */
bool foreign_finds(const uint8_t *data, size_t bytes, const char *text);

/* Is it the name of a file compressed by a program that -Z does not use? */
bool foreign_is_packed(const char *name);
