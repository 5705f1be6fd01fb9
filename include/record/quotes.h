#pragma once

/*
 * The quotes of CSV, as Python's module csv reads them: a quote opens only as the first byte of a field; within quotes,
 * two of them are one of the text, and any other closes; what follows up to the separator is literal, quotes too. A
 * carriage return ends a row there; here it ends no record, but a field may begin after it: so a record is one row of
 * Python's, or several. A byte-order mark before a record is none of its first field.
 */

#include <stdbool.h>
#include <stdint.h>

struct quotes_rule {
    bool separated;    /* only `separator` stands between fields; else comma, semicolon, tab and bar do */
    uint8_t separator; /* none of quote, newline, carriage return */
    bool backslash;    /* within quotes, a backslash takes the next byte literally */
};

/* Where in a record the next byte stands. */
enum quotes_state {
    QUOTES_RECORD, /* at its beginning, */
    QUOTES_MARK_1, /* or after so many bytes of a byte-order mark there; */
    QUOTES_MARK_2,
    QUOTES_FIELD,   /* at the beginning of a field; */
    QUOTES_TEXT,    /* in one, where quotes are literal; */
    QUOTES_INSIDE,  /* within quotes; */
    QUOTES_ESCAPED, /* the same, after a backslash; */
    QUOTES_CLOSED   /* after a quote that has closed, if the next byte is no quote */
};

static inline bool quotes_separates(const struct quotes_rule *rule, uint8_t byte)
{
    return rule->separated ? byte == rule->separator : byte == ',' || byte == ';' || byte == '\t' || byte == '|';
}

static inline bool quotes_open(enum quotes_state state)
{
    return state == QUOTES_INSIDE || state == QUOTES_ESCAPED;
}

/* Where the byte after this one stands: QUOTES_RECORD if this one is the newline that ends the record. */
static inline enum quotes_state quotes_step(const struct quotes_rule *rule, enum quotes_state state, uint8_t byte)
{
    if (state == QUOTES_INSIDE)
        return byte == '"' ? QUOTES_CLOSED : byte == '\\' && rule->backslash ? QUOTES_ESCAPED : QUOTES_INSIDE;
    if (state == QUOTES_ESCAPED)
        return QUOTES_INSIDE;
    if (byte == '\n')
        return QUOTES_RECORD;
    if (byte == '\r' || quotes_separates(rule, byte))
        return QUOTES_FIELD;
    if (byte == '"' && (state == QUOTES_RECORD || state == QUOTES_FIELD || state == QUOTES_CLOSED))
        return QUOTES_INSIDE;
    if (state == QUOTES_RECORD && byte == 0xef)
        return QUOTES_MARK_1;
    if (state == QUOTES_MARK_1 && byte == 0xbb)
        return QUOTES_MARK_2;
    return state == QUOTES_MARK_2 && byte == 0xbf ? QUOTES_FIELD : QUOTES_TEXT;
}
