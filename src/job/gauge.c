/*
 * Both passes move the same bytes as a rule, so their sum is the whole, and of the whole 99 % is the most that is
 * shown: there is always a file to be closed. In pass 1 the rest is taken to go on at its pace. Pass 2 has a pace of
 * its own, which is not known at its beginning: the measured one counts more and more against that of pass 1.
 *
 * The functions of printf are not for signal handlers, so text is put together here.
 */

#include "job/gauge.h"

#include <stdbool.h>
#include <string.h>

enum { SECOND = 1000, MINUTE = 60, HOUR = 60 * MINUTE, DAY = 24 * HOUR };

/* The pace of pass 1 counts as much as having written this part of the output. */
static const double PACE_SHARE = 1.0 / 16;

/* Milliseconds; nobody can tell what is longer than 1000 days. */
static const double TELLABLE = 1000.0 * DAY * SECOND;

enum { HUNDRED = 100, PERCENT_MAX = 99 };

/* Columns: of the bar, at least, with what is around it; how much longer it may be; and between two fields. */
enum { BAR_MIN = 10, BAR = BAR_MIN + 3, BAR_MORE = 30, GAP = 2 };

/* Fields that are worth more than the bar: pass, percent, time left. */
enum { BESIDE_BAR = 3 };

enum { FIELDS_MAX = 7 };

/* ---- What follows from the numbers ---- */

static bool is_known(const struct gauge *gauge)
{
    return gauge->to_read != GAUGE_UNKNOWN && gauge->to_write != GAUGE_UNKNOWN;
}

/* What was expected may turn out to be too little. */
static double whole(uint64_t expected, uint64_t found)
{
    return (double)(expected > found ? expected : found);
}

/* From 0 to 1. */
static double share(const struct gauge *gauge)
{
    const double all = whole(gauge->to_read, gauge->read_bytes) + whole(gauge->to_write, gauge->written_bytes);

    return all > 0 ? ((double)gauge->read_bytes + (double)gauge->written_bytes) / all : 0;
}

static double ratio(uint64_t part, uint64_t of)
{
    return of > 0 ? (double)part / (double)of : 0;
}

/* Milliseconds; below 0 if nobody can tell. */
static double time_left(const struct gauge *gauge)
{
    const double to_write = whole(gauge->to_write, gauge->written_bytes);
    const double done = share(gauge);
    const double imagined = gauge->read_bytes > 0 ? PACE_SHARE * to_write : 0;
    const double measured = (double)gauge->written_bytes;

    if (!is_known(gauge) || done == 0 || (gauge->pass == 2 && imagined + measured == 0))
        return -1;
    if (gauge->pass == 1)
        return (double)gauge->read_time * (1 - done) / done;
    return ((double)gauge->write_time + imagined * ratio(gauge->read_time, gauge->read_bytes)) / (imagined + measured) *
           (to_write - measured);
}

/* ---- Text ---- */

struct text {
    char *at, *end;
};

static void put(struct text *text, const char *string)
{
    for (; *string != '\0' && text->at < text->end; string++)
        *text->at++ = *string;
}

/* In decimal, with so many digits at least. */
static void put_number(struct text *text, uint64_t number, unsigned digits)
{
    char reversed[24];
    unsigned count = 0;

    for (; number > 0 || count < digits; number /= 10)
        reversed[count++] = (char)('0' + number % 10);
    while (count > 0 && text->at < text->end)
        *text->at++ = reversed[--count];
}

/* Whole numbers of the first unit, and three digits or so of a larger one. */
static void put_scaled(struct text *text, double number, double step, const char *const *units)
{
    unsigned power = 0;

    for (; number >= step - 0.5 && units[power + 1] != NULL; power++)
        number /= step;
    if (power == 0 || number >= HUNDRED - 0.05) {
        put_number(text, (uint64_t)(number + 0.5), 1);
    } else {
        put_number(text, (uint64_t)(number * 10 + 0.5) / 10, 1);
        put(text, ".");
        put_number(text, (uint64_t)(number * 10 + 0.5) % 10, 1);
    }
    put(text, units[power]);
}

static void put_bytes(struct text *text, double bytes)
{
    static const char *const units[] = {" bytes", " KiB", " MiB", " GiB", " TiB", " PiB", " EiB", NULL};

    put_scaled(text, bytes, 1024, units);
}

static void put_records(struct text *text, uint64_t records)
{
    static const char *const units[] = {"", " k", " M", " G", " T", NULL};

    put_scaled(text, (double)records, 1000, units);
    put(text, " records");
}

