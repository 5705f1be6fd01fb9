/* Every way to scan that this processor has finds what a loop over the bytes finds, and touches nothing else. */

/* tags: bytes */

#include "support/unit.h"

#include "record/scan.h"

#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

enum { BYTES_MAX = 1400, ROUNDS = 6000, MARGIN = 70, UNTOUCHED = 0x5eed5eed };

/* Memory of which nothing outside [0, BYTES_MAX) may be touched, if that begins or ends with a page. */
static uint8_t *guarded(void)
{
    static uint8_t *pages;
    const size_t page = (size_t)sysconf(_SC_PAGESIZE);

    if (pages == NULL) {
        pages = mmap(NULL, 3 * page, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
        assert_true(pages != MAP_FAILED);
        assert_int_equal(mprotect(pages + page, page, PROT_READ | PROT_WRITE), 0);
    }
    return pages + page;
}

/* Some place for so many bytes in it: at the beginning or at the end, but for a few bytes. */
static uint8_t *place_for(size_t bytes)
{
    const size_t page = (size_t)sysconf(_SC_PAGESIZE), shift = below(2) * below(64);

    return guarded() + (below(2) == 0 ? shift : page - bytes - shift);
}

/* Where many of the bytes are `a` or `b`, in one of many densities, and others differ from `a` in one bit. */
static void fill(uint8_t *data, size_t bytes, uint8_t a, uint8_t b)
{
    static const size_t densities[] = {1, 2, 9, 64, 350, SIZE_MAX};
    const size_t every = densities[below(6)];

    for (size_t i = 0; i < bytes; i++)
        data[i] = below(every) == 0 ? a : below(every) == 1 ? b : (uint8_t)(a ^ 1u << below(8));
}

/* What is asked; and what a loop over the bytes finds. */
struct question {
    struct scan_search search;
    const uint8_t *data;
    size_t bytes, room;
    uint32_t ends[BYTES_MAX];
    size_t found, scanned;
};

/* Is this place wanted, as far as what comes before it tells? */
static bool is_after(const struct scan_search *search, const uint8_t *at)
{
    if (search->sought == SCAN_PAIR)
        return *(at - search->distance) == search->first;
    return search->sought == SCAN_BYTE || *(at - search->distance - 1) == search->byte ||
           (at[-1] == '\r' && *(at - search->distance - 2) == search->byte);
}

static void answer_by_loop(struct question *q)
{
    const struct scan_search *search = &q->search;

    q->found = 0;
    for (q->scanned = 0; q->scanned < q->bytes && q->found < q->room; q->scanned++) {
        const uint8_t *at = q->data + q->scanned;

        if (*at == search->byte && is_after(search, at))
            q->ends[q->found++] = (uint32_t)q->scanned + 1;
    }
}

static void check(const struct question *q, scan_find_function *find)
{
    uint32_t buffer[MARGIN + BYTES_MAX + MARGIN], *const ends = buffer + MARGIN;
    struct scan_search search = q->search;
    size_t scanned = SIZE_MAX;

    for (size_t i = 0; i < MARGIN + q->room + MARGIN; i++)
        buffer[i] = UNTOUCHED;
    assert_int_equal(find(&search, q->data, q->bytes, ends, q->room, &scanned), q->found);
    assert_int_equal(scanned, q->scanned);
    assert_memory_equal(ends, q->ends, q->found * sizeof *ends);
    for (size_t i = 0; i < MARGIN; i++) {
        assert_int_equal(buffer[i], UNTOUCHED);
        assert_int_equal(ends[q->room + i], UNTOUCHED);
    }
}

UNIT_TEST(every_way_finds_every_place_as_far_as_there_is_room)
{
    static struct question q;

    for (int round = 0; round < ROUNDS; round++) {
        const enum scan_sought sought = (enum scan_sought[]){SCAN_BYTE, SCAN_PAIR, SCAN_LINE}[below(3)];
        const uint8_t byte = (uint8_t)below(256);
        const uint8_t first = (uint8_t)(sought == SCAN_LINE ? '\r' : below(4) == 0 ? byte : below(256));
        const size_t distance = (sought != SCAN_LINE) + below(below(2) == 0 ? 3 : 254), before = distance + 2;
        uint8_t *data;

        q.search = (struct scan_search){.sought = sought, .byte = byte, .first = first, .distance = distance};
        q.bytes = below(round % 2 == 0 ? 200 : BYTES_MAX + 1);
        q.room = below(2) == 0 ? BYTES_MAX : below(below(2) == 0 ? 100 : BYTES_MAX);
        data = place_for(before + q.bytes);
        fill(data, before + q.bytes, byte, first);
        q.data = data + before;
        answer_by_loop(&q);
        FOR_EACH_WAY (scan_way, way, scan_ways)
            check(&q, way->find);
        check(&q, scan_find);
    }
}

/* What a loop over windows of CSV finds, up to one that is not for the scan. */
static void answer_by_windows(struct question *q)
{
    const struct quotes_rule *rule = q->search.rule;
    enum quotes_state state = q->search.state;
    bool regular = true;

    q->found = q->scanned = 0;
    q->search.lines = 0;
    for (; regular && q->bytes - q->scanned >= SCAN_WINDOW;) {
        enum quotes_state next = state;
        uint64_t lines = 0;
        size_t found = q->found;

        for (size_t i = q->scanned; i < q->scanned + SCAN_WINDOW; i++) {
            const enum quotes_state before = next;

            next = quotes_step(rule, before, q->data[i]);
            regular = regular && next != QUOTES_ESCAPED &&
                      (next != QUOTES_TEXT || (before != QUOTES_CLOSED && q->data[i] != '"'));
            lines += q->data[i] == '\n';
            if (next == QUOTES_RECORD && found < BYTES_MAX)
                q->ends[found++] = (uint32_t)i + 1;
        }
        regular = regular && found < q->room;
        q->scanned += regular ? SCAN_WINDOW : 0;
        q->search.lines += regular ? lines : 0;
        q->found = regular ? found : q->found;
        state = regular ? next : state;
    }
    q->search.state = state;
}

UNIT_TEST(every_way_finds_the_rows_of_csv_up_to_a_quote_that_is_literal)
{
    static const char *const alphabets[] = {"\",\n", "\",,,;\n\r\\\t|abc", ",,;;\n\nabcdefghijklmnopqrst\""};
    static const enum quotes_state states[] = {QUOTES_RECORD, QUOTES_FIELD, QUOTES_TEXT, QUOTES_INSIDE, QUOTES_CLOSED};
    static struct question q;

    for (int round = 0; round < ROUNDS; round++) {
        const struct quotes_rule rule = {below(2) == 0, (uint8_t) ",;"[below(2)], below(2) == 0};
        const char *alphabet = alphabets[below(3)];
        const struct scan_search search = {
            .sought = SCAN_UNQUOTED, .byte = '\n', .rule = &rule, .state = states[below(5)]};
        uint8_t *data;

        q.bytes = below(BYTES_MAX + 1);
        q.room = below(2) == 0 ? BYTES_MAX : below(100);
        data = place_for(q.bytes);
        for (size_t i = 0; i < q.bytes; i++) {
            data[i] = (uint8_t)alphabet[below(strlen(alphabet))];
            if (i > 1 && data[i - 1] == '"' && below(9) > 0) /* what does not make it odd */
                data[i] = (uint8_t) "\",\n"[below(3)];
        }
        q.data = data;
        FOR_EACH_WAY (scan_way, way, scan_ways) {
            struct scan_search after = search;
            uint32_t ends[BYTES_MAX + MARGIN];
            size_t scanned = SIZE_MAX, found;

            q.search = search;
            answer_by_windows(&q);
            found = way->find(&after, data, q.bytes, ends, q.room, &scanned);
            assert_int_equal(found, q.found);
            assert_int_equal(scanned, q.scanned);
            assert_int_equal(after.state, q.search.state);
            assert_int_equal(after.lines, q.search.lines);
            assert_memory_equal(ends, q.ends, found * sizeof *ends);
        }
    }
}

UNIT_TEST(every_way_counts_alike)
{
    for (int round = 0; round < ROUNDS; round++) {
        const size_t bytes = below(BYTES_MAX / 2);
        uint8_t *data = place_for(bytes);
        size_t count = 0;

        fill(data, bytes, '\n', '"');
        for (size_t i = 0; i < bytes; i++)
            count += data[i] == '\n';
        FOR_EACH_WAY (scan_way, way, scan_ways)
            assert_int_equal(way->count(data, bytes, '\n'), count);
        assert_int_equal(scan_count(data, bytes, '\n'), count);
    }
}
