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

static const char head[] = "Usage: bigshuf [OPTION]... [FILE]...\n"
                           "  or:  bigshuf -e [OPTION]... [ARG]...\n"
                           "  or:  bigshuf -i LO-HI [OPTION]...\n"
                           "  or:  bigshuf --scatter=DIR [OPTION]... [FILE]...\n"
                           "  or:  bigshuf --gather=DIR [OPTION]...\n"
                           "Write the lines of the FILEs in random order, every order equally likely;\n"
                           "with -e the ARGs, with -i the numbers from LO to HI, as if they were lines.\n"
                           "The FILEs may be larger than memory. With --scatter only scatter them into a\n"
                           "store of piles, to which others may add; with --gather shuffle what is there.\n"
                           "\n"
                           "With no FILE, or when FILE is -, read standard input.\n"
                           "\n";
static const char tail[] = "\n"
                           "SIZE is a number and a unit: K (1024 bytes, the default), b (bytes), M, G, T\n"
                           "and so on, or % of physical memory. It must be at least 8M. BYTES is a number\n"
                           "of bytes, or a number and one of these units, but not %.\n";
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

int help_print(struct fault *fault, const struct option_row *rows, size_t row_count)
{
    char *text = NULL;
    size_t length = 0;
    FILE *to = open_memstream(&text, &length);
    int result = -1;

    if (to == NULL)
        goto out;
    fputs(head, to);
    for (size_t i = 0; i < row_count; i++)
        print_row(to, &rows[i]);
    fputs(tail, to);
    if (fclose(to) == 0)
        result = io_print(text, length);
out:
    if (result != 0)
        fault_report(fault, "write error", errno);
    free(text);
    return result;
}

int help_print_version(struct fault *fault)
{
    return io_print(version, strlen(version)) == 0 ? 0 : fault_report(fault, "write error", errno);
}
