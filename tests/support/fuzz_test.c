/*
 * Runs a fuzzer without libFuzzer and its sanitizers, so that `make check` sees as well what tests/fuzz looks at: with
 * the seeds of the fuzzer, the file SEEDS, and with inputs that are made of them, the same in each run.
 */

#include <stdio.h>
#include <string.h>

#include "support/scratch.h"
#include "support/unit.h"

#include "base/escape.h"

#ifndef SEEDS
#define SEEDS "seeds"
#endif

enum { SEEDS_MAX = 64, SEED_BYTES_MAX = 1024, INPUT_BYTES_MAX = 4096 };

struct input {
    uint8_t data[INPUT_BYTES_MAX];
    size_t bytes;
};

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t bytes);

static struct input seeds[SEEDS_MAX];
static size_t seed_count;

static void read_seeds(void)
{
    FILE *file = fopen(SEEDS, "r");
    char line[SEED_BYTES_MAX];

    assert_non_null(file);
    while (fgets(line, sizeof line, file) != NULL) {
        struct input *seed = &seeds[seed_count++];

        assert_true(seed_count < SEEDS_MAX);
        line[strcspn(line, "\n")] = '\0';
        assert_int_equal(escape_parse(line, seed->data, sizeof seed->data, &seed->bytes), 0);
    }
    fclose(file);
}

/* Put some bytes in the place of others. */
static void replace(struct input *input, size_t at, size_t gone, const uint8_t *data, size_t bytes)
{
    gone = gone < input->bytes - at ? gone : input->bytes - at;
    if (bytes > sizeof input->data - (input->bytes - gone))
        return;
    memmove(input->data + at + bytes, input->data + at + gone, input->bytes - at - gone);
    memmove(input->data + at, data, bytes);
    input->bytes += bytes - gone;
}

/* Change a byte, or take a stretch of a seed, some bytes or none instead of a stretch. */
static void change(struct input *input)
{
    const struct input *from = &seeds[below(seed_count)];
    const size_t at = below(input->bytes + 1), first = below(from->bytes + 1);
    const uint8_t any[] = {(uint8_t)below(256), (uint8_t)below(256), (uint8_t)below(256), (uint8_t)below(256)};

    switch (below(5)) {
    case 0:
        replace(input, at, below(20), any, below(5));
        break;
    case 1:
        replace(input, at, below(20), from->data + first, below(from->bytes - first + 1));
        break;
    default:
        replace(input, at, 1, below(2) == 0 ? any : from->data + first, at < input->bytes && first < from->bytes);
    }
}

UNIT_TEST_IN(seeds_and_what_is_made_of_them_break_nothing, scratch_setup, scratch_teardown)
{
    const unsigned inputs = scratch_scale(2000, 4000, 100000);

    read_seeds();
    for (unsigned i = 0; i < inputs; i++) {
        struct input input = seeds[i < seed_count ? i : below(seed_count)];
        uint8_t *copy;

        for (size_t changes = i < seed_count ? 0 : 1 + below(8); changes > 0; changes--)
            change(&input);
        copy = malloc(input.bytes > 0 ? input.bytes : 1); /* a sanitizer sees what is read after it */
        memcpy(copy, input.data, input.bytes);
        (void)LLVMFuzzerTestOneInput(copy, input.bytes);
        free(copy);
    }
}
