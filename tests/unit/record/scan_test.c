#include "support/unit.h"

#include "record/scan.h"

#include <fcntl.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

enum { BYTES_MAX = 1000, MARGIN = 70, UNTOUCHED = 0x5eed5eed };

/* The first way from `way` on that this processor has, or the end of the list. */
static const struct scan_way *usable(const struct scan_way *way)
{
    while (way->name != NULL && !way->supported())
        way++;
    return way;
}

static uint64_t noise(uint64_t *x)
{
    *x ^= *x << 13;
    *x ^= *x >> 7;
    *x ^= *x << 17;
    return *x;
}

/* Bytes of which about one in `every` is `byte`; the others are close to it in one way or another. */
static void fill(uint8_t *data, size_t bytes, uint8_t byte, uint64_t every, uint64_t *x)
{
    for (size_t i = 0; i < bytes; i++) {
        uint8_t other = (uint8_t)(byte ^ 1u << noise(x) % 8);
        data[i] = noise(x) % every == 0 ? byte : other;
    }
}

/* The contract as a loop over the bytes. */
static size_t scan_naively(const uint8_t *data, size_t bytes, uint8_t byte, uint32_t *ends, size_t room,
                           size_t *scanned)
{
    size_t found = 0;
    *scanned = 0;
    while (*scanned < bytes && found < room) {
        if (data[(*scanned)++] == byte)
            ends[found++] = (uint32_t)*scanned;
    }
    return found;
}

/* Hold one way against the loop, and see that it writes only where it may. */
static void check(const struct scan_way *way, const uint8_t *data, size_t bytes, uint8_t byte, size_t room)
{
    uint32_t expected[BYTES_MAX], buffer[MARGIN + BYTES_MAX + MARGIN];
    size_t expected_scanned, scanned = SIZE_MAX;
    assert_true(room <= BYTES_MAX);
    size_t expected_found = scan_naively(data, bytes, byte, expected, room, &expected_scanned);

    for (size_t i = 0; i < MARGIN + room + MARGIN; i++)
        buffer[i] = UNTOUCHED;
    size_t found = way->byte(data, bytes, byte, buffer + MARGIN, room, &scanned);
    assert_int_equal(found, expected_found);
    assert_int_equal(scanned, expected_scanned);
    if (found > 0)
        assert_memory_equal(buffer + MARGIN, expected, found * sizeof *expected);
    for (size_t i = 0; i < MARGIN; i++) {
        assert_int_equal(buffer[i], UNTOUCHED);
        assert_int_equal(buffer[MARGIN + room + i], UNTOUCHED);
    }
}

static const uint64_t densities[] = {1, 2, 9, 64, 350, UINT64_MAX};
enum { DENSITIES = sizeof densities / sizeof *densities };

UNIT_TEST(every_way_finds_every_place_in_data_of_every_length)
{
    uint8_t data[301];
    uint64_t x = 1;
    for (size_t d = 0; d < DENSITIES; d++) {
        for (size_t bytes = 0; bytes < sizeof data; bytes++) {
            fill(data, bytes, '\n', densities[d], &x);
            for (const struct scan_way *way = usable(scan_ways); way->name != NULL; way = usable(way + 1))
                check(way, data, bytes, '\n', bytes);
        }
    }
}

UNIT_TEST(every_way_finds_every_place_when_there_is_room_to_spare)
{
    uint8_t data[BYTES_MAX - 64];
    uint64_t x = 2;
    for (size_t d = 0; d < DENSITIES; d++) {
        fill(data, sizeof data, '\n', densities[d], &x);
        for (const struct scan_way *way = usable(scan_ways); way->name != NULL; way = usable(way + 1))
            check(way, data, sizeof data, '\n', BYTES_MAX);
    }
}

UNIT_TEST(every_way_stops_right_after_the_last_place_there_is_room_for)
{
    uint8_t data[400];
    uint64_t x = 3;
    for (size_t d = 0; d < DENSITIES; d++) {
        fill(data, sizeof data, '\n', densities[d], &x);
        for (size_t room = 0; room <= sizeof data; room++) {
            for (const struct scan_way *way = usable(scan_ways); way->name != NULL; way = usable(way + 1))
                check(way, data, sizeof data, '\n', room);
        }
    }
}

