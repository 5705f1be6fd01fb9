#include "shuffle/pile_source.h"
#include "support/disk.h"

#include "shuffle/pile.h"
#include "support/engine.h"
#include "support/known_bytes.h"
#include "support/scratch.h"
#include "support/unit.h"

enum { BLOCK = 4096, PILES_MAX = 512 };

static const char *const directories[] = {"disk0"};
static struct spill_place place;
static struct frames frames;
static struct pool pool;
static struct piles piles;
static uint64_t appended[PILES_MAX]; /* bytes, to each pile */

static int setup(void **state)
{
    if (scratch_setup(state) != 0 || mkdir("disk0", 0700) != 0)
        return -1;
    memset(&place, 0, sizeof place);
    place.directory = directories;
    place.directories = 1;
    memset(&pool, 0, sizeof pool);
    frames_init(&frames);
    known_bytes_period = KNOWN_BYTES;
    memset(&piles, 0, sizeof piles);
    memset(appended, 0, sizeof appended);
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
    frames_release(&frames);
    return scratch_teardown(state) == 0 && clean ? 0 : -1;
}

/* From now on all that is written is compressed. */
static void use_frames(void)
{
    known_bytes_period = 1021;
    place.frames = &frames;
}

static void open_piles(uint32_t blocks, unsigned count, unsigned lanes)
{
    assert_int_equal(pool_open(&pool, (size_t)blocks * (BLOCK + 4) + POOL_SLACK_BYTES, BLOCK), 0);
    piles_init(&piles, count, lanes, &pool, &place);
}

/* Records are of one byte, where it matters. */
static const struct record_format bytewise = {.kind = &sizes_kind, .count = 1};

static void append(unsigned p, size_t bytes)
{
    uint8_t data[10000];

    known_bytes_put(data, bytes, p, appended[p]);
    pile_append(&piles, p, data, bytes);
    appended[p] += bytes;
    piles.pile[p].records += bytes;
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
        memset(appended, 0, sizeof appended);
        open_piles(cases[i].blocks, cases[i].count, cases[i].lanes);
        append_to_all(cases[i].blocks * 3 * BLOCK, cases[i].most);
        piles_seal(&piles);
        assert_true(disk.writes > 0);
        assert_all_as_appended();
        piles_release(&piles);
        pool_close(&pool);
    }
}

IN_SCRATCH(little_more_is_written_than_does_not_fit)
{
    uint64_t all = (uint64_t)1000 * BLOCK;

    open_piles(1000, 100, 1);
    for (unsigned multiple = 1; multiple <= 4; multiple++) {
        append_to_all(all / 2, 3000);
        assert_true(disk.written_bytes <= (multiple * all / 2 < all * 3 / 4 ? 0 : multiple * all / 2 - all * 3 / 4));
    }
}

IN_SCRATCH(a_spilled_part_is_loaded_in_front_of_the_tail)
{
    open_piles(20, 2, 1);
    for (int i = 0; i < 12; i++)
        append(0, BLOCK);
    while (!piles.pile[1].spilled || piles.pile[1].blocks == 1)
        append(1, 500);
    append(1, 77);
    piles_seal(&piles);
    assert_int_equal(piles.pile[1].spilled_bytes % BLOCK, 0);
    assert_true(pile_resident_bytes(&piles, 1) > 0);
    assert_true(pile_bytes(&piles, 1) == appended[1]);
    assert_int_equal(pile_load_blocks(&piles, 1), piles.pile[1].spilled_bytes / BLOCK);
    assert_int_equal(disk.files, 1);
    pile_clear(&piles, 0);
    assert_loads(1);
    assert_int_equal(disk.files, 0);
}

/* Every length of the last block counts: none, one byte, all but one, all. */
IN_SCRATCH(a_flushed_pile_has_no_blocks_and_comes_back_whole)
{
    static const size_t lengths[] = {0, 1, BLOCK - 1, BLOCK, BLOCK + 1, 2 * BLOCK, 70 * BLOCK, 70 * BLOCK + 5};

    open_piles(300, 8, 1);
    for (unsigned p = 0; p < 8; p++)
        for (size_t left = lengths[p]; left > 0; left -= left < 10000 ? left : 10000)
            append(p, left < 10000 ? left : 10000);
    piles_seal(&piles);
    for (unsigned p = 0; p < 8; p++) {
        pile_flush(&piles, p);
        assert_int_equal(piles.pile[p].blocks, 0);
        assert_int_equal(piles.pile[p].spilled_bytes, lengths[p]);
        assert_int_equal(pile_resident_bytes(&piles, p), 0);
    }
    assert_int_equal(pool.free, pool.blocks);
    for (unsigned p = 0; p < 8; p++)
        assert_loads(p);
}

