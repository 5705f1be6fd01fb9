#ifndef BIGSHUF_INPUT_NAMES_H
#define BIGSHUF_INPUT_NAMES_H

/* A list of input files that is itself in a file. */

#include <stddef.h>
#include <stdint.h>

/* Read file names, separated (or ended) by NUL bytes, from the file `from` ("-": standard input), as sort --files0-from
 * does. An empty name is an error that names its place ("FROM:3: invalid zero-length file name"), no names at all is an
 * error ("no input from 'FROM'"), and so are "-" among names that come from standard input, a name that no file can
 * have, and one with a newline that is not there, since the list probably has lines. An error is told as soon as it is
 * read. *names is an array into *data; both are malloc'd: free them. *memory is how many bytes the names may take, and
 * becomes how many they do: the list, and NAMES_ENTRY_BYTES for each of them. More are an error. */
enum { NAMES_ENTRY_BYTES = 64 }; /* its address, its end in the stream, its mark, its entry in a manifest */
void names_read(const char *from, uint64_t *memory, const char ***names, size_t *count, char **data);

#endif
