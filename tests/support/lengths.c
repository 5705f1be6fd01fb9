/*
 * Make each line of standard input a record that begins with its length: lengths CODING. As tests/soak/lengths.py does,
 * without the program's code, and as short as can be.
 */

#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Write a number in so many bytes; 0 are a varint, which has 7 bits in each byte. Returns how many there are. */
static size_t put(uint8_t *text, uint64_t number, int width, int big_endian)
{
    size_t count = 0;

    for (; width == 0 && number > 127; number >>= 7)
        text[count++] = (uint8_t)(number | 128);
    if (width == 0)
        text[count++] = (uint8_t)number;
    for (int i = 0; i < width; i++)
        text[count++] = (uint8_t)(number >> 8 * (big_endian ? width - 1 - i : i));
    return count;
}

/* The checksum of TFRecord. */
static void write_sum(const uint8_t *data, size_t count)
{
    static uint32_t table[256];
    uint32_t crc = UINT32_MAX;
    uint8_t text[4];

    for (uint32_t i = 0; table[255] == 0 && i < 256; i++) {
        table[i] = i;
        for (int bit = 0; bit < 8; bit++)
            table[i] = table[i] >> 1 ^ (table[i] & 1 ? 0x82F63B78 : 0);
    }
    for (size_t i = 0; i < count; i++)
        crc = table[(crc ^ data[i]) & 255] ^ crc >> 8;
    crc = ~crc;
    fwrite(text, 1, put(text, (crc >> 15 | crc << 17) + 0xA282EAD8, 4, 0), stdout);
}

int main(int argc, char **argv)
{
    const char *coding = argc == 2 ? argv[1] : "";
    const int sums = strcmp(coding, "tfrecord") == 0, big_endian = strstr(coding, "be") != NULL,
              bytes = sums || strstr(coding, "64") ? 8
                      : strstr(coding, "32")       ? 4
                                                   : 0;
    char *line = NULL;
    size_t room = 0;

    for (ssize_t got; (got = getline(&line, &room, stdin)) > 0;) {
        const size_t count = (size_t)got - (line[got - 1] == '\n');
        uint8_t length[10];
        const size_t width = put(length, count, bytes, big_endian);

        fwrite(length, 1, width, stdout);
        if (sums)
            write_sum(length, width);
        fwrite(line, 1, count, stdout);
        if (sums)
            write_sum((uint8_t *)line, count);
    }
    free(line);
    return *coding == '\0' || ferror(stdin) || fflush(stdout) != 0;
}
