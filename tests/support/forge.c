/*
 * Make a manifest say what it should not, as somebody could who knows the format: `forge MANIFEST PILE RECORDS BYTES
 * [FILE]` puts these numbers, and the checksum of the file if there is one, into the line of a pile, and the checksum
 * of all that at the end.
 */

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/xxh64.h"

enum { ROOM = 16 << 20, HEAD_BYTES = 47, CHECKSUM_BYTES = 26 };

static char text[ROOM];

static uint64_t checksum_of(const void *data, size_t bytes)
{
    struct xxh64 checksum;

    xxh64_init(&checksum, 0);
    xxh64_update(&checksum, data, bytes);
    return xxh64_value(&checksum);
}

static int put_checksum_of_file(char *at, const char *name)
{
    static char data[ROOM];
    FILE *file = fopen(name, "rb");
    char digits[17];

    if (file == NULL)
        return -1;
    snprintf(digits, sizeof digits, "%016" PRIx64, checksum_of(data, fread(data, 1, ROOM, file)));
    memcpy(at, digits, sizeof digits - 1);
    return fclose(file);
}

int main(int argc, char **argv)
{
    FILE *file = argc == 5 || argc == 6 ? fopen(argv[1], "r+b") : NULL;
    char start[8], head[HEAD_BYTES + 1];
    char *pile;
    size_t bytes;

    if (file == NULL) {
        fputs("usage: forge MANIFEST PILE RECORDS BYTES [FILE]\n", stderr);
        return 1;
    }
    bytes = fread(text, 1, ROOM - CHECKSUM_BYTES - 1, file);
    snprintf(start, sizeof start, "\n%04u ", (unsigned)strtoul(argv[2], NULL, 10) % 10000);
    pile = strstr(text, start);
    if (pile == NULL || bytes < CHECKSUM_BYTES)
        return 1;
    snprintf(head, sizeof head, "%.5s%20s %20s ", start + 1, argv[3], argv[4]);
    memcpy(pile + 1, head, HEAD_BYTES);
    if (argc == 6 && put_checksum_of_file(pile + 1 + HEAD_BYTES, argv[5]) != 0)
        return 1;
    bytes -= CHECKSUM_BYTES;
    bytes += (size_t)snprintf(text + bytes, ROOM - bytes, "checksum %016" PRIx64 "\n", checksum_of(text, bytes));
    rewind(file);
    return fwrite(text, 1, bytes, file) == bytes && fclose(file) == 0 ? 0 : 1;
}
