/*
 * The text is made in memory and written at once, so that a write can fail in one place only. The texts of all rows
 * begin in the same column; where an option is too long for that, its text stands on the next line.
 */

#include "command/help.h"

#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/chacha.h"
#include "command/option_table.h"
#include "record/record.h"
#include "record/scan.h"
#include "system/fault.h"
#include "system/standard.h"

#ifndef BIGSHUF_VERSION
#define BIGSHUF_VERSION "unknown"
#endif

enum { TEXT_COLUMN = 33, KIND_COLUMN = TEXT_COLUMN + 16 };

#define DESCRIPTION                                                                                                    \
    "Write the lines of the FILEs in random order, every order equally likely. FILEs\n"                                \
    "may be larger than memory. With no FILE, or if FILE is -, read standard input.\n"

static const char head[] = "Usage: bigshuf [OPTION]... [FILE]...\n"
                           "  or:  bigshuf -e [OPTION]... [ARG]...\n"
                           "  or:  bigshuf -i LO-HI [OPTION]...\n"
                           "  or:  bigshuf --scatter=DIR [OPTION]... [FILE]...\n"
                           "  or:  bigshuf --gather=DIR [OPTION]...\n" DESCRIPTION
                           "With -e, shuffle the ARGs, with -i, the numbers from LO to HI, each as a line.\n"
                           "With --scatter, add the FILEs to a store of piles, to which others may add;\n"
                           "with --gather, shuffle all that the store has.\n";
static const char tail[] = "\n"
                           "SIZE is a number and a unit: K, M, G, T (powers of 1024; K is the default), KB,\n"
                           "MB, GB, TB (powers of 1000), b (bytes), or % of all memory. It must be at\n"
                           "least 8M; the default is half of free memory. BYTES is a number of bytes,\n"
                           "or a number and one of these units, but not %.\n";
static const char common_head[] = "Usage: bigshuf [OPTION]... [FILE]...\n" DESCRIPTION "\n";
static const char common_tail[] = "All options: bigshuf --help. Examples: man bigshuf-examples. Version: -V.\n";
static const char *const headings[GROUPS] = {
    [GROUP_INPUT] = "Input",
    [GROUP_RECORDS] = "Records",
    [GROUP_ORDER] = "Order and samples",
    [GROUP_OUTPUT] = "Output files",
    [GROUP_RESOURCES] = "Memory, disk and threads",
    [GROUP_STORES] = "Stores of piles",
    [GROUP_OTHER] = "Other",
};

/* Also names the instructions that are built in, best first; the first that this processor has are used. */
static void print_version(FILE *to)
{
    fputs("bigshuf " BIGSHUF_VERSION "\n"
          "Copyright (c) 2026 the bigshuf authors. MIT License; there is no warranty.\n"
          "Built in: LZ4 for temporary files\n"
          "To find record ends:",
          to);
    for (const struct scan_way *way = scan_ways; way->name != NULL; way++)
        fprintf(to, " %s", way->name);
    fputs("\nTo draw random words:", to);
    for (const struct chacha_way *way = chacha_ways; way->name != NULL; way++)
        fprintf(to, " %s", way->name);
    fputs("\n", to);
}

/* Print a text in its column; `width` bytes of the first line have been printed already. */
static void print_text(FILE *to, int width, int column, const char *text)
{
    for (const char *line = text; line != NULL; width = 0) {
        const char *end = strchr(line, '\n');

        fprintf(to, "%*s%.*s\n", column - width, "", end == NULL ? INT_MAX : (int)(end - line), line);
        line = end == NULL ? NULL : end + 1;
    }
}

/* The kinds of --records: completions.awk knows them by their column. */
static void print_kinds(FILE *to)
{
    for (const struct record_kind *const *kind = record_kinds; *kind != NULL; kind++) {
        int width = fprintf(to, "%*s%s", TEXT_COLUMN + 2, "", (*kind)->name);

        if ((*kind)->argument != NULL)
            width += fprintf(to, ":%s", (*kind)->argument);
        print_text(to, width, KIND_COLUMN, (*kind)->text);
    }
}

/* Print the argument of an option, in all forms. Returns the bytes printed. */
static int print_argument(FILE *to, const struct option_row *row)
{
    const char *between = row->alone != NULL ? "[=" : "=";
    const struct argument_form *form = row->takes.forms;
    int width = row->argument != NULL ? fprintf(to, "%s%s", between, row->argument) : 0;

    for (; form != NULL && form->text != NULL; form++, between = "|")
        width += fprintf(to, "%s%s", between, form->text);
    return width + (row->alone != NULL ? fprintf(to, "]") : 0);
}

static void print_row(FILE *to, const struct option_row *row)
{
    int width = row->letter != 0 ? fprintf(to, "  -%c, ", row->letter) : fprintf(to, "      ");

    width += fprintf(to, "--%s", row->name) + print_argument(to, row);
    if (width > TEXT_COLUMN - 2) {
        fputc('\n', to);
        width = 0;
    }
    print_text(to, width, TEXT_COLUMN, row->text);
    if (row->takes.set == argument_records && row->argument != NULL)
        print_kinds(to);
}

/* Common options are printed in one piece, without headings, to save lines. */
static void print_rows(FILE *to, bool common)
{
    enum option_group group = GROUPS;

    fputs(common ? common_head : head, to);
    for (const struct option_row *row = option_table; row->name != NULL; row++) {
        if (row->text == NULL || (common && !row->common))
            continue;
        if (!common && row->group != group)
            fprintf(to, "\n%s:\n", headings[row->group]);
        group = row->group;
        print_row(to, row);
    }
    fputs(common ? common_tail : tail, to);
}

void help_print(int code, bool common)
{
    char *text = NULL;
    size_t length = 0;
    FILE *to = fault_memory(open_memstream(&text, &length));

    if (code == 'V')
        print_version(to);
    else
        print_rows(to, common);
    if (fclose(to) != 0)
        die_errno("memory", errno);
    standard_write(text, length);
    standard_close();
    free(text);
}
