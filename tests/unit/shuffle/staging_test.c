#include "support/small_run.h"
#include "support/unit.h"

#include "shuffle/pile_source.h"
#include "shuffle/staging.h"
#include "support/known_bytes.h"

enum { PILES = 11, LANES = 2, PIECE_MAX = 400, DROPPED = 6 };

static struct piles piles;
static struct staging staging;
static uint64_t put[PILES]; /* bytes, to each pile */

static void open_stages(void)
{
    small_open(1, ORDER_LEAF_RECORDS);
    memset(put, 0, sizeof put);
    piles_init(&piles, PILES, LANES, &small.run.engine.pool, &small.place);
    staging_init(&staging, &piles);
}

static void close_stages(void)
{
    staging_release(&staging);
    staging_release(&staging);
    piles_release(&piles);
    assert_int_equal(small.run.engine.pool.free, small.run.engine.pool.blocks);
    small_close();
}

static void put_piece(unsigned p, size_t bytes)
{
    uint8_t data[PIECE_MAX + COPY_STEP];

    known_bytes_put(data, bytes, p, put[p]);
    staging_put(&staging, p, data, bytes);
    put[p] += bytes;
}

/* To piles at random, in pieces of at most `most` bytes. */
static void put_pieces(uint64_t bytes, size_t most)
{
    uint64_t random = most;

    for (uint64_t done = 0; done < bytes;) {
        const size_t piece = engine_random(&random) % most + 1;

        put_piece((unsigned)(engine_random(&random) % PILES), piece);
        done += piece;
    }
}

static void assert_as_put(unsigned p)
{
    struct source *source = pile_source(&piles, p, true);
    uint8_t data[5000];
    uint64_t at = 0;
    size_t bytes;

    assert_non_null(source);
    assert_true(pile_bytes(&piles, p) == put[p]);
    while ((bytes = source_read(source, data, sizeof data)) > 0) {
        assert_true(known_bytes_are(data, bytes, p, at));
        at += bytes;
    }
    assert_true(at == put[p]);
    source_free(source);
}

static void assert_all_as_put(void)
{
    assert_true(staging_end(&staging));
    piles_seal(&piles);
    for (unsigned p = 0; p < PILES; p++)
        assert_as_put(p);
}

#define IN_SCRATCH(name) UNIT_TEST_IN(name, small_quarter_setup, small_teardown)

IN_SCRATCH(pieces_of_any_length_come_to_their_piles_in_order)
{
    for (size_t most = 1; most <= PIECE_MAX; most += most < 40 ? 1 : 45) {
        open_stages();
        put_pieces(150000, most);
        assert_all_as_put();
        close_stages();
    }
    assert_int_equal(disk.written_bytes, 0);
}

IN_SCRATCH(short_pieces_come_in_whole_lines)
{
    open_stages();
    put_pieces(300000, STAGING_BYTES / 2);
    for (unsigned p = 0; p < PILES; p++) {
        assert_true(pile_bytes(&piles, p) % SYS_LINE_BYTES == 0);
        assert_true(pile_bytes(&piles, p) + STAGING_BYTES > put[p]);
    }
    assert_all_as_put();
    close_stages();
}

IN_SCRATCH(numbers_and_pieces_may_alternate)
{
    const uint64_t number = 0x0807060504030201;

    open_stages();
    for (int i = 0; i < 5000; i++) {
        uint8_t *place = staging_reserve(&staging, 3, sizeof number);

        assert_non_null(place);
        memcpy(place, &number, sizeof number);
        put_piece(4, 100);
    }
    assert_true(staging_end(&staging));
    piles_seal(&piles);
    assert_as_put(4);
    assert_int_equal(pile_bytes(&piles, 3), 5000 * sizeof number);
    for (uint32_t block = piles.pile[3].first; block != piles.pile[3].last; block = piles.pool->next[block])
        for (size_t i = 0; i < piles.pool->block_bytes; i += sizeof number)
            assert_memory_equal(pool_block(piles.pool, block) + i, &number, sizeof number);
    close_stages();
}

IN_SCRATCH(piles_are_spilled_when_memory_runs_out)
{
    open_stages();
    put_pieces(2 * engine_pool_bytes(&small.run.engine), 50);
    assert_all_as_put();
    assert_true(disk.written_bytes > 0);
    close_stages();
}

IN_SCRATCH(what_is_put_into_a_dropped_pile_is_gone)
{
    open_stages();
    put_pieces(100000, 50);
    pile_drop(&piles, DROPPED);
    put_pieces(100000, 300);
    put[DROPPED] = 0;
    assert_all_as_put();
    close_stages();
}
