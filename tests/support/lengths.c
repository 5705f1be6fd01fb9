/* Make each line of standard input a record that begins with its length: lengths CODING. As tests/soak/lengths.py does,
 * without the program's code, and as short as can be. */

#include <stdint.h>
#include <stdio.h>
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

/* These bytes, and the checksum of TFRecord if it has to follow. */
static void write_with_sum(const uint8_t *data, size_t count, int sums)
{
    uint32_t crc = UINT32_MAX;
    uint8_t text[4];

    fwrite(data, 1, count, stdout);
    for (size_t i = 0; sums && i < count; i++) {
        crc ^= data[i];
        for (int bit = 0; bit < 8; bit++)
            crc = crc >> 1 ^ (0x82F63B78 & (0 - (crc & 1)));
    }
    crc = ~crc;
    put(text, (crc >> 15 | crc << 17) + 0xA282EAD8, sizeof text, 0);
    fwrite(text, 1, sums ? sizeof text : 0, stdout);
}

int main(int argc, char **argv)
{
    const char *coding = argc == 2 ? argv[1] : "";
    const int sums = strcmp(coding, "tfrecord") == 0, big_endian = strstr(coding, "be") != NULL,
              bytes = sums || strstr(coding, "64") ? 8
                      : strstr(coding, "32")       ? 4
                                                   : 0;
    static char *line;
    static size_t room;

    for (ssize_t got; (got = getline(&line, &room, stdin)) > 0;) {
        const size_t count = (size_t)got - (line[got - 1] == '\n');
        uint8_t length[10] = {0};

        write_with_sum(length, put(length, count, bytes, big_endian), sums);
        write_with_sum((uint8_t *)line, count, sums);
    }
    return *coding == '\0' || ferror(stdin) || fflush(stdout) != 0;
}