UNIT_TEST(a_search_that_ran_out_of_room_can_go_on)
{
    uint8_t data[BYTES_MAX];
    uint32_t expected[BYTES_MAX], ends[100];
    uint64_t x = 4;
    fill(data, sizeof data, '\n', 3, &x);
    size_t all;
    size_t count = scan_naively(data, sizeof data, '\n', expected, BYTES_MAX, &all);
    for (const struct scan_way *way = usable(scan_ways); way->name != NULL; way = usable(way + 1)) {
        for (size_t room = 1; room <= sizeof ends / sizeof *ends; room += 9) {
            size_t at = 0, found = 0, scanned;
            while (at < sizeof data) {
                size_t more = way->byte(data + at, sizeof data - at, '\n', ends, room, &scanned);
                for (size_t i = 0; i < more; i++)
                    assert_int_equal(at + ends[i], expected[found + i]);
                found += more;
                at += scanned;
            }
            assert_int_equal(found, count);
        }
    }
}

UNIT_TEST(every_byte_can_be_sought_and_none_is_taken_for_another)
{
    uint8_t data[300];
    uint64_t x = 5;
    for (unsigned byte = 0; byte <= 0xff; byte++) {
        fill(data, sizeof data, (uint8_t)byte, 4, &x);
        for (const struct scan_way *way = usable(scan_ways); way->name != NULL; way = usable(way + 1))
            check(way, data, sizeof data, (uint8_t)byte, sizeof data);
    }
    for (size_t i = 0; i < sizeof data; i++)
        data[i] = (uint8_t)noise(&x);
    for (unsigned byte = 0; byte <= 0xff; byte++) {
        for (const struct scan_way *way = usable(scan_ways); way->name != NULL; way = usable(way + 1))
            check(way, data, sizeof data, (uint8_t)byte, sizeof data);
    }
}

UNIT_TEST(data_may_begin_at_any_address)
{
    uint8_t data[64 + 300];
    uint64_t x = 6;
    fill(data, sizeof data, '\n', 5, &x);
    for (size_t shift = 0; shift < 64; shift++) {
        for (const struct scan_way *way = usable(scan_ways); way->name != NULL; way = usable(way + 1))
            check(way, data + shift, 300, '\n', 300);
    }
}

UNIT_TEST(no_byte_outside_the_data_is_read)
{
    size_t page = (size_t)sysconf(_SC_PAGESIZE);
    int zero = open("/dev/zero", O_RDWR);
    assert_true(zero != -1);
    /* One page between two that nobody may touch. */
    uint8_t *pages = mmap(NULL, 3 * page, PROT_NONE, MAP_PRIVATE, zero, 0);
    close(zero);
    assert_true(pages != MAP_FAILED);
    uint8_t *data = pages + page;
    assert_int_equal(mprotect(data, page, PROT_READ | PROT_WRITE), 0);
    uint64_t x = 7;
    fill(data, page, '\n', 9, &x);
    for (size_t bytes = 0; bytes <= 300; bytes++) {
        for (const struct scan_way *way = usable(scan_ways); way->name != NULL; way = usable(way + 1)) {
            check(way, data, bytes, '\n', bytes);
            check(way, data + page - bytes, bytes, '\n', bytes);
        }
    }
    munmap(pages, 3 * page);
}

UNIT_TEST(no_byte_outside_an_allocation_is_read)
{
    uint64_t x = 8;
    for (size_t bytes = 1; bytes <= 200; bytes++) {
        uint8_t *data = malloc(bytes);
        assert_non_null(data);
        fill(data, bytes, 0, 9, &x);
        for (const struct scan_way *way = usable(scan_ways); way->name != NULL; way = usable(way + 1))
            check(way, data, bytes, 0, bytes);
        free(data);
    }
}

UNIT_TEST(no_data_may_be_null)
{
    for (const struct scan_way *way = usable(scan_ways); way->name != NULL; way = usable(way + 1)) {
        size_t scanned = 1;
        assert_int_equal(way->byte(NULL, 0, '\n', NULL, 0, &scanned), 0);
        assert_int_equal(scanned, 0);
    }
}

UNIT_TEST(plain_c_is_listed_last_and_supported)
{
    const struct scan_way *last = scan_ways;
    while (last[1].name != NULL)
        last++;
    assert_string_equal(last->name, "plain");
    assert_true(last->supported());
}

UNIT_TEST(scan_byte_keeps_the_same_promise)
{
    const struct scan_way best = {.name = "best", .byte = scan_byte};
    uint8_t data[500];
    uint64_t x = 9;
    fill(data, sizeof data, '\n', 9, &x);
    for (size_t room = 0; room <= sizeof data; room += 10)
        check(&best, data, sizeof data, '\n', room);
}