static void put_time(struct text *text, double milliseconds)
{
    const uint64_t seconds = (uint64_t)(milliseconds / SECOND + 0.5);

    if (seconds >= DAY) {
        put_number(text, seconds / DAY, 1);
        put(text, "d ");
    }
    if (seconds >= HOUR) {
        put_number(text, seconds % DAY / HOUR, 1);
        put(text, ":");
    }
    put_number(text, seconds % HOUR / MINUTE, seconds >= HOUR ? 2 : 1);
    put(text, ":");
    put_number(text, seconds % MINUTE, 2);
    put(text, " left");
}

/* ---- The line ---- */

/* What there is to say, the most important first, one behind the other. */
struct fields {
    char text[GAUGE_TEXT_BYTES];
    struct text to;
    const char *start[FIELDS_MAX + 1];
    unsigned count;
};

static void end_field(struct fields *fields)
{
    fields->start[++fields->count] = fields->to.at;
}

static size_t field_bytes(const struct fields *fields, unsigned field)
{
    return (size_t)(fields->start[field + 1] - fields->start[field]);
}

static void fill(struct fields *fields, const struct gauge *gauge)
{
    const uint64_t bytes = gauge->pass == 1 ? gauge->read_bytes : gauge->written_bytes;
    const uint64_t percent = (uint64_t)(HUNDRED * share(gauge));
    const double left = time_left(gauge);
    struct text *to = &fields->to;

    *to = (struct text){.at = fields->text, .end = fields->text + sizeof fields->text};
    fields->start[0] = fields->text;
    fields->count = 0;
    put(to, gauge->done ? "done" : gauge->pass == 1 ? "pass 1" : "pass 2");
    end_field(fields);
    if (is_known(gauge) && !gauge->done) {
        put_number(to, percent < PERCENT_MAX ? percent : PERCENT_MAX, 1);
        put(to, "%");
        end_field(fields);
    }
    if (left >= 0 && left < TELLABLE && !gauge->done) {
        put_time(to, left);
        end_field(fields);
    }
    put_bytes(to, (double)bytes);
    end_field(fields);
    put_bytes(to, SECOND * ratio(bytes, gauge->pass == 1 ? gauge->read_time : gauge->write_time));
    put(to, "/s");
    end_field(fields);
    if (gauge->records > 0) {
        put_records(to, gauge->records);
        end_field(fields);
    }
    if (gauge->spilled_bytes > 0) {
        put_bytes(to, (double)gauge->spilled_bytes);
        put(to, " spilled");
        end_field(fields);
    }
}

/* So many fields, with `before` in front of each but the first. */
static void put_fields(struct text *line, const struct fields *fields, unsigned first, unsigned end, const char *before)
{
    for (unsigned i = first; i < end; i++) {
        put(line, i > 0 ? before : "");
        for (const char *at = fields->start[i]; at < fields->start[i + 1] && line->at < line->end; at++)
            *line->at++ = *at;
    }
}

/* How many fields fit into *columns, of which what they leave remains. */
static unsigned fit(const struct fields *fields, size_t *columns)
{
    unsigned count = 0;

    for (size_t gap = 0; count < fields->count && gap + field_bytes(fields, count) <= *columns; gap = GAP)
        *columns -= gap + field_bytes(fields, count++);
    return count;
}

static void put_bar(struct text *line, size_t columns, double part)
{
    const size_t full = (size_t)(part * (double)columns);

    put(line, " [");
    for (size_t i = 0; i < columns; i++)
        put(line, i < full ? "#" : "-");
    put(line, "]");
}

size_t gauge_draw(const struct gauge *gauge, unsigned columns, char text[GAUGE_TEXT_BYTES])
{
    struct text line = {.at = text, .end = text + GAUGE_TEXT_BYTES};
    size_t all = columns < GAUGE_TEXT_BYTES ? columns : GAUGE_TEXT_BYTES, left = all - (all > BAR ? BAR : all);
    struct fields fields;
    unsigned shown;

    fill(&fields, gauge);
    shown = fit(&fields, &left);
    if (is_known(gauge) && shown >= BESIDE_BAR) {
        put_fields(&line, &fields, 0, 1, "");
        put_bar(&line, BAR_MIN + (left < BAR_MORE ? left : BAR_MORE), share(gauge));
        put_fields(&line, &fields, 1, shown, "  ");
    } else {
        put_fields(&line, &fields, 0, fit(&fields, &all), "  ");
    }
    return (size_t)(line.at - text);
}

size_t gauge_say(const struct gauge *gauge, char text[GAUGE_TEXT_BYTES])
{
    struct text line = {.at = text, .end = text + GAUGE_TEXT_BYTES};
    struct fields fields;

    fill(&fields, gauge);
    put(&line, "bigshuf: ");
    put_fields(&line, &fields, 0, fields.count, ", ");
    put(&line, "\n");
    return (size_t)(line.at - text);
}
