/*
 * The text is put together in memory and written at once, so that a failure can happen in one place only. The texts of
 * all rows begin in the same column; where an option is too long for that, its text stands on the next line.
 */

#include "command/help.h"

#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "system/io.h"

#ifndef BIGSHUF_VERSION
#define BIGSHUF_VERSION "unknown"
#endif

enum { TEXT_COLUMN = 33 };

#define DESCRIPTION                                                                                                    \
    "Write the lines of the FILEs in random order, every order equally likely. The\n"                                  \
    "FILEs may be larger than memory. With no FILE, or when FILE is -, read standard\n"                                \
    "input.\n"

static const char head[] = "Usage: bigshuf [OPTION]... [FILE]...\n"
                           "  or:  bigshuf -e [OPTION]... [ARG]...\n"
                           "  or:  bigshuf -i LO-HI [OPTION]...\n"
                           "  or:  bigshuf --scatter=DIR [OPTION]... [FILE]...\n"
                           "  or:  bigshuf --gather=DIR [OPTION]...\n" DESCRIPTION
                           "With -e shuffle the ARGs, with -i the numbers from LO to HI, as if they were\n"
                           "lines. With --scatter only scatter the FILEs into a store of piles, to which\n"
                           "others may add; with --gather shuffle what is there.\n";
static const char tail[] = "\n"
                           "SIZE is a number and a unit: K, M, G, T (powers of 1024; K is the default), KB,\n"
                           "MB, GB, TB (powers of 1000), b (bytes), or % of all memory. It must be at\n"
                           "least 8M; the default is half of what is available. BYTES is a number of bytes,\n"
                           "or a number and one of these units, but not %.\n";
static const char common_head[] = "Usage: bigshuf [OPTION]... [FILE]...\n" DESCRIPTION "\n";
static const char common_tail[] = "All options: bigshuf --help. Examples: man bigshuf. Version: bigshuf -V.\n";
static const char *const headings[GROUPS] = {
    [GROUP_INPUT] = "Input",
    [GROUP_RECORDS] = "Records",
    [GROUP_ORDER] = "Order and samples",
    [GROUP_OUTPUT] = "Output files",
    [GROUP_RESOURCES] = "Memory, disk and threads",
    [GROUP_STORES] = "Stores of piles",
    [GROUP_OTHER] = "Other",
};
static const char version[] = "bigshuf " BIGSHUF_VERSION "\n";

static void print_row(FILE *to, const struct option_row *row)
{
    int width = option_table_has_letter(row) ? fprintf(to, "  -%c, ", row->code) : fprintf(to, "      ");

    width += fprintf(to, "--%s", row->name);
    if (row->argument != NULL)
        width +=
            option_table_is_optional(row) ? fprintf(to, "[=%s", row->argument + 1) : fprintf(to, "=%s", row->argument);
    if (width > TEXT_COLUMN - 2) {
        fputc('\n', to);
        width = 0;
    }
    for (const char *line = row->text; line != NULL; width = 0) {
        const char *end = strchr(line, '\n');

        fprintf(to, "%*s%.*s\n", TEXT_COLUMN - width, "", end == NULL ? INT_MAX : (int)(end - line), line);
        line = end == NULL ? NULL : end + 1;
    }
}

static void print_all(FILE *to, const struct option_row *rows, size_t row_count)
{
    fputs(head, to);
    for (size_t i = 0; i < row_count; i++) {
        if (i == 0 || rows[i].group != rows[i - 1].group)
            fprintf(to, "\n%s:\n", headings[rows[i].group]);
        print_row(to, &rows[i]);
    }
    fputs(tail, to);
}

/* In one piece, without headings, to save lines. */
static void print_common(FILE *to)
{
    size_t count;
    const int *codes = option_table_common(&count);

    fputs(common_head, to);
    for (size_t i = 0; i < count; i++)
        print_row(to, option_table_row(codes[i]));
    fputs(common_tail, to);
}

static int report(struct fault *fault)
{
    return fault_report(fault, "write error", errno);
}

/* All rows, or the common ones if there are none. */
static int print_text(struct fault *fault, const struct option_row *rows, size_t row_count)
{
    char *text = NULL;
    size_t length = 0;
    FILE *to = open_memstream(&text, &length);
    int result = -1;

    if (to == NULL)
        goto out;
    if (rows != NULL)
        print_all(to, rows, row_count);
    else
        print_common(to);
    if (fclose(to) == 0)
        result = io_print(text, length);
out:
    if (result != 0)
        report(fault);
    free(text);
    return result;
}

int help_print(struct fault *fault, const struct option_row *rows, size_t row_count)
{
    return print_text(fault, rows, row_count);
}

int help_print_common(struct fault *fault)
{
    return print_text(fault, NULL, 0);
}

int help_print_version(struct fault *fault)
{
    return io_print(version, strlen(version)) == 0 ? 0 : report(fault);
}
