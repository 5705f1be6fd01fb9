#pragma once

/* The compressed formats: how a file shows its format, and the programs that compress and decompress it. */

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "system/fault.h"

enum { PACKER_PROGRAMS = 3, PACKER_ENDINGS = 3, PACKER_BEGINNINGS = 2, PACKER_LOOK_BYTES = 8 };

struct packer_beginning {
    const char *data; /* NULL: ends the list */
    size_t bytes;
    unsigned first; /* the first byte may be data[0] or one of the `first` - 1 values after it */
};

struct packer {
    const char *program[PACKER_PROGRAMS]; /* the first that is installed compresses; the last one decompresses */
    const char *threads[PACKER_PROGRAMS]; /* its option that the number of threads follows; NULL: it has none */
    const char *pack;                     /* the options to compress standard input to standard output */
    const char *window;                   /* another option to decompress, or NULL */
    const char *ending[PACKER_ENDINGS];   /* of names of such files, and of archives in them */
    struct packer_beginning beginning[PACKER_BEGINNINGS]; /* such files begin with one of these */
    const char *script; /* a shell command to decompress, if the program does not fail as it should; or NULL */
};

/* The packer of a file by its beginning (PACKER_LOOK_BYTES bytes after those that packer_skips counts are enough), or
 * by its name, in capitals or not. NULL: none. */
const struct packer *packer_of_beginning(const uint8_t *data, size_t bytes);
const struct packer *packer_of_name(const char *name);

bool packer_ends_with(const char *name, const char *ending); /* in capitals or not */

/* How many bytes come before those that show the format of a file; PACKER_LOOK_BYTES bytes of its beginning are
 * enough. */
uint64_t packer_skips(const uint8_t *data, size_t bytes);

/* For messages: the program that surely knows the format. */
const char *packer_name(const struct packer *packer);

enum { PACKER_ARGUMENTS = 4, PACKER_OPTION_BYTES = 16, PACKER_TEXT_BYTES = 48 };

struct packer_command {
    const char *arguments[PACKER_ARGUMENTS]; /* for program_start */
    const char *program;
    char threads[PACKER_OPTION_BYTES];
    char text[PACKER_TEXT_BYTES]; /* for messages */
};

/* The command that compresses, with `threads` threads, or decompresses standard input to standard output. */
void packer_pack(struct packer_command *command, const struct packer *packer, unsigned threads);
void packer_unpack(struct packer_command *command, const struct packer *packer);

/* A program that would compress with many threads if it were installed. NULL: this one does, or there is none. */
const char *packer_faster(const struct packer *packer, const struct packer_command *command);

/* If the program is not installed, the run ends with a message about the file `name`. */
void packer_check(const struct packer_command *command, const char *name);

/* The environment variables that give these programs options, up to NULL. A program that decompresses is started
 * without them, since it must decompress all: `xz --single-stream` leaves out the rest of a file. */
extern const char *const packer_own_variables[];

/* End the run: the program could not be started for the file `name`; errno says why. */
_Noreturn void packer_report(const struct packer_command *command, const char *name);
