#include "support/disk.h"

#include "shuffle/pile.h"
#include "support/engine.h"
#include "support/known_bytes.h"
#include "support/scratch.h"
#include "support/unit.h"

enum { BLOCK = 4096, PILES_MAX = 512 };

static const char *const directories[] = {"disk0"};
static struct spill_place place;
static struct pool pool;
static struct piles piles;
static uint64_t appended[PILES_MAX]; /* bytes, to each pile */

static int setup(void **state)
{
    if (scratch_setup(state) != 0 || mkdir("disk0", 0700) != 0)
        return -1;
    spill_place_init(&place, directories, 1, SPILL_NEVER);
    memset(&pool, 0, sizeof pool);
    memset(&piles, 0, sizeof piles);
    return disk_reset();
}

/* Whatever has happened, all blocks and files are given back. */
static int teardown(void **state)
{
    bool clean;

    piles_release(&piles);
    piles_release(&piles);
    clean = pool.free == pool.blocks && pool.promised == 0 && disk.files == 0 && scratch_count("disk0") == 0;
    pool_close(&pool);
    spill_place_release(&place);
    return scratch_teardown(state) == 0 && clean ? 0 : -1;
}

static void open_piles(uint32_t blocks, unsigned count, unsigned lanes)
{
    memset(appended, 0, sizeof appended);
    assert_int_equal(pool_open(&pool, (size_t)blocks * (BLOCK + 4) + POOL_SLACK_BYTES, BLOCK), 0);
    piles_init(&piles, count, lanes, &pool, &place);
}

/* Records are of one byte, where it matters. */
static const struct record_format bytewise = {.kind = &sizes_kind, .count = 1};

static void append(unsigned p, size_t bytes)
{
    uint8_t data[10000];

    for (size_t some; bytes > 0; bytes -= some) {
        some = bytes < sizeof data ? bytes : sizeof data;
        known_bytes_put(data, some, p, appended[p]);
        pile_append(&piles, p, data, some);
        appended[p] += some;
        pile_count(&piles, p, (int64_t)some);
    }
}

/* To piles at random, in pieces of at most `most` bytes. */
static void append_to_all(uint64_t bytes, size_t most)
{
    uint64_t random = most;

    for (uint64_t done = 0; done < bytes;) {
        size_t piece = engine_random(&random) % most + 1;

        append((unsigned)(engine_random(&random) % piles.count), piece);
        done += piece;
    }
}

/* All blocks of the chain but the last are full, and all bytes are as appended. */
static void assert_resident(unsigned p)
{
    const struct pile *pile = &piles.pile[p];
    uint32_t block = pile->first;
    uint64_t at = 0;

    assert_false(pile->spilled);
    assert_true(pile_bytes(&piles, p) == appended[p]);
    assert_true(pile_resident_bytes(&piles, p) == appended[p]);
    for (uint32_t b = 0; b < pile->blocks; b++, block = pool.next[block]) {
        const uint8_t *data = pool_block(&pool, block);
        size_t bytes = b + 1 < pile->blocks ? BLOCK : (size_t)(pile->at - data);

        if (!known_bytes_are(data, bytes, p, at))
            fail_msg("pile %u, bytes from %lu on", p, (unsigned long)at);
        at += bytes;
        assert_true(b + 1 < pile->blocks || (block == pile->last && pile->end == data + BLOCK));
    }
    assert_true(at == appended[p]);
}

static void assert_loads(unsigned p)
{
    uint32_t blocks = pile_load_blocks(&piles, p);

    assert_true(pool_promise(&pool, blocks));
    pile_load(&piles, p);
    assert_int_equal(pool.promised, 0);
    assert_resident(p);
}

