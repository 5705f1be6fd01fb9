/*
 * Make the data of the benchmarks, the same on every run: `data KIND BYTES >FILE` writes lines, or records, until there
 * are BYTES bytes, and finishes the last one.
 *
 *     seq      the numbers from 1 on, as seq(1) writes them
 *     nine     lines of 9 bytes: 8 hexadecimal digits that count up
 *     sixteen  lines of 16 bytes, the same
 *     lines    lines of about 100 bytes: a number and text
 *     json     {"id":NUMBER,"text":"TEXT"}, log-normal with a mean of 350 bytes
 *     tfrecord-100, tfrecord-1000, u32le-100
 *              records of so many bytes, which are their length, maybe its checksum and that of the data, and text
 *     tar      an archive: samples of two members, of TAPE_BYTES bytes together, and as many bytes of zeros at its end
 *
 * Text is 16 letters a 64-bit random number, two stores each, so that this is not what takes the time.
 */

#include <math.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/crc32c.h"

enum {
    BUFFER = 1 << 20,
    LINE_MAX_BYTES = 1 << 16,
    LETTERS = 16, /* written at a time; may overshoot */
    SPREAD = 32,  /* lines have 100 bytes give or take half of this */
    HEX_DIGITS = 8,
    BLOCK = 512,
    TAPE_BYTES = 20 * BLOCK
};

static const double JSON_TEXT_MEAN = 330; /* bytes; the rest of a line takes some 20 */
static const double JSON_SIGMA = 0.6;

/* S. Vigna, splitmix64, public domain algorithm. */
static uint64_t next_random(uint64_t *state)
{
    uint64_t x = *state += 0x9e3779b97f4a7c15;

    x = (x ^ x >> 30) * 0xbf58476d1ce4e5b9;
    x = (x ^ x >> 27) * 0x94d049bb133111eb;
    return x ^ x >> 31;
}

/* Above 0, below 1. */
static double next_fraction(uint64_t *state)
{
    return ((double)(next_random(state) >> 12) + 0.5) / 4503599627370496.0;
}

/* Box and Muller: exact, and there is only one for each line. */
static double next_normal(uint64_t *state)
{
    double radius = sqrt(-2 * log(next_fraction(state)));

    return radius * cos(6.283185307179586 * next_fraction(state));
}

/* Write `length` letters from a to p; up to LETTERS - 1 bytes after them are overwritten. */
static char *put_text(char *at, size_t length, uint64_t *state)
{
    for (size_t done = 0; done < length; done += LETTERS) {
        uint64_t word = next_random(state);
        uint64_t half[2] = {(word & 0x0f0f0f0f0f0f0f0f) + 0x6161616161616161,
                            (word >> 4 & 0x0f0f0f0f0f0f0f0f) + 0x6161616161616161};

        memcpy(at + done, half, sizeof half);
    }
    return at + length;
}

/* A number in digits that counts up. */
struct counter {
    char digit[24]; /* the last ones of it are in use */
    size_t digits;
    char last; /* the highest digit */
};

static void count_up(struct counter *counter)
{
    char *digit = counter->digit + sizeof counter->digit - 1;

    while (*digit == counter->last)
        *digit-- = '0';
    *digit = *digit == '9' ? 'a' : (char)(*digit + 1);
    if ((size_t)(counter->digit + sizeof counter->digit - digit) > counter->digits)
        counter->digits++;
}

static char *put_counter(char *at, const struct counter *counter)
{
    memcpy(at, counter->digit + sizeof counter->digit - counter->digits, counter->digits);
    return at + counter->digits;
}

static struct counter make_counter(size_t digits, char last)
{
    struct counter counter = {.digits = digits, .last = last};

    memset(counter.digit, '0', sizeof counter.digit);
    return counter;
}

/* Each writes a line without its end to `at`, where LINE_MAX_BYTES bytes are free, and returns where that ends. */
typedef char *put_line(char *at, struct counter *counter, uint64_t *state);

static char *put_number(char *at, struct counter *counter, uint64_t *state)
{
    (void)state;
    count_up(counter);
    return put_counter(at, counter);
}

static char *put_100(char *at, struct counter *counter, uint64_t *state)
{
    char *end = at + 99 - SPREAD / 2 + next_random(state) % (SPREAD + 1);

    count_up(counter);
    at = put_counter(at, counter);
    *at++ = ' ';
    return put_text(at, (size_t)(end - at), state);
}

static char *put_json(char *at, struct counter *counter, uint64_t *state)
{
    static const char before[] = "{\"id\":";
    static const char between[] = ",\"text\":\"";
    double length = JSON_TEXT_MEAN * exp(JSON_SIGMA * next_normal(state) - JSON_SIGMA * JSON_SIGMA / 2);

    if (length > LINE_MAX_BYTES / 2.0)
        length = LINE_MAX_BYTES / 2.0;
    memcpy(at, before, sizeof before - 1);
    at = put_counter(at + sizeof before - 1, counter);
    count_up(counter);
    memcpy(at, between, sizeof between - 1);
    at = put_text(at + sizeof between - 1, (size_t)length, state);
    *at++ = '"';
    *at++ = '}';
    return at;
}

