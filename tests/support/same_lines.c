/*
 * Do two files have the same lines, in whatever order? `same_lines FILE FILE`, `-` being standard input, is what
 * comparing the files sorted would be, in a tenth of the time: it adds up a hash of each line. A last line without a
 * newline counts as one with it.
 */

#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct sum {
    uintmax_t lines;
    uint64_t hashes;
};

/* The last step of MurmurHash3: every bit of the result depends on every bit of X. */
static uint64_t mix(uint64_t x)
{
    x = (x ^ (x >> 33)) * 0xff51afd7ed558ccdU;
    x = (x ^ (x >> 33)) * 0xc4ceb9fe1a85ec53U;
    return x ^ (x >> 33);
}

static struct sum add_up(const char *name)
{
    FILE *file = strcmp(name, "-") == 0 ? stdin : fopen(name, "rb");
    struct sum sum = {0, 0};
    char *line = NULL;
    size_t room = 0;
    ssize_t bytes;

    while (file && (bytes = getline(&line, &room, file)) > 0) {
        uint64_t hash = 0xcbf29ce484222325U; // FNV-1a

        bytes -= line[bytes - 1] == '\n';
        for (ssize_t i = 0; i < bytes; i++)
            hash = (hash ^ (unsigned char)line[i]) * 0x100000001b3U;
        sum.lines++;
        sum.hashes += mix(hash);
    }
    if (!file || ferror(file) || (file != stdin && fclose(file) != 0)) {
        perror(name);
        exit(2);
    }
    free(line);
    return sum;
}

int main(int argc, char **argv)
{
    struct sum one, other;

    if (argc != 3) {
        fputs("usage: same_lines FILE FILE\n", stderr);
        return 2;
    }
    one = add_up(argv[1]);
    other = add_up(argv[2]);
    if (one.lines == other.lines && one.hashes == other.hashes)
        return 0;
    printf("%s and %s have not the same lines: %ju and %ju of them\n", argv[1], argv[2], one.lines, other.lines);
    return 1;
}
