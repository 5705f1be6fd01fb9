#include "support/faulty_sys.h"
#include "support/small_run.h"
#include "support/unit.h"

#include "shuffle/gather.h"

/* ---- Piles that are filled by hand ---- */

static struct piles piles;

/* Pile p is to hold the text's records that pile_of[i] = p names; all of them are in it if pile_of is NULL. */
static void fill(const struct engine_text *text, unsigned count, const uint16_t *pile_of)
{
    piles_init(&piles, count, 1, &small.run.engine.pool, &small.place);
    for (size_t i = 0; i < text->records; i++) {
        unsigned p = pile_of == NULL ? 0 : pile_of[i];

        pile_append(&piles, p, text->data + text->start[i], text->start[i + 1] - text->start[i]);
        piles.pile[p].records++;
    }
    piles_seal(&piles);
}

static void gather_from(struct gather_order order, unsigned *next, const char *output)
{
    struct output *to = small_output(output);

    gather(&small.run, &piles, order, next, to);
    output_commit(to);
    output_free(to);
}

static void assert_all_empty(void)
{
    for (unsigned p = 0; p < piles.count; p++)
        assert_true(pile_bytes(&piles, p) == 0 && piles.pile[p].blocks == 0 && piles.pile[p].records == 0);
    assert_int_equal(small.run.engine.pool.free, small.run.engine.pool.blocks);
}

#define SMALL_RUN(name)   UNIT_TEST_IN(name, small_setup, small_teardown)
#define QUARTER_RUN(name) UNIT_TEST_IN(name, small_quarter_setup, small_teardown)

/* Short records in a pile that is larger than a leaf, in memory and spilled: it is divided, and so that its children
 * are leaves, or are not. */
SMALL_RUN(a_large_pile_of_short_records_is_divided)
{
    static const uint64_t leaf[] = {40000, 64};
    struct engine_text text = engine_text_make(140000, small_length_to_20, '\n');

    for (unsigned i = 0; i < 4; i++) {
        struct gather_order order = {.kind = GATHER_NODE, .order = &small.run.order, .node = {.number = 7}};
        uint32_t *number;
        unsigned next = 0;

        small_open(1 + 2 * (i % 2), leaf[i / 2]);
        number = engine_order(&small.run.order, order.node, text.records);
        fill(&text, 1, NULL);
        if (i % 2 == 1)
            pile_flush(&piles, 0);
        gather_from(order, &next, "out");
        assert_int_equal(next, 1);
        small_assert_file("out", &text, number, text.records);
        assert_all_empty();
        assert_int_equal(small.run.engine.pool.promised, 0);
        piles_release(&piles);
        small_close();
        free(number);
    }
    engine_text_free(&text);
}

static struct gather_order children_of(uint64_t number)
{
    return (struct gather_order){.kind = GATHER_CHILDREN, .order = &small.run.order, .node = {.number = number}};
}

/* The records of a node but for the first `skip` ones, or the first `limit` of those. Nothing is left of the others. */
static void assert_gathers_some(struct engine_text text, unsigned workers, uint64_t leaf_records, uint64_t skip,
                                uint64_t limit)
{
    size_t wanted = limit < text.records - skip ? (size_t)limit : text.records - (size_t)skip;
    uint16_t *pile_of = malloc((text.records + 1) * sizeof *pile_of);
    uint32_t *number;
    unsigned next = 0;
    unsigned bits;

    small_open(workers, leaf_records);
    bits = order_scatter_bits(&small.run.order, (struct order_node){.number = 9}, text.records);
    assert_true(bits > 0);
    order_scatter(&small.run.order, (struct order_node){.number = 9}, bits, 0, text.records, pile_of);
    number = engine_order(&small.run.order, (struct order_node){.number = 9}, text.records);
    fill(&text, 1u << bits, pile_of);
    small_limit(limit);
    small.progress.skip = skip;
    gather_from(children_of(9), &next, "out");
    assert_int_equal(next, 1u << bits);
    small_assert_file("out", &text, number + skip, wanted);
    assert_int_equal(run_left(&small.run), limit == UINT64_MAX ? limit : limit - wanted);
    assert_int_equal(small.progress.skip, 0);
    assert_all_empty();
    piles_release(&piles);
    small_close();
    free(number);
    free(pile_of);
}

static void assert_gathers_first(struct engine_text text, unsigned workers, uint64_t leaf_records, uint64_t limit)
{
    assert_gathers_some(text, workers, leaf_records, 0, limit);
}

static void assert_gathers_children(struct engine_text text, unsigned workers, uint64_t leaf_records)
{
    assert_gathers_first(text, workers, leaf_records, UINT64_MAX);
}

SMALL_RUN(piles_can_be_the_children_of_a_node)
{
    struct engine_text text = engine_text_make(20000, small_length_to_300, '\n');

    for (unsigned workers = 1; workers <= 8; workers++)
        assert_gathers_children(text, workers, workers % 2 == 0 ? 8 : 1000);
    assert_int_equal(disk.writes, 0);
    engine_text_free(&text);
}

