#include "record/kind.h"

#include <string.h>

#define ADDRESS(row) &(row),

const struct record_kind *const kind_rows[] = {RECORD_KINDS(ADDRESS) NULL};

const struct record_kind *kind_find(const char *name, size_t bytes)
{
    const struct record_kind *const *kind = kind_rows;

    while (*kind != NULL && (strlen((*kind)->name) != bytes || memcmp((*kind)->name, name, bytes) != 0))
        kind++;
    return *kind;
}