/* As a source, in steps. */
static void assert_delivers(unsigned p, bool keep, size_t step)
{
    struct source *source = pile_source(&piles, p, keep);
    uint8_t *data = malloc(step);
    uint64_t at = 0;

    assert_non_null(source);
    while (at < appended[p]) {
        size_t bytes = source_read(source, data, step);

        assert_int_equal(bytes, appended[p] - at < step ? appended[p] - at : step);
        if (!known_bytes_are(data, bytes, p, at))
            fail_msg("pile %u, bytes from %lu on", p, (unsigned long)at);
        at += bytes;
    }
    assert_int_equal(source_read(source, data, step), 0);
    source_free(source);
    free(data);
}

static void assert_all_as_appended(void)
{
    for (unsigned p = 0; p < piles.count; p++) {
        if (piles.pile[p].spilled) {
            pile_flush(&piles, p);
            assert_delivers(p, true, 70000);
        } else {
            assert_resident(p);
        }
    }
}

static void close_piles(void)
{
    piles_release(&piles);
    pool_close(&pool);
}

#define IN_SCRATCH(name) UNIT_TEST_IN(name, setup, teardown)

IN_SCRATCH(piles_grow_on_when_the_pool_is_dry)
{
    static const struct {
        uint32_t blocks;
        unsigned count;
        unsigned lanes;
        size_t most;
    } cases[] = {{30, 10, 1, 10000}, {10, 10, 1, 300}, {50, 12, 3, 5000}, {13, 13, 5, 9000}, {300, 3, 2, 10000}};

    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        open_piles(cases[i].blocks, cases[i].count, cases[i].lanes);
        append_to_all(cases[i].blocks * 3 * BLOCK, cases[i].most);
        piles_seal(&piles);
        assert_true(disk.writes > 0);
        assert_all_as_appended();
        close_piles();
    }
}

/* Every length of the last block counts: none, one byte, all but one, all. In files of their own, or shared; from the
 * front to the back, or loaded. */
IN_SCRATCH(a_pile_comes_back_whole_from_memory_and_from_disk)
{
    static const size_t lengths[] = {0, 1, BLOCK - 1, BLOCK, BLOCK + 1, 2 * BLOCK, 70 * BLOCK, 70 * BLOCK + 5};

    for (unsigned descriptors = 0; descriptors <= 2; descriptors += 2) {
        disk.descriptors = descriptors;
        open_piles(300, 8, 1);
        for (unsigned p = 0; p < 8; p++)
            append(p, lengths[p]);
        piles_seal(&piles);
        for (int flushed = 0; flushed < 2; flushed++)
            for (unsigned p = 0; p < 8; p++) {
                if (flushed)
                    pile_flush(&piles, p);
                assert_int_equal(pile_resident_bytes(&piles, p), flushed ? 0 : lengths[p]);
                assert_delivers(p, true, 1 + p);
                assert_delivers(p, true, BLOCK);
                assert_delivers(p, true, 100000);
            }
        assert_int_equal(pool.free, pool.blocks);
        for (int round = 0; round < 2; round++) {
            for (unsigned p = 0; p < 8; p++)
                assert_loads(p);
            piles_flush(&piles);
        }
        close_piles();
    }
}

/* Its spilled part comes first; an empty block may be what it has in memory. */
IN_SCRATCH(a_half_spilled_pile_comes_back_whole)
{
    static const size_t tails[] = {0, 1, BLOCK, 2 * BLOCK + 7};

    for (int i = 0; i < 4; i++) {
        open_piles(20, 2, 1);
        append(1, 6 * BLOCK);
        while (pile_resident_bytes(&piles, 1) > 0)
            append(0, BLOCK);
        for (size_t done = 0; done < tails[i]; done++)
            append(1, 1);
        piles_seal(&piles);
        assert_int_equal(piles.pile[1].spilled_bytes % BLOCK, 0);
        assert_true(piles.pile[1].spilled_bytes > 0 && pile_bytes(&piles, 1) == appended[1]);
        assert_delivers(1, true, 1000);
        assert_delivers(1, true, BLOCK);
        assert_delivers(1, true, 100000);
        pile_clear(&piles, 0);
        assert_loads(1);
        assert_int_equal(disk.files, 0);
        close_piles();
    }
}

