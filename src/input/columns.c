/* The first row holds names of columns if none of its cells comes again in its column, none is a number, and one stands
 * above a column of numbers. */

#include "input/columns.h"

#include <ctype.h>
#include <string.h>
#include <strings.h>

#include "record/quotes.h"

enum { COLUMNS_MAX = 256 };

struct cell {
    const uint8_t *text; /* inside of its quotes */
    size_t bytes;
    bool broken;    /* is there a newline in quotes? */
    bool irregular; /* are there stray quotes, or text after them? */
};

static bool is_one_of(uint8_t byte, const char *bytes)
{
    return byte != '\0' && strchr(bytes, byte) != NULL;
}

/* The cell at *at, which moves to the separator or newline after it, or to the end of the data. */
static struct cell next_cell(const uint8_t *data, size_t end, size_t *at, char separator)
{
    const struct quotes_rule rule = {.separated = true, .separator = (uint8_t)separator};
    enum quotes_state state = QUOTES_FIELD, before;
    struct cell cell = {.text = data + *at};

    for (; *at < end && (quotes_open(state) || !(data[*at] == '\n' || data[*at] == rule.separator)); (*at)++) {
        before = state;
        state = quotes_step(&rule, state, data[*at]);
        cell.broken = cell.broken || data[*at] == '\n';
        cell.irregular = cell.irregular || (state == QUOTES_TEXT && (data[*at] == '"' || before == QUOTES_CLOSED));
    }
    cell.bytes = (size_t)(data + *at - cell.text);
    cell.bytes -= cell.bytes > 0 && cell.text[cell.bytes - 1] == '\r';
    if (cell.bytes >= 2 && cell.text[0] == '"' && cell.text[cell.bytes - 1] == '"') {
        cell.text++;
        cell.bytes -= 2;
    }
    return cell;
}

/* Numbers, and values written like them: dates, times, shares. */
static bool is_number(struct cell cell)
{
    size_t i = 0;

    while (i < cell.bytes && is_one_of(cell.text[i], "0123456789+-.,:/%eE "))
        i++;
    return i > 0 && i == cell.bytes && !is_one_of(cell.text[0], "eE, ");
}

/* A name of a column is none of the words for a missing value. */
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

struct columns columns_find(const uint8_t *data, size_t bytes, char separator, size_t least, size_t most)
{
    static const struct columns none = {0};
    struct columns found = none;
    struct cell first[COLUMNS_MAX], cell = {.bytes = 0};
    bool numbers[COLUMNS_MAX], names = true, broken = false;
    size_t at = 0, column = 0, rows = 0;

    for (; rows < most; at++) { /* over the separator or the newline */
        cell = next_cell(data, bytes, &at, separator);
        if (at == bytes)
            break;
        if (column == (rows > 0 ? found.count : COLUMNS_MAX))
            return none;
        if (rows == 0) {
            first[column] = cell;
            numbers[column] = is_name(cell);
            names = names && !is_number(cell);
        } else {
            numbers[column] = numbers[column] && is_number(cell);
            names = names && (cell.bytes == 0 || cell.bytes != first[column].bytes ||
                              memcmp(cell.text, first[column].text, cell.bytes) != 0);
        }
        broken = broken || cell.broken;
        found.irregular = found.irregular || cell.irregular;
        column++;
        if (data[at] != '\n')
            continue;
        found.count = rows++ == 0 ? column : found.count;
        found.broken = broken;
        found.closed = cell.bytes == 0;
        if (column != found.count || column < 2)
            return none;
        column = 0;
    }
    if (rows < least)
        return none;
    for (; column < found.count && names && rows > 1; column++)
        found.named = found.named || numbers[column];
    return found;
}