IN_SCRATCH(a_pile_that_was_loaded_can_be_flushed_again)
{
    for (unsigned descriptors = 0; descriptors <= 2; descriptors += 2) {
        memset(appended, 0, sizeof appended);
        disk.descriptors = descriptors; /* files of their own, or shared */
        open_piles(20, 3, 1);
        append(2, BLOCK);
        append(2, BLOCK);
        while (!piles.pile[2].spilled)
            append(0, BLOCK);
        assert_int_equal(piles.pile[2].blocks, 1); /* an empty one */
        assert_int_equal(pile_resident_bytes(&piles, 2), 0);
        piles_seal(&piles);
        pile_clear(&piles, 0);
        for (int round = 0; round < 3; round++) {
            assert_loads(2);
            pile_flush(&piles, 2);
            assert_true(piles.pile[2].spilled_bytes == appended[2]);
        }
        assert_loads(2);
        piles_release(&piles);
        pool_close(&pool);
    }
}

static void flush_one(uint64_t bytes)
{
    open_piles(40, 2, 1);
    while (appended[1] < bytes)
        append(1, bytes - appended[1] < 10000 ? bytes - appended[1] : 10000);
    piles_seal(&piles);
    pile_flush(&piles, 1);
}

IN_SCRATCH(a_flushed_pile_can_be_read_as_a_source_again_and_again)
{
    flush_one((uint64_t)9 << 20);
    assert_delivers(1, true, 1 << 20);
    assert_delivers(1, true, 100001);
    assert_int_equal(disk.punched_bytes, 0);
    assert_delivers(1, false, 1 << 20);
    assert_true(disk.punched_bytes >= (uint64_t)8 << 20); /* given back as it was read */
}

/* Every length of the last block counts, as does one that is left empty when a pile is spilled. */
IN_SCRATCH(a_resident_pile_can_be_read_as_a_source)
{
    static const size_t lengths[] = {0, 1, BLOCK - 1, BLOCK, BLOCK + 1, 5 * BLOCK, 5 * BLOCK + 3};

    open_piles(100, 7, 1);
    for (unsigned p = 0; p < 7; p++)
        for (size_t left = lengths[p]; left > 0; left -= left < 10000 ? left : 10000)
            append(p, left < 10000 ? left : 10000);
    piles_seal(&piles);
    for (unsigned p = 0; p < 7; p++) {
        assert_delivers(p, true, 1 + p);
        assert_delivers(p, true, BLOCK);
        assert_delivers(p, true, 100000);
        assert_resident(p);
    }
}

IN_SCRATCH(a_source_gives_back_the_memory_of_what_was_read)
{
    uint8_t data[BLOCK];
    struct source *source;

    open_piles(100, 1, 1);
    for (int i = 0; i < 80; i++)
        append(0, BLOCK);
    piles_seal(&piles);
    source = pile_source(&piles, 0, false);
    for (uint32_t i = 1; i <= 80; i++) {
        assert_int_equal(source_read(source, data, sizeof data), BLOCK);
        assert_int_equal(pool_free(&pool), 20 + (i < 80 ? i : 79));
    }
    assert_int_equal(source_read(source, data, sizeof data), 0);
    source_free(source);
}

/* ---- No more than there is no room for ---- */

