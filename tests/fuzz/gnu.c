/*
 * The draws of GNU shuf from a file of any bytes: in range, none for 0, and those of the method that gnu.h
 * names; the three ways to make a permutation agree, and make one.
 */

#include "end.h"

#include "sample/gnu.h"
#include "system/pool.h"
#include "system/table.h"

enum { BLOCK_BYTES = 4096, BLOCKS = 64, RECORDS_MAX = 3000, DRAWS_MAX = 200 };
static struct pool pool;
static struct table table;

static struct gnu *open_gnu(void)
{
    struct gnu *gnu = gnu_open("random");

    FUZZ_CHECK(gnu != NULL);
    return gnu;
}

/* Draw into `drawn`. Returns whether there were bytes enough. */
static uint64_t drawn;
static bool draw(struct gnu *gnu, uint64_t bound)
{
    return !FUZZ_ENDS(drawn = gnu_draw(gnu, bound));
}

/* Draws up to the end of the file. */
static void check_draws(struct fuzz most)
{
    struct gnu *gnu = open_gnu(), *again = open_gnu();

    for (int i = 0; i < DRAWS_MAX; i++) {
        const uint64_t bound = fuzz_number(&most);
        const bool enough = draw(gnu, bound);
        const uint64_t number = drawn;

        FUZZ_CHECK(draw(again, bound) == enough);
        if (!enough) {
            FUZZ_CHECK(bound > 0);
            break;
        }
        FUZZ_CHECK(number <= bound && number == drawn);
    }
    gnu_free(gnu);
    gnu_free(again);
}

/* Fisher-Yates by single draws. Returns whether there were bytes enough. */
static bool permute(uint64_t *order, uint64_t records, uint64_t wanted)
{
    struct gnu *gnu = open_gnu();
    uint64_t i;

    for (i = 0; i < records; i++)
        order[i] = i;
    for (i = 0; i < wanted && draw(gnu, records - i - 1); i++) {
        uint64_t number = order[i];

        order[i] = order[i + drawn];
        order[i + drawn] = number;
    }
    gnu_free(gnu);
    return i == wanted;
}

static void check_table(const uint64_t *order, uint64_t records, uint64_t wanted, bool enough, size_t number_bytes)
{
    struct gnu *gnu = open_gnu();

    table_clear(&table);
    FUZZ_CHECK(pool_promise(&pool, (uint32_t)pool_blocks_for(&pool, records * number_bytes)));
    table_grow(&table, records, number_bytes);
    FUZZ_CHECK(FUZZ_ENDS(gnu_ranks(gnu, &table, records, wanted)) == !enough);
    for (uint64_t i = 0; enough && i < records; i++)
        FUZZ_CHECK(table_get(&table, order[i]) == i);
    gnu_free(gnu);
}

static void check_sparse(const uint64_t *order, uint64_t records, uint64_t wanted, bool enough)
{
    uint64_t *out = malloc((size_t)wanted * sizeof *out + 1);
    struct gnu *gnu = open_gnu();

    FUZZ_CHECK(out != NULL);
    FUZZ_CHECK(FUZZ_ENDS(gnu_sparse(gnu, records - 1, wanted, out)) == !enough);
    FUZZ_CHECK(!enough || memcmp(out, order, (size_t)wanted * sizeof *out) == 0);
    gnu_free(gnu);
    free(out);
}

static void check_permutations(uint64_t records, uint64_t wanted)
{
    static uint64_t order[RECORDS_MAX];
    static bool seen[RECORDS_MAX];
    bool enough = permute(order, records, wanted);

    memset(seen, false, sizeof seen);
    for (uint64_t i = 0; i < records; i++) {
        FUZZ_CHECK(order[i] < records && !seen[order[i]]);
        seen[order[i]] = true;
    }
    check_table(order, records, wanted, enough, sizeof(uint32_t));
    check_table(order, records, wanted, enough, sizeof(uint64_t));
    check_sparse(order, records, wanted, enough);
}

/* Numbers that no table has room for are different and in range. */
static void check_large(uint64_t most, uint64_t wanted)
{
    static uint64_t out[RECORDS_MAX];
    struct gnu *gnu = open_gnu();
    bool ended;

    if (most < wanted)
        wanted = most;
    ended = FUZZ_ENDS(gnu_sparse(gnu, most, wanted, out));
    for (uint64_t i = 0; !ended && i < wanted; i++) {
        FUZZ_CHECK(out[i] <= most);
        for (uint64_t k = 0; k < i && k < 8; k++)
            FUZZ_CHECK(out[k] != out[i]);
    }
    gnu_free(gnu);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t bytes)
{
    struct fuzz fuzz = {data, bytes}, bounds;
    uint64_t records = fuzz_from_to(&fuzz, 1, RECORDS_MAX), wanted = fuzz_from_to(&fuzz, 0, RECORDS_MAX);
    uint64_t most = fuzz_number(&fuzz);

    if (pool.memory == NULL) {
        FUZZ_CHECK(pool_open(&pool, BLOCKS * (BLOCK_BYTES + 4) + POOL_SLACK_BYTES, BLOCK_BYTES) == 0);
        table_init(&table, &pool);
    }
    bounds = (struct fuzz){fuzz.data, fuzz.bytes / 2};
    fuzz_put("random", fuzz.data + bounds.bytes, fuzz.bytes - bounds.bytes);
    check_draws(bounds);
    check_permutations(records, wanted < records ? wanted : records);
    check_large(most, wanted < 64 ? wanted : 64);
    return 0;
}
