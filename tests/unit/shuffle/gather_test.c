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

/* A pile of `text`, as node 7, which may have other records than are counted. */
static void gather_one(const struct engine_text *text, bool spilled, uint64_t counted)
{
    struct gather_order order = {.node = {.number = 7}, .orders = &small.run.order};
    unsigned next = 0;

    fill(text, 1, NULL);
    piles.pile[0].records = counted;
    if (spilled)
        pile_flush(&piles, 0);
    gather_from(order, &next, "out");
    assert_int_equal(next, 1);
    assert_int_equal(pile_bytes(&piles, 0), 0);
    piles_release(&piles);
}

#define SMALL_RUN(name)   UNIT_TEST_IN(name, small_setup, small_teardown)
#define QUARTER_RUN(name) UNIT_TEST_IN(name, small_quarter_setup, small_teardown)

/* Its short records are divided, and so that its children are leaves, or are not; with no more blocks than promised. */
SMALL_RUN(a_pile_larger_than_a_leaf_is_shuffled_as_defined_and_its_records_are_counted)
{
    static const uint64_t leaf[] = {40000, 64};
    struct engine_text text = engine_text_make(140000, small_length_to_20, '\n');

    for (unsigned i = 0; i < 4; i++) {
        uint32_t *ranks;

        small_open(1 + 2 * (i % 2), leaf[i / 2]);
        ranks = engine_order((struct order_node){.order = &small.run.order, .number = 7}, text.records);
        gather_one(&text, i % 2 == 1, text.records);
        small_assert_file("out", &text, ranks, text.records);
        small_close();
        small_open(1, leaf[i / 2]);
        assert_ends_about(gather_one(&text, false, text.records + (i % 2 == 0 ? 1 : UINT64_MAX)),
                          "does not hold the records that were put there");
        small_close();
        free(ranks);
    }
    engine_text_free(&text);
}

void *real_sys_allocate_apart(size_t count, size_t bytes);

static size_t most_apart; /* things in one array */

void *sys_allocate_apart(size_t count, size_t bytes)
{
    most_apart = count > most_apart ? count : most_apart;
    return real_sys_allocate_apart(count, bytes);
}

/* They are memory beside the limit, for each thread. */
SMALL_RUN(a_thread_has_no_more_children_of_piles_than_are_needed)
{
    struct engine_text text = engine_text_make(140000, small_length_to_20, '\n');

    small_open(1, 40000);
    most_apart = 0;
    gather_one(&text, false, text.records);
    assert_int_equal(most_apart, 8);
    small_close();
    engine_text_free(&text);
}

/* How often the disk is told to begin, when the system has so much memory for files. */
static unsigned times_told(bool spilled, uint64_t free_memory)
{
    struct engine_text text = engine_text_make(1000, small_length_to_20, '\n');

    small_open(2, ORDER_LEAF_RECORDS);
    small.run.engine.free_memory = free_memory;
    faulty.write_backs = 0;
    gather_one(&text, spilled, text.records);
    small_close();
    engine_text_free(&text);
    return faulty.write_backs;
}

SMALL_RUN(what_memory_cannot_hold_goes_to_disk_in_time)
{
    assert_true(times_told(true, 1) > 0);
    assert_int_equal(times_told(true, 1 << 20), 0);
    assert_int_equal(times_told(false, 1), 0);
}

/* ---- A limit to what is written ---- */

/* The records of node 9, in piles of its children, but for the first `skip` ones; `limit` of those. */
static void assert_gathers_some(const struct engine_text *text, unsigned workers, uint64_t skip, size_t limit)
{
    const struct order_node node = {.order = &small.run.order, .number = 9};
    struct gather_order order = {.node = node};
    uint16_t *pile_of = malloc(text->records * sizeof *pile_of);
    uint32_t *number;
    unsigned next = 0;
    unsigned bits;

    small_open(workers, 1000);
    bits = order_scatter_bits(node, text->records);
    order_scatter(node, bits, 0, text->records, pile_of);
    number = engine_order(node, text->records);
    fill(text, 1u << bits, pile_of);
    small.progress.begun = true;
    small.progress.range = (struct run_range){skip, skip + limit};
    gather_from(order, &next, "out");
    assert_int_equal(next, 1u << bits);
    small_assert_file("out", text, number + skip, limit);
    for (unsigned p = 0; p < piles.count; p++)
        assert_true(pile_bytes(&piles, p) == 0 && piles.pile[p].blocks == 0 && piles.pile[p].records == 0);
    piles_release(&piles);
    small_close();
    free(number);
    free(pile_of);
}

/* The last piles are on disk, from where nothing can be read. */
QUARTER_RUN(piles_that_are_not_wanted_are_not_read)
{
    struct engine_text text = engine_text_make(15000, small_length_to_300, '\n');

    disk.cut = true;
    assert_gathers_some(&text, 1, 0, 1000);
    assert_gathers_some(&text, 3, 0, 1000);
    assert_gathers_some(&text, 3, 500, 1000);
    assert_true(disk.writes > 0);
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
    struct order orders[STORED];
    struct gather_order order = {.orders = orders};
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

        orders[p] = small.run.order;
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