IN_SCRATCH(room_is_made_by_last_piles_and_no_more_than_wanted)
{
    open_piles(64, 3, 1);
    for (unsigned p = 0; p < 3; p++)
        for (int i = 0; i < 20; i++)
            append(p, BLOCK);
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

IN_SCRATCH(a_half_spilled_pile_can_be_read_as_a_source)
{
    static const size_t tails[] = {0, 1, BLOCK, 2 * BLOCK + 7};

    for (int i = 0; i < 4; i++) {
        memset(appended, 0, sizeof appended);
        open_piles(20, 2, 1);
        for (int k = 0; k < 6; k++)
            append(1, BLOCK);
        while (pile_resident_bytes(&piles, 1) > 0)
            append(0, BLOCK);
        assert_int_equal(piles.pile[1].blocks, 1); /* an empty one */
        for (size_t done = 0; done < tails[i]; done++)
            append(1, 1);
        piles_seal(&piles);
        assert_true(piles.pile[1].spilled_bytes > 0 && piles.pile[1].blocks > 0);
        assert_delivers(1, true, 1000);
        assert_delivers(1, true, BLOCK);
        assert_delivers(1, true, 100000);
        pile_clear(&piles, 0);
        assert_loads(1);
        assert_delivers(1, true, 1000);
        piles_release(&piles);
        pool_close(&pool);
    }
}

IN_SCRATCH(a_tail_does_not_hide_damage_in_what_was_spilled)
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

IN_SCRATCH(a_pile_can_be_verified_without_a_change_to_it)
{
    static const size_t steps[] = {1000, BLOCK, 30 * BLOCK, 100 * BLOCK};
    uint8_t *buffer = malloc(100 * BLOCK);

    flush_one(30 * BLOCK - 5);
    for (int i = 0; i < 4; i++)
        pile_source_verify(&piles, 1, &bytewise, buffer, steps[i]);
    assert_int_equal(disk.files, 1);
    assert_true(pile_bytes(&piles, 1) == appended[1]);
    pile_source_verify(&piles, 0, &bytewise, buffer, 1000); /* there is nothing in a file */
    assert_loads(1);
    pile_source_verify(&piles, 1, &bytewise, buffer, 1000);
    assert_resident(1);
    free(buffer);
}

static void fails_to_verify(const struct record_format *format, const char *message)
{
    uint8_t buffer[10000];

    assert_ends(pile_source_verify(&piles, 1, format, buffer, sizeof buffer), message);
}

/* Also where every byte is as it was written. */
IN_SCRATCH(a_pile_that_holds_other_records_than_were_counted_is_told)
{
    static const char told[] = "bigshuf: temporary file in disk0: does not hold the records that were put there\n";
    const struct record_format wide = {.kind = &sizes_kind, .count = 3};

    flush_one(100000);
    piles.pile[1].records--;
    fails_to_verify(&bytewise, told);
    piles.pile[1].records += 2;
    fails_to_verify(&bytewise, told);
    piles.pile[1].records = 100000 / 3;
    fails_to_verify(&wide, told); /* with a part of one at the end */
    piles.pile[1].records = 100000;
    assert_loads(1);
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
    for (int i = 0; i < 15; i++)
        append(0, BLOCK); /* into the room of the others */
    piles_seal(&piles);
    assert_int_equal(pool.promised, 0);
    assert_int_equal(disk.files, 0);
    assert_resident(0);
}

IN_SCRATCH(too_many_piles_for_the_pool_are_reported)
{
    assert_int_equal(pool_open(&pool, 20 * (BLOCK + 4) + POOL_SLACK_BYTES, BLOCK), 0);
    assert_ends(piles_init(&piles, 21, 1, &pool, &place), "bigshuf: not enough memory for 21 piles: use a larger -S\n");
}

/* ---- Piles that others have stored ---- */

/* Piles of which nothing is in memory, as append_to_all would have filled them. */
static void store_piles(unsigned count, const uint64_t *bytes)
{
    struct storage *storage = spill_open(&place, count);
    uint8_t data[10000];

    assert_non_null(storage);
    assert_int_equal(pool_open(&pool, (size_t)40 * (BLOCK + 4) + POOL_SLACK_BYTES, BLOCK), 0);
    for (unsigned p = 0; p < count; p++) {
        struct iovec piece = {.iov_base = data, .iov_len = (size_t)bytes[p]};

        known_bytes_put(data, bytes[p], p, 0);
        if (bytes[p] > 0)
            storage_write(storage, p, &piece, 1);
        appended[p] = bytes[p];
    }
    piles_init_stored(&piles, count, &pool, storage);
    for (unsigned p = 0; p < count; p++)
        pile_stored(&piles, p, 100 + p, bytes[p]);
}

IN_SCRATCH(stored_piles_are_there_without_a_block)
{
    static const uint64_t bytes[] = {5000, 0, 10000, 1};

    store_piles(4, bytes);
    assert_int_equal(pool.promised, 0);
    assert_int_equal(piles.records, 406);
    for (unsigned p = 0; p < 4; p++) {
        assert_int_equal(piles.pile[p].records, 100 + p);
        assert_int_equal(piles.pile[p].blocks, 0);
        assert_true(pile_bytes(&piles, p) == bytes[p]);
        assert_delivers(p, true, 999);
    }
    for (unsigned p = 0; p < 4; p++)
        assert_loads(p);
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

/* What spilled piles keep in memory leaves most of it to the others, also where long tails are worth compressing. */
IN_SCRATCH(all_tails_together_are_bounded)
{
    for (int compressed = 0; compressed < 2; compressed++) {
        uint64_t random = 1;
        uint32_t most = 0;

        if (compressed)
            use_frames();
        memset(appended, 0, sizeof appended);
        open_piles(2048, 256, 1);
        for (int i = 0; i < 4500; i++) {
            uint32_t tails = 0;

            append((unsigned)(engine_random(&random) % 256), 5000);
            for (unsigned p = 0; p < 256 && i % 50 == 0; p++)
                tails += piles.pile[p].spilled ? piles.pile[p].blocks : 0;
            most = tails > most ? tails : most;
        }
        assert_true(most > 0 && most < 2048 * 2 / 5);
        piles_release(&piles);
        pool_close(&pool);
    }
}

IN_SCRATCH(compressed_piles_come_back_whole)
{
    use_frames();
    open_piles(400, 6, 2);
    append_to_all((uint64_t)1200 * BLOCK, 9000);
    piles_seal(&piles);
    for (unsigned p = 0; p < 6; p++)
        pile_flush(&piles, p);
    assert_true(disk.written_bytes < (uint64_t)1200 * BLOCK);
    assert_delivers(0, true, 100001);
    assert_delivers(0, true, 5000000);
    assert_delivers(0, false, 70000);
    assert_loads(1);
    pile_clear(&piles, 1);
    appended[1] = 0;
    pile_source_verify(&piles, 2, &bytewise, (uint8_t *)scratch.text, sizeof scratch.text);
    assert_loads(2);
    pile_flush(&piles, 2);
    assert_loads(2);
}
