#pragma once

/* Input files as they are named, on the command line or in a list. "-" is standard input; so are /dev/stdin and the
 * like: if Linux opened these, it would open a file once more, from its beginning, and a socket not at all. */

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/stat.h>

bool operand_is_standard_input(const char *name);

/* Open a file for reading from front to back. If it is a terminal, a line says that the program waits for it. Returns a
 * descriptor, or -1 with errno. If the file was `regular` before and is a FIFO now, this does not wait for a writer. */
int operand_open(const char *name, bool regular);
void operand_close(int fd); /* also of -1; standard input stays open, lest the next file take its place */

/* Is the only input /dev/null as standard input, which cluster and service managers give to programs, or a terminal?
 * Then its name has probably been forgotten. Returns which of the two it is; NULL: neither. */
const char *operand_forgotten(const char *const *names, size_t count);

int operand_stat(const char *name, struct stat *status); /* 0, or -1 with errno */

/* End the run, since a file cannot be read: as die_errno, with a guess what is meant by a missing name or a folder. */
_Noreturn void operand_report(const char *name, int error, const char *advice);

/* Read file names, separated (or ended) by NUL bytes, from the file `from` ("-": standard input), as sort --files0-from
 * does. The run ends if an entry is no name; if a name with a newline does not exist, since the list probably has
 * lines; or if the list, and OPERAND_ENTRY_BYTES for each name, take more than `most` bytes. *names is an array into
 * *data; both are to be freed. */
enum { OPERAND_ENTRY_BYTES = 64 }; /* address of the name, end in the stream, mark */
void operand_list(const char *from, uint64_t most, const char ***names, size_t *count, char **data);
