#pragma once

/*
 * The quotes of CSV, as Python's module csv reads them: a quote opens only as the first byte of a field; within quotes,
 * two of them stand for one, and a single one closes; all bytes after that up to the separator are literal, quotes too.
 * For Python, a carriage return ends a row; here it does not end the record, but a field may begin after it, so a
 * record is one or several of Python's rows. A byte-order mark before a record is no part of its first field.
 */

#include <stdbool.h>
#include <stdint.h>

struct quotes_rule {
    bool separated;    /* is `separator` the only one? Else comma, semicolon, tab and bar are */
    uint8_t separator; /* no quote, newline or carriage return */
    bool backslash;    /* within quotes, a backslash takes the next byte literally */
};

/* Where in a record the next byte stands. */
enum quotes_state {
    QUOTES_RECORD, /* at its beginning, */
    QUOTES_MARK_1, /* after one byte of a byte-order mark there; */
    QUOTES_MARK_2,
    QUOTES_FIELD,   /* at the beginning of a field; */
    QUOTES_TEXT,    /* in a field, where quotes are literal; */
    QUOTES_INSIDE,  /* within quotes; */
    QUOTES_ESCAPED, /* within quotes, after a backslash; */
    QUOTES_CLOSED   /* after a quote that closes, unless the next byte is a quote */
};

static inline bool quotes_separates(const struct quotes_rule *rule, uint8_t byte)
{
    return rule->separated ? byte == rule->separator : byte == ',' || byte == ';' || byte == '\t' || byte == '|';
}

static inline bool quotes_open(enum quotes_state state)
{
    return state == QUOTES_INSIDE || state == QUOTES_ESCAPED;
}

/* The state of the byte after `byte`; QUOTES_RECORD if `byte` is the newline that ends the record. */
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
