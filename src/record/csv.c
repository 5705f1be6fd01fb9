/*
 * CSV: a record ends with a newline outside quotes (quotes.h). While each quote opens or closes, scan.h finds the ends;
 * other windows are stepped through byte by byte. As a file is read, the first quote that does neither is reported; and
 * if quotes stay open, the line where they opened.
 */

#include "base/arithmetic.h"
#include "record/record.h"
#include "record/scan.h"
#include "record/tail.h"
#include "system/fault.h"

/* What has been seen: the first quote that is literal, or text after a closing one; and the number of newlines. */
struct sight {
    const uint8_t *odd; /* NULL: none so far */
    bool closed;
    uint64_t lines;
};

/* Step over the next bytes of a window, up to the end of a record. Returns the number of bytes. */
static size_t step_over(const struct quotes_rule *rule, enum quotes_state *state, const uint8_t *data, size_t bytes,
                        struct sight *sight)
{
    size_t at = 0;

    do {
        const enum quotes_state before = *state;

        *state = quotes_step(rule, before, data[at]);
        if (*state == QUOTES_TEXT && (data[at] == '"' || before == QUOTES_CLOSED) && sight->odd == NULL) {
            sight->odd = data + at;
            sight->closed = before == QUOTES_CLOSED;
        }
        sight->lines += data[at] == '\n';
    } while (++at < bytes && *state != QUOTES_RECORD);
    return at;
}

static size_t find_rows(const struct record_format *format, struct record_scan *scan, const uint8_t *data, size_t bytes,
                        uint32_t *ends, size_t room, size_t *scanned, struct sight *sight)
{
    struct scan_search search = {.sought = SCAN_UNQUOTED, .byte = '\n', .rule = &format->quotes};
    size_t found = 0, at = 0, part;

    while (at < bytes && found < room) {
        search.state = scan->quotes;
        if (search.state != QUOTES_MARK_1 && search.state != QUOTES_MARK_2 && search.state != QUOTES_ESCAPED) {
            const size_t count =
                scan_find(&search, data + at, bytes - at, ends != NULL ? ends + found : NULL, room - found, &part);

            sight->lines += search.lines;
            for (size_t i = 0; i < count && at > 0 && ends != NULL; i++)
                ends[found + i] += (uint32_t)at;
            found += count;
            at += part;
        }
        scan->quotes = search.state;
        for (const size_t end = at + least_size(SCAN_WINDOW, bytes - at); at < end && found < room;) {
            at += step_over(&format->quotes, &scan->quotes, data + at, end - at, sight);
            if (scan->quotes == QUOTES_RECORD && ends != NULL)
                ends[found++] = (uint32_t)at;
        }
    }
    if (at > 0)
        scan->open = scan->quotes != QUOTES_RECORD;
    *scanned = at;
    return found;
}

static size_t find_csv_ends(const struct record_format *format, struct record_scan *scan, const uint8_t *data,
                            size_t bytes, uint32_t *ends, size_t room, size_t *scanned)
{
    struct sight sight = {.lines = 0};

    return find_rows(format, scan, data, bytes, ends, room, scanned, &sight);
}

static void advance_csv(const struct record_format *format, struct record_scan *scan, const uint8_t *data, size_t bytes)
{
    size_t scanned;

    (void)find_csv_ends(format, scan, data, bytes, NULL, SIZE_MAX, &scanned);
}

static ssize_t find_csv_missing(const struct record_format *format, const struct record_scan *scan,
                                const uint8_t **missing)
{
    *missing = &format->delimiter;
    return quotes_open(scan->quotes) ? -1 : scan->open;
}

/* ---- Files ---- */

/* The data began in the state `before`, and quotes are open after it, or would be if a quote came next. Returns where
 * they opened: an odd number of quotes side by side opens with the first; others are text. NULL: not in the data. */
static const uint8_t *opening(const struct quotes_rule *rule, enum quotes_state before, enum quotes_state after,
                              const uint8_t *data, size_t bytes)
{
    size_t end = bytes, begin, quotes = after == QUOTES_CLOSED;

    for (; end > 0; end = begin, quotes = 0) {
        while (end > 0 && data[end - 1] != '"')
            end--;
        for (begin = end; begin > 0 && data[begin - 1] == '"'; quotes++)
            begin--;
        for (size_t i = begin; rule->backslash && i > 0 && data[i - 1] == '\\'; quotes++)
            i--;
        if ((quotes + (begin == 0 && before == QUOTES_CLOSED)) % 2 != 0)
            return data + begin;
    }
    return NULL;
}

/* Warn of the first odd quote of all files; but end the run if the output replaces the file, since its records may be
 * others than the user thinks. */
static void tell_of_quote(struct tail *tail, const char *name, bool closed, uint64_t line)
{
    const char *what = !closed ? "a quote inside a field is taken literally"
                       : tail->format->quotes.backslash
                           ? "text after a closing quote is taken literally"
                           : "text after a closing quote; if backslashes escape quotes, write --csv=backslash";

    if (tail->replaced)
        die("%s: in line %llu: %s; mend it, or write to another file, since an input is also the output",
            fault_name(name), (unsigned long long)line, what);
    fault_warn("%s: in line %llu: %s", fault_name(name), (unsigned long long)line, what);
    tail->told = true;
}

static void follow_csv(struct tail *tail, const char *name, const uint8_t *data, size_t bytes)
{
    const struct quotes_rule *rule = &tail->format->quotes;
    const enum quotes_state before = tail->scan.quotes;
    enum quotes_state after;
    struct sight sight = {.lines = 0};
    const uint8_t *quote;
    size_t scanned;

    tail_learn_end(tail, data, bytes);
    (void)find_rows(tail->format, &tail->scan, data, bytes, NULL, SIZE_MAX, &scanned, &sight);
    if (sight.odd != NULL && !tail->told)
        tell_of_quote(tail, name, sight.closed,
                      tail->newlines + scan_count(data, (size_t)(sight.odd - data), '\n') + 1);
    after = tail->scan.quotes;
    quote = quotes_open(after) || after == QUOTES_CLOSED ? opening(rule, before, after, data, bytes) : NULL;
    if (quote != NULL)
        tail->quote_line = tail->newlines + scan_count(data, (size_t)(quote - data), '\n') + 1;
    tail->newlines += sight.lines;
}

static void refuse_csv(const struct tail *tail, const char *name)
{
    die("%s: unclosed quote that starts in line %llu", name, (unsigned long long)tail->quote_line);
}

const struct record_kind csv_kind = {
    .name = "csv",
    .text = "rows; newlines may be quoted",
    .traits = RECORD_QUOTED | RECORD_HEADER | RECORD_HEADER_COUNT | RECORD_TEXT,
    .ends = find_csv_ends,
    .advance = advance_csv,
    .missing = find_csv_missing,
    .follow = follow_csv,
    .refuse = refuse_csv,
};
