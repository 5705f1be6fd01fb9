#include <stdint.h>
#include <string.h>

#include "support/unit.h"

#include "job/gauge.h"

static const uint64_t MIB = (uint64_t)1 << 20, GIB = (uint64_t)1 << 30, SECOND = 1000, DAY = 24 * 3600 * 1000;

/* What is drawn on a terminal of so many columns, of which the last stays empty; with 0, what a message says after
 * "bigshuf: ". */
static const char *shown(struct gauge gauge, unsigned columns)
{
    static char text[GAUGE_TEXT_BYTES + 1];
    size_t bytes = columns > 0 ? gauge_draw(&gauge, columns - 1, text) : gauge_say(&gauge, text);

    if (columns > 0) {
        assert_in_range(bytes, 0, columns - 1);
        text[bytes] = '\0';
        return text;
    }
    assert_int_equal(text[--bytes], '\n');
    text[bytes] = '\0';
    return text + strlen("bigshuf: ");
}

struct row {
    struct gauge gauge;
    unsigned columns;
    const char *text;
};

#define SHOWS(...)                                                                                                     \
    do {                                                                                                               \
        const struct row rows[] = {__VA_ARGS__};                                                                       \
                                                                                                                       \
        for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)                                                        \
            assert_string_equal(shown(rows[i].gauge, rows[i].columns), rows[i].text);                                  \
    } while (0)

/* A quarter of all has been done in a minute, the half of pass 1. */
#define READING                                                                                                        \
    .pass = 1, .read_bytes = 2 * GIB, .to_write = 4 * GIB, .read_time = 60 * SECOND, .records = 12345678,              \
    .spilled_bytes = 300 * MIB
#define WRITING .pass = 2, .read_bytes = 4 * GIB, .to_read = 4 * GIB, .to_write = 4 * GIB, .read_time = 120 * SECOND

UNIT_TEST(as_much_is_drawn_as_fits)
{
    const struct gauge gauge = {READING, .to_read = 4 * GIB}, pipe = {READING, .to_read = GAUGE_UNKNOWN};

    SHOWS({gauge, 0, "pass 1, 25%, 3:00 left, 2.0 GiB, 34.1 MiB/s, 12.3 M records, 300 MiB spilled"},
          {gauge, 120,
           "pass 1 [##########------------------------------]  25%  3:00 left  2.0 GiB  34.1 MiB/s  12.3 M records  "
           "300 MiB spilled"},
          {gauge, 80, "pass 1 [####-------------]  25%  3:00 left  2.0 GiB  34.1 MiB/s  12.3 M records"},
          {gauge, 40, "pass 1 [###-----------]  25%  3:00 left"}, {gauge, 36, "pass 1 [##--------]  25%  3:00 left"},
          {gauge, 35, "pass 1  25%  3:00 left  2.0 GiB"}, {gauge, 12, "pass 1  25%"}, {gauge, 11, "pass 1"},
          {gauge, 6, ""}, {gauge, 1, ""}, {pipe, 80, "pass 1  2.0 GiB  34.1 MiB/s  12.3 M records  300 MiB spilled"});
    for (unsigned columns = 1; columns < 400; columns++)
        shown(gauge, columns);
}

UNIT_TEST(before_anything_has_come_nothing_is_foretold)
{
    SHOWS({{.pass = 1, .to_read = GAUGE_UNKNOWN, .to_write = GAUGE_UNKNOWN}, 0, "pass 1, 0 bytes, 0 bytes/s"},
          {{.pass = 1, .to_read = GIB, .to_write = GIB, .read_time = SECOND}, 0, "pass 1, 0%, 0 bytes, 0 bytes/s"},
          {{.pass = 2, .to_write = GIB, .write_time = SECOND}, 0, "pass 2, 0%, 0 bytes, 0 bytes/s"});
}

