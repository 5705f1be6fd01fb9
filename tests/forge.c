/*
 * Make a manifest say what it should not, as somebody could who knows the format: `forge MANIFEST PILE RECORDS BYTES`
 * puts these numbers into the line of a pile, and the checksum of all that at the end.
 */

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "xxh64.h"

enum { ROOM = 9 << 20, PILE_BYTES = 64, CHECKSUM_BYTES = 26 };

static char text[ROOM];

int main(int argc, char **argv)
{
    FILE *file = argc == 5 ? fopen(argv[1], "r+b") : NULL;
    char start[8], line[PILE_BYTES + 1];
    struct xxh64 checksum;
    char *pile;
    size_t bytes;

    if (file == NULL) {
        fputs("usage: forge MANIFEST PILE RECORDS BYTES\n", stderr);
        return 1;
    }
    bytes = fread(text, 1, ROOM - 1, file);
    snprintf(start, sizeof start, "\n%04u ", (unsigned)strtoul(argv[2], NULL, 10) % 10000);
    pile = strstr(text, start);
    if (pile == NULL || bytes < CHECKSUM_BYTES)
        return 1;
    snprintf(line, sizeof line, "%.5s%20s %20s", start + 1, argv[3], argv[4]);
    memcpy(pile + 1, line, strlen(line));
    bytes -= CHECKSUM_BYTES;
    xxh64_init(&checksum, 0);
    xxh64_update(&checksum, text, bytes);
    bytes += (size_t)snprintf(text + bytes, ROOM - bytes, "checksum %016" PRIx64 "\n", xxh64_value(&checksum));
    rewind(file);
    return fwrite(text, 1, bytes, file) == bytes && fclose(file) == 0 ? 0 : 1;
}
