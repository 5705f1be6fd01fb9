/* Keys of any kind: those of weights are seldom equal, in order or extreme. */

#include "support/small_run.h"
#include "support/unit.h"

#include "sample/key_order.h"

enum { RECORDS = 45000, LINE_BYTES = 200 }; /* more than memory */

enum kind { RANDOM, EQUAL, GREATEST, OF_TWO, DESCENDING, LATE, KINDS };

static uint64_t key[RECORDS];
static uint32_t sorted[RECORDS];

static uint64_t key_of(enum kind kind, size_t i)
{
    switch (kind) {
    case RANDOM:
        return below(SIZE_MAX);
    case EQUAL:
        return (uint64_t)1 << 60;
    case GREATEST:
        return UINT64_MAX - 1 - (below(3) > 0);
    case OF_TWO:
        return below(2) == 0 ? 7 : (uint64_t)1 << 62;
    case DESCENDING:
        return UINT64_MAX - 1 - i;
    default: /* LATE: few of the records that say where ranges begin have another key */
        return i < 5000 ? 1000 : below(5000);
    }
}

static int compare_records(const void *a, const void *b)
{
    const uint32_t x = *(const uint32_t *)a, y = *(const uint32_t *)b;

    if (key[x] != key[y])
        return key[x] < key[y] ? -1 : 1;
    return x < y ? -1 : x > y;
}

static void write_by_key(size_t records)
{
    struct output *to = small_output("out");
    struct key_order *keyed = key_order_open(&small.run);

    for (size_t i = 0; i < records; i++) {
        char line[LINE_BYTES + 1];
        const struct record_piece piece = {
            .data = (const uint8_t *)line, .bytes = LINE_BYTES, .offset = i * LINE_BYTES, .first = true, .last = true};

        snprintf(line, sizeof line, "%0*zu\n", LINE_BYTES - 1, i);
        key_order_put(keyed, &piece, key[i]);
    }
    key_order_write(keyed, to);
    key_order_free(keyed);
    output_commit(to);
    output_free(to);
}

static void assert_sorts(enum kind kind, size_t records)
{
    char line[LINE_BYTES + 1];
    FILE *file;

    for (size_t i = 0; i < records; i++) {
        key[i] = key_of(kind, i);
        sorted[i] = (uint32_t)i;
    }
    qsort(sorted, records, sizeof *sorted, compare_records);
    small_open();
    write_by_key(records);
    small_close();
    file = fopen("out", "r");
    for (size_t i = 0; i < records; i++) {
        assert_non_null(fgets(line, sizeof line, file));
        assert_int_equal(strtoul(line, NULL, 10), sorted[i]);
    }
    assert_int_equal(getc(file), EOF);
    fclose(file);
}

UNIT_TEST_IN(records_of_any_keys_are_sorted_in_memory_and_on_disk, scratch_setup, small_teardown)
{
    for (enum kind kind = 0; kind < KINDS; kind++) {
        assert_sorts(kind, 8000);
        assert_sorts(kind, RECORDS);
    }
}
