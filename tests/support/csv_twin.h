#ifndef BIGSHUF_TESTS_CSV_TWIN_H
#define BIGSHUF_TESTS_CSV_TWIN_H

/* What a record of CSV is, field by field (quotes.h), for tests that hold the scan against it. */

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include "record/quotes.h"

enum csv_twin { CSV_TWIN_WHOLE, CSV_TWIN_SHORT, CSV_TWIN_OPEN };

/* The offset after the quoted part that begins after a quote at this offset; 0 if it is open. */
static size_t csv_twin_close(const struct quotes_rule *rule, const uint8_t *data, size_t bytes, size_t at)
{
    while (at < bytes)
        if ((rule->backslash && data[at] == '\\') || (data[at] == '"' && at + 1 < bytes && data[at + 1] == '"'))
            at += 2;
        else if (data[at] != '"')
            at++;
        else
            return at + 1;
    return 0;
}

/* Is data[0, bytes) a whole record, if nothing shorter is? If not, is it within quotes? */
static inline enum csv_twin csv_twin(const struct quotes_rule *rule, const uint8_t *data, size_t bytes)
{
    const char separators[] = {'\r', (char)rule->separator, '\0'};
    size_t at = bytes >= 3 && memcmp(data, "\xef\xbb\xbf", 3) == 0 ? 3 : 0;

    for (; at < bytes; at++) { /* a field begins */
        if (data[at] == '"' && (at = csv_twin_close(rule, data, bytes, at + 1)) == 0)
            return CSV_TWIN_OPEN;
        while (at < bytes && data[at] != '\n' &&
               (data[at] == '\0' || strchr(rule->separated ? separators : ",;\t|\r", data[at]) == NULL))
            at++;
        if (at < bytes && data[at] == '\n')
            return at + 1 == bytes ? CSV_TWIN_WHOLE : CSV_TWIN_SHORT;
    }
    return CSV_TWIN_SHORT;
}

#endif
