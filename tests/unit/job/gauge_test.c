#include <stdint.h>
#include <string.h>

#include "support/unit.h"

#include "job/gauge.h"

static const uint64_t MIB = (uint64_t)1 << 20, GIB = (uint64_t)1 << 30, SECOND = 1000, HOUR = 3600 * 1000;

static char line[GAUGE_TEXT_BYTES + 1];

/* What is drawn on a terminal of so many columns, of which the last stays empty. */
static const char *drawn(const struct gauge *gauge, unsigned columns)
{
    size_t bytes = gauge_draw(gauge, columns - 1, line);

    assert_in_range(bytes, 0, columns - 1);
    line[bytes] = '\0';
    return line;
}

static const char *said(const struct gauge *gauge)
{
    line[gauge_say(gauge, line)] = '\0';
    return line;
}

/* A quarter of all has been done in a minute, the half of pass 1. */
static struct gauge reading(void)
{
    return (struct gauge){.pass = 1,
                          .read_bytes = 2 * GIB,
                          .to_read = 4 * GIB,
                          .to_write = 4 * GIB,
                          .read_time = 60 * SECOND,
                          .records = 12345678,
                          .spilled_bytes = 300 * MIB};
}

static struct gauge writing(void)
{
    return (struct gauge){.pass = 2,
                          .read_bytes = 4 * GIB,
                          .to_read = 4 * GIB,
                          .written_bytes = 1 * GIB,
                          .to_write = 4 * GIB,
                          .read_time = 120 * SECOND,
                          .write_time = 30 * SECOND,
                          .records = 999};
}

UNIT_TEST(as_much_is_drawn_as_fits)
{
    const struct gauge gauge = reading();

    assert_string_equal(drawn(&gauge, 40), "pass 1 [###-----------]  25%  3:00 left");
    assert_string_equal(drawn(&gauge, 80),
                        "pass 1 [####-------------]  25%  3:00 left  2.0 GiB  34.1 MiB/s  12.3 M records");
    assert_string_equal(drawn(&gauge, 120),
                        "pass 1 [##########------------------------------]  25%  3:00 left  2.0 GiB  "
                        "34.1 MiB/s  12.3 M records  300 MiB spilled");
}

UNIT_TEST(when_all_is_done_nothing_is_left)
{
    struct gauge gauge = writing();
    char text[GAUGE_TEXT_BYTES];

    gauge.done = true;
    text[gauge_say(&gauge, text)] = '\0';
    assert_string_equal(text, "bigshuf: done, 1.0 GiB, 34.1 MiB/s, 999 records\n");
}

UNIT_TEST(on_a_very_narrow_terminal_there_is_no_bar)
{
    const struct gauge gauge = reading();

    assert_string_equal(drawn(&gauge, 36), "pass 1 [##--------]  25%  3:00 left");
    assert_string_equal(drawn(&gauge, 35), "pass 1  25%  3:00 left  2.0 GiB");
    assert_string_equal(drawn(&gauge, 12), "pass 1  25%");
    assert_string_equal(drawn(&gauge, 11), "pass 1");
    assert_string_equal(drawn(&gauge, 6), "");
    assert_string_equal(drawn(&gauge, 1), "");
}

UNIT_TEST(no_line_is_wider_than_the_terminal)
{
    struct gauge gauges[] = {reading(), writing(), {.pass = 1, .to_read = GAUGE_UNKNOWN}, {.pass = 2}};

    for (size_t i = 0; i < sizeof gauges / sizeof *gauges; i++)
        for (unsigned columns = 1; columns < 400; columns++)
            drawn(&gauges[i], columns);
}

UNIT_TEST(a_message_says_all)
{
    const struct gauge one = reading();
    const struct gauge two = writing();

    assert_string_equal(said(&one),
                        "bigshuf: pass 1, 25%, 3:00 left, 2.0 GiB, 34.1 MiB/s, 12.3 M records, 300 MiB spilled\n");
    assert_string_equal(said(&two), "bigshuf: pass 2, 62%, 1:30 left, 1.0 GiB, 34.1 MiB/s, 999 records\n");
}

UNIT_TEST(of_a_pipe_there_is_what_has_come)
{
    struct gauge gauge = reading();

    gauge.to_read = GAUGE_UNKNOWN;
    gauge.to_write = GAUGE_UNKNOWN;
    assert_string_equal(drawn(&gauge, 80), "pass 1  2.0 GiB  34.1 MiB/s  12.3 M records  300 MiB spilled");
    assert_string_equal(drawn(&gauge, 40), "pass 1  2.0 GiB  34.1 MiB/s");
    gauge.to_read = 4 * GIB;
    assert_string_equal(drawn(&gauge, 40), "pass 1  2.0 GiB  34.1 MiB/s");
}

UNIT_TEST(before_anything_has_come_nothing_is_foretold)
{
    const struct gauge unknown = {.pass = 1, .to_read = GAUGE_UNKNOWN, .to_write = GAUGE_UNKNOWN};
    const struct gauge known = {.pass = 1, .to_read = GIB, .to_write = GIB, .read_time = SECOND};
    const struct gauge numbers = {.pass = 2, .to_write = GIB, .write_time = SECOND};
    const struct gauge empty = {.pass = 1};

    assert_string_equal(said(&unknown), "bigshuf: pass 1, 0 bytes, 0 bytes/s\n");
    assert_string_equal(said(&known), "bigshuf: pass 1, 0%, 0 bytes, 0 bytes/s\n");
    assert_string_equal(said(&numbers), "bigshuf: pass 2, 0%, 0 bytes, 0 bytes/s\n");
    assert_string_equal(said(&empty), "bigshuf: pass 1, 0%, 0 bytes, 0 bytes/s\n");
}