/* ---- What else can be sought ---- */

/* Bytes of which many are `a` or `b`, in memory that ends with them. */
static uint8_t *some_data(size_t bytes, uint8_t a, uint8_t b, uint64_t *x)
{
    uint64_t every = 1 + noise(x) % 60;
    uint8_t *data = malloc(bytes + 1);
    assert_non_null(data);
    for (size_t i = 0; i <= bytes; i++) {
        uint64_t which = noise(x) % (every + 2);
        data[i] = which == 0 ? a : which == 1 ? b : 'x';
    }
    return data;
}

/* See that the ends found are those expected, as far as there is room. */
static void check_found(const uint32_t *expected, size_t expected_found, size_t bytes, const uint32_t *ends,
                        size_t found, size_t room, size_t scanned)
{
    assert_int_equal(found, expected_found < room ? expected_found : room);
    if (found > 0)
        assert_memory_equal(ends, expected, found * sizeof *ends);
    assert_int_equal(scanned, found < room ? bytes : room == 0 ? 0 : ends[found - 1]);
}

static size_t some_room(uint64_t *x)
{
    return noise(x) % 2 == 0 ? BYTES_MAX : (size_t)(noise(x) % 100);
}

UNIT_TEST(every_way_finds_a_byte_that_follows_another_at_a_distance)
{
    uint64_t x = 10;
    for (int round = 0; round < 2000; round++) {
        struct scan_pair pair = {'a', noise(&x) % 4 == 0 ? 'a' : 'b', 1 + (size_t)(noise(&x) % 254)};
        size_t bytes = (size_t)(noise(&x) % (BYTES_MAX - 256)), room = some_room(&x), expected_found = 0, scanned;
        uint8_t *data = some_data(pair.distance + bytes, 'a', 'b', &x) + 1;
        uint32_t expected[BYTES_MAX], ends[BYTES_MAX];
        for (size_t i = 0; i < bytes; i++) {
            if (data[i] == pair.first && data[pair.distance + i] == pair.last)
                expected[expected_found++] = (uint32_t)i + 1;
        }
        for (const struct scan_way *way = usable(scan_ways); way->name != NULL; way = usable(way + 1)) {
            size_t found = way->pair(data + pair.distance, bytes, pair, ends, room, &scanned);
            check_found(expected, expected_found, bytes, ends, found, room, scanned);
        }
        free(data - 1);
    }
}

UNIT_TEST(every_way_passes_over_what_is_quoted)
{
    uint64_t x = 11;
    for (int round = 0; round < 2000; round++) {
        size_t bytes = (size_t)(noise(&x) % (2 * BYTES_MAX)), room = some_room(&x), expected_found = 0, scanned;
        uint8_t *data = some_data(bytes, '\n', '"', &x) + 1;
        uint32_t expected[2 * BYTES_MAX], ends[BYTES_MAX];
        bool quoted_at[2 * BYTES_MAX + 1] = {noise(&x) % 2 == 0};
        for (size_t i = 0; i < bytes; i++) {
            quoted_at[i + 1] = quoted_at[i] != (data[i] == '"');
            if (data[i] == '\n' && !quoted_at[i])
                expected[expected_found++] = (uint32_t)i + 1;
        }
        for (const struct scan_way *way = usable(scan_ways); way->name != NULL; way = usable(way + 1)) {
            bool quoted = quoted_at[0];
            size_t found = way->unquoted(data, bytes, '\n', &quoted, ends, room, &scanned);
            check_found(expected, expected_found, bytes, ends, found, room, scanned);
            assert_int_equal(quoted, quoted_at[scanned]);
        }
        free(data - 1);
    }
}

static bool is_of_field(uint8_t byte, uint8_t separator)
{
    return byte != separator &&
           ((byte >= '0' && byte <= '9') || (byte >= 'A' && byte <= 'Z') || (byte >= 'a' && byte <= 'z') || byte > 127);
}

/* Of the quote data[at], which opens or closes, in data that begins at data[-before]. */
static bool is_stray(const uint8_t *data, ptrdiff_t before, ptrdiff_t at, bool opens, uint8_t separator)
{
    ptrdiff_t from = at - 1;
    if (!opens)
        return is_of_field(data[at + 1], separator);
    while (from > -before && data[from] == ' ' && separator != ' ')
        from--;
    return is_of_field(data[from], separator) || (from < at - 1 && data[from] == '"');
}