/* One pile of so many records, in memory or spilled, while the system has so much memory for files. */
static unsigned times_told(size_t records, bool spilled, uint64_t free_memory)
{
    const struct order_node root = {.root = true};
    const struct gather_order order = {.kind = GATHER_NODE, .order = &small.run.order, .node = root};
    struct engine_text text = engine_text_make(records, small_length_to_20, '\n');
    unsigned next = 0;

    small_open(2, ORDER_LEAF_RECORDS);
    small.run.engine.free_memory = free_memory;
    fill(&text, 1, NULL);
    if (spilled)
        pile_flush(&piles, 0);
    faulty.write_backs = 0;
    gather_from(order, &next, "out");
    piles_release(&piles);
    small_close();
    engine_text_free(&text);
    return faulty.write_backs;
}

SMALL_RUN(what_memory_cannot_hold_goes_to_disk_in_time)
{
    assert_true(times_told(1000, true, 1) > 0);
    assert_int_equal(times_told(1000, true, 1 << 20), 0);
    assert_int_equal(times_told(1000, false, 1), 0);
}

/* All is in memory, with nothing left for indexes: piles must be spilled to make room. */
QUARTER_RUN(room_for_indexes_is_made_by_spilling)
{
    struct engine_text text = engine_text_make(172500, small_length_to_20, '\n');

    assert_gathers_children(text, 4, ORDER_LEAF_RECORDS / 4);
    assert_true(atomic_load(&small.place.piles) > 0);
    engine_text_free(&text);
}

/* ---- A limit to what is written ---- */

/* The last piles are on disk, from where nothing can be read. */
QUARTER_RUN(piles_that_are_not_wanted_are_not_read)
{
    struct engine_text text = engine_text_make(15000, small_length_to_300, '\n');

    disk.cut = true;
    assert_gathers_first(text, 1, 1000, 1000);
    assert_gathers_first(text, 3, 1000, 1000);
    assert_gathers_some(text, 3, 1000, 500, 1000);
    assert_true(disk.writes > 0);
    engine_text_free(&text);
}

/* ---- Piles that do not fit, and failures ---- */

static size_t length_third_is_large(size_t i, uint64_t random)
{
    return i == 3 ? (size_t)8 << 20 : random % 5000;
}

SMALL_RUN(pinned_blocks_count_as_taken)
{
    struct engine_text text = engine_text_make(1, length_third_is_large, '\n');
    unsigned next = 0;

    small_open(1, 8);
    fill(&text, 1, NULL);
    pool_pin(&small.run.engine.pool, small.run.engine.pool.blocks);
    gather_from(children_of(1), &next, "out");
    assert_int_equal(next, 0);
    pool_unpin(&small.run.engine.pool, small.run.engine.pool.blocks);
    gather_from(children_of(1), &next, "out");
    assert_int_equal(next, 1);
    piles_release(&piles);
    small_close();
    engine_text_free(&text);
}

/* ---- Reading ahead ---- */

enum { STORED = 4, STORED_BYTES = 300000 };

/* Storage that counts how many of its piles have begun to be read, and leaves the rest to another one. */
static struct {
    struct storage storage;
    struct storage *other;
    const struct storage_kind *kind; /* of the other */
    atomic_uint begun;
} ahead;

static void count_begin(struct storage_reader *reader)
{
    atomic_fetch_add(&ahead.begun, 1);
    reader->storage = ahead.other;
    ahead.kind->begin(reader);
}

/* A reader of a FIFO who does not take the first byte before the second and third pile are being read. */
static void *wait_and_read(void *context)
{
    int fd = open("out", O_RDONLY);
    char data[4096];

    while (atomic_load(&ahead.begun) < 3)
        usleep(1000);
    while (read(fd, data, sizeof data) > 0)
        continue;
    close(fd);
    return context;
}

/* If they were not, this would never end. */
SMALL_RUN(the_next_piles_are_read_while_the_output_waits)
{
    static const struct storage_kind kind = {.begin = count_begin};
    struct random_key keys[STORED] = {{{0}}};
    struct gather_order order = {.kind = GATHER_TREES, .order = &small.run.order, .keys = keys};
    char *data = malloc(STORED_BYTES);
    pthread_t reader;
    unsigned next = 0;

    small_open(3, ORDER_LEAF_RECORDS);
    memset(data, 'x', STORED_BYTES);
    for (size_t i = 99; i < STORED_BYTES; i += 100)
        data[i] = '\n';
    ahead.storage.kind = &kind;
    ahead.other = spill_open(&small.place, STORED);
    ahead.kind = ahead.other->kind;
    atomic_store(&ahead.begun, 0);
    piles_init_stored(&piles, STORED, &small.run.engine.pool, &ahead.storage);
    for (unsigned p = 0; p < STORED; p++) {
        struct iovec piece = {.iov_base = data, .iov_len = STORED_BYTES};

        storage_write(ahead.other, p, &piece, 1);
        pile_stored(&piles, p, STORED_BYTES / 100, STORED_BYTES);
    }
    assert_int_equal(mkfifo("out", 0600), 0);
    assert_int_equal(pthread_create(&reader, NULL, wait_and_read, NULL), 0);
    gather_from(order, &next, "out");
    assert_int_equal(pthread_join(reader, NULL), 0);
    piles_release(&piles);
    storage_free(ahead.other);
    small_close();
    free(data);
}
