/*
 * Make a batch say what it should not, as somebody could who knows the format: `forge BATCH PILE RECORDS BYTES` puts
 * these numbers into the row of a pile; if its first extent has as many bytes, that then has just these, and their
 * checksum is right. `forge FORMAT` makes the checksum of a changed format right. All checksums above that are, too.
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

static int forge_pile(size_t bytes, char **words)
{
    uint8_t *const end = data + bytes - MANIFEST_END_BYTES, *manifest, *row;
    struct manifest_end found;
    struct manifest_pile pile;

    if (bytes < MANIFEST_END_BYTES || !manifest_find(&found, end, bytes))
        return -1;
    manifest = data + found.at;
    row = manifest + MANIFEST_HEAD_BYTES + strtoul(words[0], NULL, 10) * MANIFEST_PILE_BYTES;
    pile = manifest_load_pile(row);
    put(row, 0, strtoull(words[1], NULL, 10));
    put(row, 1, strtoull(words[2], NULL, 10));
    if (load64le(row + 8) <= pile.first.bytes) {
        put(row, 2, xxh64(data + pile.first.place, (size_t)load64le(row + 8)));
        put(row, 4, load64le(row + 8));
    }
    put(end, 3, xxh64(manifest, (size_t)found.bytes));
    put(end, 4, xxh64(end, MANIFEST_END_BYTES - 8));
    return 0;
}

int main(int argc, char **argv)
{
    FILE *file = argc == 2 || argc == 5 ? fopen(argv[1], "r+b") : NULL;
    size_t bytes = file != NULL ? fread(data, 1, ROOM, file) : 0;

    if (bytes < CHECKSUM_BYTES || (argc == 5 && forge_pile(bytes, argv + 2) != 0)) {
        fputs("usage: forge BATCH PILE RECORDS BYTES | FORMAT\n", stderr);
        return 1;
    }
    if (argc == 2)
        snprintf((char *)data + bytes - CHECKSUM_BYTES, CHECKSUM_BYTES + 1, "checksum %016" PRIx64 "\n",
                 xxh64(data, bytes - CHECKSUM_BYTES));
    rewind(file);
    return fwrite(data, 1, bytes, file) == bytes && fclose(file) == 0 ? 0 : 1;
}
