/* Names of columns are told from values by what stands below them: no cell of the first line may come again in its
 * column, none is a number, and one is a name where all below are numbers. */

#include "input/columns.h"

#include <ctype.h>
#include <string.h>
#include <strings.h>

#include "record/quotes.h"

enum { COLUMNS_MAX = 256 };

struct cell {
    const uint8_t *text; /* without quotes around it */
    size_t bytes;
};

static bool is_one_of(uint8_t byte, const char *bytes)
{
    return byte != '\0' && strchr(bytes, byte) != NULL;
}

/* The cell at the byte *at, which moves to what ends it: a separator, a newline, or the end of what is there. */
static struct cell next_cell(const uint8_t *data, size_t end, size_t *at, char separator)
{
    const struct quotes_rule rule = {.separated = true, .separator = (uint8_t)separator};
    enum quotes_state state = QUOTES_FIELD;
    const uint8_t *text = data + *at;
    size_t bytes;

    for (; *at < end && (quotes_open(state) || !(data[*at] == '\n' || data[*at] == rule.separator)); (*at)++)
        state = quotes_step(&rule, state, data[*at]);
    bytes = (size_t)(data + *at - text);
    bytes -= bytes > 0 && text[bytes - 1] == '\r';
    return bytes >= 2 && text[0] == '"' && text[bytes - 1] == '"' ? (struct cell){text + 1, bytes - 2}
                                                                  : (struct cell){text, bytes};
}

/* Numbers, and what is written like them: dates, times, shares. */
static bool is_number(struct cell cell)
{
    size_t i = 0;

    while (i < cell.bytes && is_one_of(cell.text[i], "0123456789+-.,:/%eE "))
        i++;
    return i > 0 && i == cell.bytes && !is_one_of(cell.text[0], "eE, ");
}

/* No name of a column is what stands for a value that is missing. */
static bool is_name(struct cell cell)
{
    static const char *const missing[] = {"NA",  "N/A", "nan",     "null",    "none",           "nil",  "missing",
                                          "inf", "n.a", "unknown", "unnamed", "not applicable", "true", "false"};
    bool name = cell.bytes > 0 && (cell.text[0] >= 0x80 || isalpha(cell.text[0]) || cell.text[0] == '_');

    for (size_t i = 0; i < sizeof missing / sizeof missing[0]; i++)
        name = name &&
               (cell.bytes != strlen(missing[i]) || strncasecmp((const char *)cell.text, missing[i], cell.bytes) != 0);
    return name;
}

size_t columns_count(const uint8_t *data, size_t bytes, char separator, size_t lines, bool *named)
{
    struct cell first[COLUMNS_MAX], cell = {.bytes = 0};
    bool numbers[COLUMNS_MAX], names = true, again = false;
    size_t at = 0, columns = 0, column = 0;

    for (size_t line = 0; line < lines; at++) { /* over the separator or the newline */
        cell = next_cell(data, bytes, &at, separator);
        if (at == bytes || column == (line > 0 ? columns : COLUMNS_MAX))
            return 0;
        if (line == 0) {
            first[column] = cell;
            numbers[column] = is_name(cell);
            names = names && !is_number(cell);
        } else {
            numbers[column] = numbers[column] && is_number(cell);
            again = again || (cell.bytes > 0 && cell.bytes == first[column].bytes &&
                              memcmp(cell.text, first[column].text, cell.bytes) == 0);
        }
        column++;
        if (data[at] != '\n')
            continue;
        columns = line++ == 0 ? column : columns;
        if (column != columns || columns < 2)
            return 0;
        column = 0;
    }
    *named = false;
    for (; column < columns && names && !again; column++)
        *named = *named || numbers[column];
    return cell.bytes > 0 ? columns : 0; /* statements end with the separator */
}
