/* The text is put together in memory first, so that nothing is printed of a store that cannot be read. */

#include "store/list.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/number.h"
#include "shuffle/engine.h"
#include "shuffle/gather.h"
#include "store/batch.h"
#include "system/fault.h"
#include "system/io.h"

struct totals {
    uint64_t records; /* no more than bytes, and those are no more than INT64_MAX */
    uint64_t bytes;
    struct manifest_pile *pile; /* of all batches */
};

static void list_batch(FILE *to, const char *name, int width, const struct manifest *manifest, bool for_programs,
                       struct totals *totals)
{
    for (unsigned p = 0; p < manifest->piles; p++) {
        totals->pile[p].records += manifest->pile[p].records;
        totals->pile[p].bytes += manifest->pile[p].bytes;
    }
    totals->records += manifest->records;
    if (for_programs)
        fprintf(to, "%s\t%u\t%llu\t%llu%c", name, manifest->piles, (unsigned long long)manifest->records,
                (unsigned long long)manifest->bytes, '\0');
    else
        fprintf(to, "%-*s %6u %16llu %20llu\n", width, name, manifest->piles, (unsigned long long)manifest->records,
                (unsigned long long)manifest->bytes);
}

/* What somebody who is going to read the store wants to know. */
static void list_totals(FILE *to, int width, const struct totals *totals, unsigned piles)
{
    uint64_t largest = 0;
    char size[32];

    for (unsigned p = 1; p < piles; p++)
        if (totals->pile[p].bytes > totals->pile[largest].bytes)
            largest = p;
    fprintf(to, "%-*s %6u %16llu %20llu\n", width, "in all", piles, (unsigned long long)totals->records,
            (unsigned long long)totals->bytes);
    fprintf(
        to, "\nThe largest pile has %s: -S %lluM holds it in memory.\n",
        number_format_size(totals->pile[largest].bytes, size),
        (unsigned long long)engine_needed(gather_memory(totals->pile[largest].bytes, totals->pile[largest].records)));
}

/* Batches that have left the store since their names were read are passed over. */
static void list_batches(FILE *to, const struct store *store, const struct folder_names *names, bool for_programs)
{
    struct totals totals = {.pile = fault_allocate(store->format.piles, sizeof *totals.pile)};
    int width = 6;

    for (size_t i = 0; i < names->count; i++)
        width = (int)strlen(names->name[i]) > width ? (int)strlen(names->name[i]) : width;
    if (!for_programs)
        fprintf(to, "%-*s %6s %16s %20s\n", width, "batch", "piles", "records", "bytes");
    for (size_t i = 0; i < names->count; i++) {
        struct manifest manifest;
        struct batch batch;

        if (!batch_open(&batch, store, names->name[i], &manifest))
            continue;
        batch_add_bytes(&batch, &manifest, &totals.bytes);
        list_batch(to, names->name[i], width, &manifest, for_programs, &totals);
        manifest_release(&manifest);
        batch_close(&batch);
    }
    if (!for_programs)
        list_totals(to, width, &totals, store->format.piles);
    free(totals.pile);
}

void list_store(const struct store *store, bool for_programs)
{
    struct folder_names names;
    char *text = NULL;
    size_t length = 0;
    FILE *to = open_memstream(&text, &length);

    if (to == NULL)
        fault_report("memory", errno);
    store_batches(store, &names);
    list_batches(to, store, &names, for_programs);
    if (fclose(to) != 0)
        fault_report("memory", errno);
    if (io_print(text, length) != 0)
        fault_report("write error", errno);
    folder_names_release(&names);
    free(text);
}