IN_SCRATCH(a_source_gives_back_what_was_read)
{
    uint8_t data[BLOCK];
    struct source *source;

    open_piles(2500, 2, 1);
    append(0, 80 * BLOCK);
    append(1, (size_t)9 << 20);
    piles_seal(&piles);
    pile_flush(&piles, 1);
    assert_delivers(1, true, 100001);
    assert_int_equal(disk.punched_bytes, 0);
    assert_delivers(1, false, 1 << 20);
    assert_true(disk.punched_bytes >= (uint64_t)8 << 20);
    source = pile_source(&piles, 0, false);
    for (uint32_t i = 1; i <= 80; i++) {
        assert_int_equal(source_read(source, data, sizeof data), BLOCK);
        assert_int_equal(pool_free(&pool), 2420 + (i < 80 ? i : 79));
    }
    assert_int_equal(source_read(source, data, sizeof data), 0);
    source_free(source);
}

IN_SCRATCH(room_is_made_by_last_piles_and_no_more_than_wanted)
{
    open_piles(64, 3, 1);
    for (unsigned p = 0; p < 3; p++)
        append(p, 20 * BLOCK);
    piles_seal(&piles);
    piles_make_room(&piles, 4);
    assert_false(piles.pile[2].spilled);
    piles_make_room(&piles, 10);
    assert_int_equal(piles.pile[2].spilled_bytes, 6 * BLOCK);
    piles_make_room(&piles, 30);
    assert_int_equal(pool_free(&pool), 30);
    assert_int_equal(piles.pile[2].blocks, 0);
    assert_int_equal(piles.pile[1].spilled_bytes, 6 * BLOCK);
    assert_false(piles.pile[0].spilled);
    for (unsigned p = 0; p < 3; p++)
        assert_delivers(p, true, 70000);
    piles_make_room(&piles, 1000);
    assert_int_equal(pool_free(&pool), 64);
}

/* A tail does not hide what has changed before it. */
IN_SCRATCH(damage_in_what_was_spilled_is_found)
{
    struct source *source;
    uint8_t data[100000];

    open_piles(20, 2, 1);
    while (!piles.pile[1].spilled)
        append(1, BLOCK);
    append(1, 5);
    piles_seal(&piles);
    source = pile_source(&piles, 1, true);
    disk.flip_read = 1;
    assert_ends_about(source_read(source, data, sizeof data), "contents have changed");
    source_free(source);
}

static void verify(const struct record_format *format, size_t step)
{
    static uint8_t buffer[40 * BLOCK];

    pile_source_verify(&piles, 1, format, buffer, step);
}

/* Verifying does not change the pile. A wrong number of records is reported even if every byte is as it was written. */
IN_SCRATCH(a_pile_can_be_verified)
{
    static const char told[] = "bigshuf: temporary file in disk0: does not hold the records that were put there\n";
    static const size_t steps[] = {1000, BLOCK, 30 * BLOCK, 40 * BLOCK};
    const struct record_format wide = {.kind = &sizes_kind, .count = 3};

    open_piles(60, 2, 1);
    append(1, 100000);
    piles_seal(&piles);
    pile_flush(&piles, 1);
    for (int i = 0; i < 4; i++)
        verify(&bytewise, steps[i]);
    piles.pile[1].records = 99999;
    assert_ends(verify(&bytewise, 1000), told);
    piles.pile[1].records = 100001;
    assert_ends(verify(&bytewise, 1000), told);
    piles.pile[1].records = 100000 / 3;
    assert_ends(verify(&wide, 1000), told); /* with a part of one at the end */
    piles.pile[1].records = 100000;
    assert_loads(1);
    verify(&wide, 1000); /* there is nothing in a file */
    pile_check(&piles, 1, 100000);
    assert_ends(pile_check(&piles, 1, 99999), told); /* it has been there */
    assert_ends(pile_check(&piles, 0, 1), "bigshuf: a pile in memory does not hold the records that were put there\n");
}

