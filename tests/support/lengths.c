/* Make each line of standard input a record that begins with its length: lengths CODING. As tests/soak/lengths.py does,
 * without the program's code, and as short as can be. */

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "length_twin.h"

static const char *const codings[] = {
    [LENGTH_TFRECORD] = "tfrecord", [LENGTH_U32LE] = "u32le", [LENGTH_U32BE] = "u32be",
    [LENGTH_U64LE] = "u64le",       [LENGTH_U64BE] = "u64be", [LENGTH_VARINT] = "varint"};

int main(int argc, char **argv)
{
    enum length_coding coding = LENGTH_TFRECORD;
    static char *line;
    static size_t room;

    while (argc != 2 || strcmp(argv[1], codings[coding]) != 0)
        if (++coding == sizeof codings / sizeof *codings)
            return 1;
    for (ssize_t got; (got = getline(&line, &room, stdin)) > 0;) {
        const size_t bytes = (size_t)got - (line[got - 1] == '\n');
        uint8_t *record = calloc(bytes + 16, 1);

        fwrite(record, 1, length_twin_put(coding, record, (uint8_t *)line, bytes), stdout);
        free(record);
    }
    return ferror(stdin) || fflush(stdout) != 0;
}