/* In any two parts, of which the first one gives what stands before the second. */
UNIT_TEST(every_way_finds_the_first_quote_that_neither_begins_nor_ends_a_field)
{
    static const uint8_t bytes_of[] = "\"\",,,,\n\r; |\t/:@[`{\x7f\\  0a9zAZ\x80\xff";
    static const uint8_t separators[] = ", ;x";
    uint64_t x = 13;
    for (int round = 0; round < 5000; round++) {
        size_t bytes = 1 + (size_t)(noise(&x) % BYTES_MAX), expected = 0, part = (size_t)(noise(&x) % bytes), solid;
        size_t kinds = round % 5 == 0 ? sizeof bytes_of - 1 : sizeof bytes_of - 9;
        uint8_t separator = separators[noise(&x) % (sizeof separators - 1)];
        bool quoted = false, quoted_at_part = false;
        uint8_t *data = some_data(bytes, '"', ',', &x) + 1;
        for (size_t i = 0; i < bytes; i++) /* what stands beside a quote is mostly nothing of a field */
            if (data[i] == 'x')
                data[i] = bytes_of[2 + noise(&x) % (kinds - 2)];
        data[-1] = '\n';
        data[bytes - 1] = '\n';
        for (size_t i = 0; i < part; i++)
            quoted_at_part ^= data[i] == '"';
        for (solid = part; solid > 0 && data[solid - 1] == ' ';)
            solid--;
        quoted = quoted_at_part;
        for (expected = part; expected < bytes; expected++) {
            quoted ^= data[expected] == '"';
            if (data[expected] == '"' && is_stray(data, 1, (ptrdiff_t)expected, quoted, separator))
                break;
        }
        if (part > 0 && data[part - 1] == '"' && !quoted_at_part && is_of_field(data[part], separator))
            expected = part;
        for (const struct scan_way *way = usable(scan_ways); way->name != NULL; way = usable(way + 1)) {
            const struct scan_quotes before = {separator, quoted_at_part, data[(ptrdiff_t)part - 1],
                                               data[(ptrdiff_t)solid - 1]};
            assert_int_equal(part + way->stray(data + part, bytes - part, before), expected);
        }
        free(data - 1);
    }
}

UNIT_TEST(every_way_counts_alike)
{
    uint64_t x = 12;
    for (int round = 0; round < 1000; round++) {
        size_t bytes = (size_t)(noise(&x) % BYTES_MAX), expected = 0;
        uint8_t *data = some_data(bytes, '\n', '"', &x) + 1;
        for (size_t i = 0; i < bytes; i++)
            expected += data[i] == '"';
        for (const struct scan_way *way = usable(scan_ways); way->name != NULL; way = usable(way + 1))
            assert_int_equal(way->count(data, bytes, '"'), expected);
        free(data - 1);
    }
}

UNIT_TEST(every_way_finds_the_same_place_past_so_many)
{
    uint64_t x = 13;
    for (int round = 0; round < 1000; round++) {
        size_t bytes = (size_t)(noise(&x) % BYTES_MAX), found = 0;
        uint8_t *data = some_data(bytes, '\n', '"', &x) + 1;
        for (size_t i = 0; i <= bytes; i++) {
            found += i == bytes || data[i] == '\n';
            if (i < bytes && data[i] != '\n')
                continue;
            for (const struct scan_way *way = usable(scan_ways); way->name != NULL; way = usable(way + 1))
                assert_int_equal(way->past(data, bytes, '\n', found), i < bytes ? i + 1 : bytes);
        }
        free(data - 1);
    }
}

UNIT_TEST(the_best_way_is_taken_for_each)
{
    static const uint8_t data[] = "\n\"\n\"\n\n";
    uint32_t ends[8];
    size_t scanned;
    bool quoted = false;
    assert_int_equal(scan_unquoted(data, 6, '\n', &quoted, ends, 8, &scanned), 3);
    assert_int_equal(ends[1], 5);
    assert_int_equal(scan_pair(data + 1, 5, (struct scan_pair){'\n', '\n', 1}, ends, 8, &scanned), 1);
    assert_int_equal(ends[0], 5);
    assert_int_equal(scan_count(data, 6, '\n'), 4);
    assert_int_equal(scan_past(data, 6, '\n', 2), 3);
    assert_int_equal(scan_stray(data + 1, 1, (struct scan_quotes){',', false, 'a', 'a'}), 0);
}