IN_SCRATCH(a_dropped_pile_gives_all_back_and_takes_nothing)
{
    open_piles(20, 4, 1);
    append(0, 100);
    append(1, 2 * BLOCK);
    while (!piles.pile[3].spilled)
        append(3, 3000);
    assert_int_equal(disk.files, 1);
    for (unsigned round = 0; round < 2; round++) /* pile 2 has not got its first block yet */
        for (unsigned p = 1; p < 4; p++) {
            piles.pile[p].records = 5;
            pile_drop(&piles, p);
            pile_append(&piles, p, (const uint8_t *)"dropped", 7);
            assert_int_equal(pile_bytes(&piles, p), 0);
            assert_int_equal(piles.pile[p].blocks, 0);
        }
    assert_int_equal(disk.files, 0);
    assert_int_equal(pool.promised, 0);
    assert_int_equal(pool_free(&pool), 19);
    append(0, 15 * BLOCK); /* into the room of the others */
    piles_seal(&piles);
    assert_int_equal(pool.promised, 0);
    assert_int_equal(disk.files, 0);
    assert_resident(0);
}

static void *fill_lane(void *context)
{
    unsigned lane = (unsigned)(uintptr_t)context;
    uint64_t random = lane;

    for (int i = 0; i < 400; i++) {
        unsigned p = lane + piles.lanes * (unsigned)(engine_random(&random) % (piles.count / piles.lanes));

        append(p, engine_random(&random) % 5000);
    }
    return NULL;
}

IN_SCRATCH(lanes_grow_side_by_side)
{
    pthread_t thread[4];

    open_piles(150, 32, 4);
    for (uintptr_t i = 0; i < 4; i++)
        assert_int_equal(pthread_create(&thread[i], NULL, fill_lane, (void *)i), 0);
    for (int i = 0; i < 4; i++)
        assert_int_equal(pthread_join(thread[i], NULL), 0);
    piles_seal(&piles);
    assert_true(disk.writes > 0);
    assert_all_as_appended();
}

/* Spilled piles keep only a little memory, and leave most of it to the others. */
IN_SCRATCH(all_tails_together_are_bounded)
{
    uint64_t random = 1;
    uint32_t most = 0;

    open_piles(2048, 256, 1);
    for (int i = 0; i < 4500; i++) {
        uint32_t tails = 0;

        append((unsigned)(engine_random(&random) % 256), 5000);
        for (unsigned p = 0; p < 256 && i % 50 == 0; p++)
            tails += piles.pile[p].spilled ? piles.pile[p].blocks : 0;
        most = tails > most ? tails : most;
    }
    assert_true(most > 0 && most < 2048 * 2 / 5);
}

/* ---- Numbers ---- */

IN_SCRATCH(numbers_come_back_in_their_order)
{
    static const uint64_t counts[] = {0, 1, PILE_KEYS_AHEAD, 3 * PILE_KEYS_AHEAD + 5};

    for (int i = 0; i < 8; i++) {
        struct pile_keys keys;

        open_piles(20, 2, 1);
        for (uint64_t k = 0; k < counts[i / 2]; k++)
            pile_source_keys_append(&piles, 1, k * k);
        piles_seal(&piles);
        assert_true(piles.pile[1].records == counts[i / 2]);
        if (i % 2 == 1)
            pile_flush(&piles, 1);
        pile_source_keys_open(&keys, &piles, 1, true);
        for (uint64_t k = 0; k < counts[i / 2]; k++)
            assert_true(pile_source_keys_next(&keys) == k * k);
        assert_ends(pile_source_keys_next(&keys), "bigshuf: a pile does not hold the keys that were put there\n");
        pile_source_keys_close(&keys);
        close_piles();
    }
}
