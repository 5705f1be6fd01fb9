#ifndef BIGSHUF_INPUT_OPERAND_H
#define BIGSHUF_INPUT_OPERAND_H

/* A file as it is named on the command line: "-" stands for standard input. */

#include <stdbool.h>
#include <sys/stat.h>

bool operand_is_standard_input(const char *name);

/* For reading from front to back. A descriptor, or -1 with errno. */
int operand_open(const char *name);
void operand_close(int fd); /* also of -1; standard input stays open, lest the next file take its place */

int operand_stat(const char *name, struct stat *status); /* 0, or -1 with errno */

#endif
