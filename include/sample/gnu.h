#pragma once

/*
 * The random numbers that GNU shuf draws from the bytes of --random-source=FILE, so that the output is GNU's, byte for
 * byte. The method was found by experiment with shuf of coreutils 9.1. With draw(g) a number from 0 to g, shuf chooses
 * among n records, numbered from 0 in input order, as follows:
 *
 *     order, -n K   forward Fisher-Yates: for i = 0 ... min(n, K) - 1 swap a[i] with a[i + draw(n - i - 1)]; also of
 *                   -e and -i, and of an input that is a regular file with no more than 8 MiB left to read
 *     -n K          of any other input, a reservoir: it begins as the records 0 ... K - 1; for each record i from K on,
 *                   j = draw(i), and record i takes the place of entry j if j < K; then, if n >= K, draw(n), which
 *                   serves nothing; then the order, as above, of the entries
 *     -r            draw(n - 1) for each record of the output
 */

#include <stdint.h>

#include "input/source.h"
#include "output/output.h"
#include "shuffle/run.h"
#include "system/table.h"

struct gnu;

/* Look at the file, whose name must stay. It fails if it can be told already that the file cannot be read. What is not
 * a regular file is opened by the first draw, even of a number from 0 to 0: somebody waits at the other end of a FIFO.
 * (shuf opens it before it reads the input of a reservoir, after it has read any other, and never when there is nothing
 * to choose.) */
struct gnu *gnu_open(const char *path);
void gnu_free(struct gnu *gnu); /* also NULL */

/* All has been drawn: the run ends if the file has changed since it was opened. */
void gnu_check(const struct gnu *gnu);

/* A number from 0 to `most`, which takes as many bytes as it needs: none for 0. */
uint64_t gnu_draw(struct gnu *gnu, uint64_t most);

/* The first min(wanted, records) steps of Fisher-Yates over the numbers 0 ... records - 1: ranks[i] receives the place
 * where number i is then. All of `records` places of the table are set. */
void gnu_ranks(struct gnu *gnu, const struct table *ranks, uint64_t records, uint64_t wanted);

/* The same over the numbers 0 ... most, without a table of them: those that are in the first `wanted` places, at most
 * all, to `out`. Takes 32 bytes of memory for each while it runs. */
void gnu_sparse(struct gnu *gnu, uint64_t most, uint64_t wanted, uint64_t *out);

/* ---- What is written: run->limit records, or all ---- */

/* The order of all records, or the first ones of it. Takes 4 bytes of memory for each record, 8 from 2^32 on, and an
 * eighth of that. What does not fit is read again if it may be (run->rereads), else spilled. */
void gnu_order(struct run *run, struct source *source, struct gnu *gnu, struct output *output);

/* A sample as shuf takes it, which needs a limit: of a file that is known to be small the first ones of the order of
 * all, else by way of a reservoir. That takes 16 bytes of memory for each of its records, and in the end 12 and as much
 * as an order of all that were in it. */
void gnu_sample(struct run *run, struct source *source, struct gnu *gnu, struct output *output);
