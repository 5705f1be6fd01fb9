#ifndef BIGSHUF_INPUT_OPERAND_H
#define BIGSHUF_INPUT_OPERAND_H

/* A file as it is named on the command line: "-" stands for standard input. */

#include <stdbool.h>
#include <stddef.h>
#include <sys/stat.h>

bool operand_is_standard_input(const char *name);

/* For reading from front to back; a line says that a terminal is waited for. A descriptor, or -1 with errno. Of what
 * was `regular` when it was looked at, nobody waits for the writer if it is a FIFO by now. */
int operand_open(const char *name, bool regular);
void operand_close(int fd); /* also of -1; standard input stays open, lest the next file take its place */

/* Is there nothing to be read but /dev/null as standard input? It is what cluster and service managers give to those
 * who should not read it: the name of the input has probably been forgotten. */
bool operand_is_forgotten(const char *const *names, size_t count);

int operand_stat(const char *name, struct stat *status); /* 0, or -1 with errno */

#endif
