#include "store/line.h"

#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

bool line_begins(const struct line *line, bool is, const char *words)
{
    return line->to != NULL ? is : line->from != NULL && strncmp(line->from, words, strlen(words)) == 0;
}

void line_must(struct line *line, bool holds)
{
    line->from = holds ? line->from : NULL;
}

static void pass_words(struct line *line, const char *words)
{
    const size_t bytes = strlen(words);

    if (line->to == NULL) {
        line->from = line_begins(line, true, words) ? line->from + bytes : NULL;
    } else if (bytes < (size_t)(line->end - line->to)) {
        memcpy(line->to, words, bytes + 1);
        line->to += bytes;
    }
}

bool line_has(struct line *line, bool is, const char *words)
{
    const bool has = line_begins(line, is, words);

    if (has)
        pass_words(line, words);
    return has;
}

static void pass_number(struct line *line, uint64_t *number, int base, int width)
{
    char digits[64];

    if (line->to == NULL) {
        snprintf(digits, sizeof digits, "%.*s", base == 16 ? width : 40, line->from != NULL ? line->from : "");
        *number = strtoull(digits, NULL, base);
    }
    snprintf(digits, sizeof digits, base == 16 ? "%0*" PRIx64 : "%*" PRIu64, width, *number);
    pass_words(line, digits);
}

/* What is written so, if it is written right. */
static uint8_t read_byte(const char *at)
{
    unsigned byte = (unsigned char)*at;

    if (*at == '\\' && sscanf(at + 1, "%3o", &byte) != 1)
        byte = at[1] == 'n' ? '\n' : (unsigned char)at[1];
    return (uint8_t)byte;
}

static void pass_string(struct line *line, uint8_t *string, size_t room, size_t *bytes)
{
    const bool reads = line->to == NULL;
    size_t i = 0;

    pass_words(line, "\"");
    for (; reads ? line->from != NULL && *line->from != '"' : i < *bytes; i++) {
        char text[5];

        if (i == room) {
            line->from = NULL;
            break;
        }
        if (reads)
            string[i] = read_byte(line->from);
        if (string[i] == '\n')
            snprintf(text, sizeof text, "\\n");
        else if (string[i] < ' ' || string[i] >= 0x7f)
            snprintf(text, sizeof text, "\\%03o", string[i]);
        else
            snprintf(text, sizeof text, "%s%c", string[i] == '"' || string[i] == '\\' ? "\\" : "", string[i]);
        pass_words(line, text);
    }
    *bytes = i;
    pass_words(line, "\"");
}

void line_pass(struct line *line, const char *pattern, ...)
{
    va_list more;

    va_start(more, pattern);
    for (; *pattern != '\0'; pattern++) {
        if (*pattern != '%') {
            pass_words(line, (char[]){*pattern, '\0'});
        } else if (*++pattern == 's') {
            pass_words(line, va_arg(more, const char *));
        } else if (*pattern == 'q') {
            uint8_t *string = va_arg(more, uint8_t *);
            const size_t room = va_arg(more, size_t);

            pass_string(line, string, room, va_arg(more, size_t *));
        } else if (*pattern == 'x') {
            pass_number(line, va_arg(more, uint64_t *), 16, 16);
        } else {
            pass_number(line, va_arg(more, uint64_t *), 10, *pattern == 'p' ? 20 : 1);
        }
    }
    va_end(more);
}
