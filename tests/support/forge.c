/*
 * Make a batch say what it should not, as somebody could who knows the format: `forge BATCH PILE RECORDS BYTES` puts
 * these numbers into the row of a pile. If its first extent has as many bytes, that then has just these, and their
 * checksum is right; if the file has not, it gets a hole that is the pile. The checksums of manifest and end are right.
 * `forge FORMAT` makes the checksum of a changed format right.
 */

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/arithmetic.h"
#include "base/xxh64.h"
#include "store/manifest.h"

enum { ROOM = 64 << 20, CHECKSUM_BYTES = 26 };

static uint8_t data[ROOM];

static void put(uint8_t *row, size_t i, uint64_t number)
{
    store64le(row + 8 * i, number);
}

/* The file is read. Returns where what is to be written is in it; *from, *length: in data. */
static uint64_t forge_pile(size_t bytes, char **words, size_t *from, size_t *length)
{
    uint8_t *const end = data + bytes - MANIFEST_END_BYTES, *manifest, *row;
    const uint64_t wanted = strtoull(words[2], NULL, 10);
    struct manifest_end found;
    struct manifest_pile pile;

    if (bytes < MANIFEST_END_BYTES || !manifest_find(&found, end, bytes))
        exit(1);
    manifest = data + found.at;
    row = manifest + MANIFEST_HEAD_BYTES + strtoul(words[0], NULL, 10) * MANIFEST_PILE_BYTES;
    pile = manifest_load_pile(row);
    put(row, 0, strtoull(words[1], NULL, 10));
    put(row, 1, wanted);
    if (wanted <= pile.first.bytes)
        put(row, 2, xxh64(data + pile.first.place, (size_t)wanted));
    if (wanted <= pile.first.bytes || wanted > bytes)
        put(row, 4, wanted);
    if (wanted > bytes && wanted < INT64_MAX) {
        put(row, 3, 0);
        put(end, 1, wanted);
    }
    put(end, 3, xxh64(manifest, (size_t)found.bytes));
    put(end, 4, xxh64(end, MANIFEST_END_BYTES - 8));
    *from = (size_t)found.at;
    *length = (size_t)found.bytes + MANIFEST_END_BYTES;
    return load64le(end + 8);
}

int main(int argc, char **argv)
{
    FILE *file = argc == 2 || argc == 5 ? fopen(argv[1], "r+b") : NULL;
    size_t length = file != NULL ? fread(data, 1, ROOM, file) : 0, from = 0;
    uint64_t at = 0;

    if (length < CHECKSUM_BYTES) {
        fputs("usage: forge BATCH PILE RECORDS BYTES | FORMAT\n", stderr);
        return 1;
    }
    if (argc == 5)
        at = forge_pile(length, argv + 2, &from, &length);
    else
        snprintf((char *)data + length - CHECKSUM_BYTES, CHECKSUM_BYTES + 1, "checksum %016" PRIx64 "\n",
                 xxh64(data, length - CHECKSUM_BYTES));
    return fseeko(file, (off_t)at, SEEK_SET) == 0 && fwrite(data + from, 1, length, file) == length && fclose(file) == 0
               ? 0
               : 1;
}
