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

/* Look at the file, whose name must stay. The run ends if it surely cannot be read. A file that is not regular is
 * opened by the first draw, even of a number from 0 to 0, since somebody waits at the other end of a FIFO. (shuf opens
 * it before it reads the input of a reservoir, after any other input, and never if nothing is chosen.) */
struct gnu *gnu_open(const char *path);
void gnu_free(struct gnu *gnu); /* also NULL */

/* After the last draw: the run ends if the file has changed since it was opened. */
void gnu_check(const struct gnu *gnu);

/* A number from 0 to `most`. Takes as few bytes of the file as it can: none if `most` is 0. */
uint64_t gnu_draw(struct gnu *gnu, uint64_t most);

/* The first min(wanted, records) steps of Fisher-Yates over the numbers 0 ... records - 1: ranks[i] receives the place
 * of number i afterwards, for all i. */
void gnu_ranks(struct gnu *gnu, const struct table *ranks, uint64_t records, uint64_t wanted);

/* The same over the numbers 0 ... most, without a table of them: the numbers in the first `wanted` places, at most all,
 * are put into `out`. Takes 32 bytes of memory for each of these while it runs. */
void gnu_sparse(struct gnu *gnu, uint64_t most, uint64_t wanted, uint64_t *out);

/* ---- Writing run->limit records, or all ---- */

/* The order of all records, or the first ones of it. Takes 4 bytes of memory for each record, 8 from 2^32 records on,
 * and an eighth more. Records that do not fit are read again if they may be (run->rereads), else spilled. */
void gnu_order(struct run *run, struct source *source, struct gnu *gnu, struct output *output);

/* A sample of run->limit records, as shuf takes it: from a file known to be small, the first records of the order of
 * all; else by way of a reservoir, which takes 16 bytes of memory for each of its records, and in the end 12 bytes and
 * the memory of an order of all records that were ever in it. */
void gnu_sample(struct run *run, struct source *source, struct gnu *gnu, struct output *output);