static const char *time_left(const struct gauge *gauge)
{
    const char *percent = strstr(said(gauge), "%, ");

    assert_non_null(percent);
    *strchr(percent + 3, ',') = '\0';
    return percent + 3;
}

/* At the beginning of pass 2, the pace of pass 1 is all that is known; at its end it counts hardly any more. */
UNIT_TEST(pass_2_finds_its_own_pace)
{
    struct gauge gauge = writing();

    gauge.written_bytes = 0;
    gauge.write_time = 0;
    assert_string_equal(time_left(&gauge), "2:00 left");
    gauge.write_time = 10 * SECOND; /* the first pile is being loaded */
    assert_string_equal(time_left(&gauge), "4:40 left");
    gauge.written_bytes = 2 * GIB; /* half as fast as pass 1 was: two minutes for this half */
    gauge.write_time = 120 * SECOND;
    assert_string_equal(time_left(&gauge), "1:53 left");
    gauge.written_bytes = 4 * GIB - 64 * MIB;
    gauge.write_time = 236 * SECOND;
    assert_string_equal(time_left(&gauge), "0:04 left");
}

UNIT_TEST(one_pass_alone_is_the_whole)
{
    const struct gauge batch = {.pass = 1, .read_bytes = GIB, .to_read = 4 * GIB, .read_time = 10 * SECOND};
    const struct gauge store = {.pass = 2, .written_bytes = GIB, .to_write = 4 * GIB, .write_time = 10 * SECOND};

    assert_string_equal(said(&batch), "bigshuf: pass 1, 25%, 0:30 left, 1.0 GiB, 102 MiB/s\n");
    assert_string_equal(said(&store), "bigshuf: pass 2, 25%, 0:30 left, 1.0 GiB, 102 MiB/s\n");
}

UNIT_TEST(times_are_as_clocks_have_them)
{
    static const struct {
        uint64_t milliseconds;
        const char *text;
    } rows[] = {{499, "0:00 left"},
                {500, "0:01 left"},
                {59499, "0:59 left"},
                {59500, "1:00 left"},
                {3599000, "59:59 left"},
                {3600000, "1:00:00 left"},
                {86399000, "23:59:59 left"},
                {86400000, "1d 0:00:00 left"},
                {777 * (uint64_t)86400000 + 3661000, "777d 1:01:01 left"},
                {999 * (uint64_t)86400000, "999d 0:00:00 left"}};

    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        const struct gauge half = {.pass = 1, .read_bytes = 1, .to_read = 2, .read_time = rows[i].milliseconds};

        assert_string_equal(time_left(&half), rows[i].text);
    }
}

UNIT_TEST(what_nobody_can_tell_is_not_told)
{
    const struct gauge slow = {.pass = 1, .read_bytes = 1, .to_read = UINT64_MAX - 1, .read_time = 100 * HOUR};

    assert_string_equal(said(&slow), "bigshuf: pass 1, 0%, 1 bytes, 0 bytes/s\n");
}

UNIT_TEST(it_never_says_that_all_is_done)
{
    const struct gauge done = {.pass = 2, .read_bytes = 9, .to_read = 9, .written_bytes = 9, .to_write = 9};
    const struct gauge more = {.pass = 2, .read_bytes = 9, .to_read = 5, .written_bytes = 9, .to_write = 5};

    assert_string_equal(drawn(&done, 24), "pass 2  99%  0:00 left");
    assert_string_equal(drawn(&more, 24), "pass 2  99%  0:00 left");
}

static const char *amounts(uint64_t bytes, uint64_t records)
{
    const struct gauge gauge = {
        .pass = 1, .read_bytes = bytes, .to_read = GAUGE_UNKNOWN, .read_time = SECOND, .records = records};

    return said(&gauge);
}

UNIT_TEST(amounts_have_about_three_digits)
{
    assert_string_equal(amounts(1023, 999), "bigshuf: pass 1, 1023 bytes, 1023 bytes/s, 999 records\n");
    assert_string_equal(amounts(1024, 1000), "bigshuf: pass 1, 1.0 KiB, 1.0 KiB/s, 1.0 k records\n");
    assert_string_equal(amounts(102348, 99949), "bigshuf: pass 1, 99.9 KiB, 99.9 KiB/s, 99.9 k records\n");
    assert_string_equal(amounts(102400, 99950), "bigshuf: pass 1, 100 KiB, 100 KiB/s, 100 k records\n");
    assert_string_equal(amounts(1023 * 1024, 999499), "bigshuf: pass 1, 1023 KiB, 1023 KiB/s, 999 k records\n");
    assert_string_equal(amounts(1024 * 1024 - 1, 999500), "bigshuf: pass 1, 1.0 MiB, 1.0 MiB/s, 1.0 M records\n");
    assert_string_equal(amounts(UINT64_MAX, UINT64_MAX), "bigshuf: pass 1, 16.0 EiB, 16.0 EiB/s, 18446744 T records\n");
}