/* At the beginning of pass 2, the pace of pass 1 is all that is known; at its end it counts hardly any more. */
UNIT_TEST(pass_2_finds_its_own_pace)
{
    SHOWS({{WRITING, .write_time = 0}, 18, "pass 2  50%"}, {{WRITING}, 24, "pass 2  50%  2:00 left"},
          {{WRITING, .write_time = 10 * SECOND}, 24, "pass 2  50%  4:40 left"}, /* the first pile is being loaded */
          {{WRITING, .written_bytes = GIB, .write_time = 30 * SECOND}, 24, "pass 2  62%  1:30 left"},
          {{WRITING, .written_bytes = 2 * GIB, .write_time = 120 * SECOND}, 24, "pass 2  75%  1:53 left"},
          {{WRITING, .written_bytes = 4 * GIB - 64 * MIB, .write_time = 236 * SECOND}, 24, "pass 2  99%  0:04 left"});
}

UNIT_TEST(one_pass_alone_is_the_whole)
{
    SHOWS({{.pass = 1, .read_bytes = GIB, .to_read = 4 * GIB, .read_time = 10 * SECOND}, 24, "pass 1  25%  0:30 left"},
          {{.pass = 2, .written_bytes = GIB, .to_write = 4 * GIB, .write_time = 10 * SECOND},
           0,
           "pass 2, 25%, 0:30 left, 1.0 GiB, 102 MiB/s"});
}

UNIT_TEST(times_are_as_clocks_have_them)
{
#define HALF(time) {.pass = 1, .read_bytes = 1, .to_read = 2, .read_time = (time)}
    SHOWS({HALF(499), 24, "pass 1  50%  0:00 left"}, {HALF(500), 24, "pass 1  50%  0:01 left"},
          {HALF(59499), 24, "pass 1  50%  0:59 left"}, {HALF(59500), 24, "pass 1  50%  1:00 left"},
          {HALF(3599000), 25, "pass 1  50%  59:59 left"}, {HALF(3600000), 27, "pass 1  50%  1:00:00 left"},
          {HALF(DAY - 1000), 28, "pass 1  50%  23:59:59 left"}, {HALF(DAY), 30, "pass 1  50%  1d 0:00:00 left"},
          {HALF(777 * DAY + 3661000), 32, "pass 1  50%  777d 1:01:01 left"},
          {HALF(1000 * DAY), 24, "pass 1  50%  1 bytes"}); /* nobody can tell */
}

UNIT_TEST(it_says_that_all_is_done_only_when_it_is)
{
    SHOWS({{.pass = 2, .read_bytes = 9, .to_read = 5, .written_bytes = 9, .to_write = 5}, 24, "pass 2  99%  0:00 left"},
          {{.pass = 2, .to_write = 9, .written_bytes = 9, .done = true}, 0, "done, 9 bytes, 0 bytes/s"});
}

UNIT_TEST(amounts_have_about_three_digits)
{
#define CAME(bytes, number) {.pass = 1, .read_bytes = (bytes), .to_read = GAUGE_UNKNOWN, .records = (number)}
    SHOWS({CAME(1023, 999), 0, "pass 1, 1023 bytes, 0 bytes/s, 999 records"},
          {CAME(1024, 1000), 0, "pass 1, 1.0 KiB, 0 bytes/s, 1.0 k records"},
          {CAME(102348, 99949), 0, "pass 1, 99.9 KiB, 0 bytes/s, 99.9 k records"},
          {CAME(102400, 99950), 0, "pass 1, 100 KiB, 0 bytes/s, 100 k records"},
          {CAME(1023 * 1024, 999499), 0, "pass 1, 1023 KiB, 0 bytes/s, 999 k records"},
          {CAME(1024 * 1024 - 1, 999500), 0, "pass 1, 1.0 MiB, 0 bytes/s, 1.0 M records"},
          {CAME(UINT64_MAX, UINT64_MAX), 0, "pass 1, 16.0 EiB, 0 bytes/s, 18446744 T records"});
}
