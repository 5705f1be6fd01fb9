#pragma once

/* Programs that compress files and decompress them, one for each format; and how a file shows its format. */

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "system/fault.h"

enum { PACKER_PROGRAMS = 3, PACKER_ENDINGS = 3, PACKER_BEGINNINGS = 2, PACKER_LOOK_BYTES = 8 };

struct packer_beginning {
    const char *data; /* NULL: there is no further one */
    size_t bytes;
    unsigned first; /* so many values of the first byte: that one, and those that follow it */
};

struct packer {
    const char *program[PACKER_PROGRAMS]; /* to compress, the first one that is there; the last one decompresses */
    const char *threads[PACKER_PROGRAMS]; /* the option of each that a number of threads follows; NULL: it has none */
    const char *pack;                     /* the options with which they compress standard input to standard output */
    const char *window;                   /* another option to decompress, or NULL */
    const char *ending[PACKER_ENDINGS];   /* of the names of such files, and of archives in them */
    struct packer_beginning beginning[PACKER_BEGINNINGS]; /* their first bytes, any of these */
    const char *script; /* a shell command to decompress, if the program does not fail as it should; or NULL */
};

/* The packer of a file that begins so, of which PACKER_LOOK_BYTES bytes are enough after what packer_skips says, or of
 * this name, in capitals or not. NULL: none. */
const struct packer *packer_of_beginning(const uint8_t *data, size_t bytes);
const struct packer *packer_of_name(const char *name);

bool packer_ends_with(const char *name, const char *ending); /* in capitals or not */

/* How many bytes of a file that begins so, of which PACKER_LOOK_BYTES bytes are enough, are skipped before what shows
 * its format; 0: none. */
uint64_t packer_skips(const uint8_t *data, size_t bytes);

/* What it is called: the program that is sure to know the format. */
const char *packer_name(const struct packer *packer);

enum { PACKER_ARGUMENTS = 4, PACKER_OPTION_BYTES = 16, PACKER_TEXT_BYTES = 48 };

struct packer_command {
    const char *arguments[PACKER_ARGUMENTS]; /* for program_start */
    const char *program;
    char threads[PACKER_OPTION_BYTES];
    char text[PACKER_TEXT_BYTES]; /* for messages */
};

/* The command that compresses with `threads` threads, or that decompresses, standard input to standard output. */
void packer_pack(struct packer_command *command, const struct packer *packer, unsigned threads);
void packer_unpack(struct packer_command *command, const struct packer *packer);

/* The program that would compress with many threads in place of this one, if it were there; NULL: it has them, or there
 * is no such program. */
const char *packer_faster(const struct packer *packer, const struct packer_command *command);

/* Its program must be there: else the run ends with a message about the file `name`. */
void packer_check(const struct packer_command *command, const char *name);

/* Names of the variables with which these programs are given options. One that decompresses is started without them,
 * up to the NULL, since it must do all that and no more: `xz --single-stream` leaves out the rest of a file. */
extern const char *const packer_own_variables[];

/* Report that it could not be started for the file `name`, as errno says. */
_Noreturn void packer_report(const struct packer_command *command, const char *name);