static char *put_little_endian(char *at, uint64_t number, size_t bytes)
{
    for (size_t i = 0; i < bytes; i++)
        *at++ = (char)(number >> 8 * i);
    return at;
}

/* The masked checksum of the last bytes. */
static char *put_sum(char *at, size_t bytes)
{
    const uint32_t crc = crc32c(0, (const uint8_t *)at - bytes, bytes);

    return put_little_endian(at, (uint32_t)((crc >> 15 | crc << 17) + 0xa282ead8), 4);
}

static char *put_tfrecord(char *at, size_t bytes, uint64_t *state)
{
    at = put_sum(put_little_endian(at, bytes - 16, 8), 8);
    return put_sum(put_text(at, bytes - 16, state), bytes - 16);
}

static char *put_tfrecord_100(char *at, struct counter *counter, uint64_t *state)
{
    (void)counter;
    return put_tfrecord(at, 100, state);
}

static char *put_tfrecord_1000(char *at, struct counter *counter, uint64_t *state)
{
    (void)counter;
    return put_tfrecord(at, 1000, state);
}

static char *put_u32le_100(char *at, struct counter *counter, uint64_t *state)
{
    (void)counter;
    return put_text(put_little_endian(at, 96, 4), 96, state);
}

/* The header of a member, in the form of Version 7. */
static char *put_header(char *at, const struct counter *counter, const char *ending, size_t bytes)
{
    unsigned sum = 0;

    memset(at, 0, BLOCK);
    memcpy(put_counter(at, counter), ending, strlen(ending) + 1);
    snprintf(at + 124, 12, "%011zo", bytes);
    memset(at + 148, ' ', 8);
    for (size_t i = 0; i < BLOCK; i++)
        sum += (unsigned char)at[i];
    snprintf(at + 148, 8, "%06o", sum);
    return at + BLOCK;
}

static char *put_sample(char *at, struct counter *counter, uint64_t *state)
{
    char *end = at + TAPE_BYTES - 1;

    count_up(counter);
    at = put_text(put_header(at, counter, ".cls", BLOCK), BLOCK, state);
    at = put_header(at, counter, ".txt", TAPE_BYTES - 3 * BLOCK);
    return put_text(at, (size_t)(end - at), state);
}

static const struct kind {
    const char *name;
    put_line *put;
    size_t digits; /* of the counter at first */
    char last;
    bool has_no_end; /* of a line */
} kinds[] = {
    {"seq", put_number, 1, '9', false},
    {"nine", put_number, HEX_DIGITS, 'f', false},
    {"sixteen", put_number, 15, 'f', false},
    {"lines", put_100, 1, '9', false},
    {"json", put_json, 1, '9', false},
    {"tfrecord-100", put_tfrecord_100, 0, '9', true},
    {"tfrecord-1000", put_tfrecord_1000, 0, '9', true},
    {"u32le-100", put_u32le_100, 0, '9', true},
    {"tar", put_sample, HEX_DIGITS, 'f', false},
};

static int write_all(const char *data, size_t bytes)
{
    while (bytes > 0) {
        ssize_t written = write(STDOUT_FILENO, data, bytes);

        if (written < 0)
            return -1;
        data += written;
        bytes -= (size_t)written;
    }
    return 0;
}

static int write_lines(const struct kind *kind, uint64_t bytes)
{
    static char buffer[BUFFER + LINE_MAX_BYTES];
    struct counter counter = make_counter(kind->digits, kind->last);
    uint64_t state = 1;

    while (bytes > 0) {
        char *end = buffer + (bytes < BUFFER ? bytes : BUFFER);
        char *at = buffer;

        while (at < end) {
            at = kind->put(at, &counter, &state);
            *at = '\n';
            at += !kind->has_no_end;
        }
        if (write_all(buffer, (size_t)(at - buffer)) != 0)
            return -1;
        bytes -= bytes < (uint64_t)(at - buffer) ? bytes : (uint64_t)(at - buffer);
    }
    memset(buffer, 0, TAPE_BYTES);
    return kind->put == put_sample ? write_all(buffer, TAPE_BYTES) : 0;
}

int main(int argc, char **argv)
{
    for (size_t k = 0; argc == 3 && k < sizeof kinds / sizeof *kinds; k++) {
        if (strcmp(argv[1], kinds[k].name) != 0)
            continue;
        if (write_lines(&kinds[k], strtoull(argv[2], NULL, 10)) == 0)
            return 0;
        perror("data");
        return 1;
    }
    fputs("usage: data seq|nine|sixteen|lines|json|tfrecord-100|tfrecord-1000|u32le-100|tar BYTES >FILE\n", stderr);
    return 1;
}
