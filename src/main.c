/*
 * bigshuf: shuffle the records of files larger than memory.
 *
 * Where things are, from the top down:
 *
 *     main.c      this map
 *     job.c       what is to be done, and doing it
 *     stored.c    jobs on a store of piles; list.c what is in one
 *     setup.c     what a job needs before it can work
 *     plan.c      what the options mean
 *     options.c   the command line: option.c the options, a table row for each; argument.c their arguments
 *     help.c      what the program says of itself
 *     select.c    samples in the order of the input
 *     repeat.c    samples with replacement
 *     weighted.c  weighted samples: weight.c the law, weights.c where weights stand, field.c in a record
 *     replay.c    the orders of GNU shuf, from a file of random bytes: gnu.c
 *     draw.c      numbers of a range, one by one
 *     keyed.c     records in the order of keys
 *     shuffle.c   scatter, gather, and start over what does not fit
 *     scatter.c   pass 1: every record to its pile
 *     gather.c    pass 2: the piles in order, each shuffled, to the output
 *     order.c     the permutation: the tree of piles and the shuffle of a leaf, as numbers
 *     index.c     the records of a pile as references that can be permuted
 *     passage.c   records one by one, from a source to an output: walk.c, outlet.c
 *     pile.c      piles in memory and on disk, and the policy of spilling; keys.c numbers beside records
 *     storage.h   where piles are that are not in memory: one of the following three
 *     spill.c     temporary files; compress.c the program that compresses them
 *     draft.c     a batch in work: bundle.c its files; sweep.c what is left of some; owner.c whose they are
 *     stack.c     all batches of a store, one above the other: batch.c one of them; manifest.c what is known of it
 *     store.c     the directory of batches: format.c what they have in common; folder.c directories
 *     queue.c     input blocks on their way through pass 1
 *     record.c    what a record is
 *     source.c    where records come from: header.c the beginning of a file, tail.c its end; words.c those in no file
 *     output.c    where records go: one file or several; cut.c where one ends, hold.c keeps what is undecided
 *     form.c      what a file has besides its records; pattern.c names of shards; split.c --split
 *     sink.c      a file that is whole or not there; target.c finds out how; filter.c a file through a command
 *     run.c       what the stages share, and how the memory is divided
 *     pool.c      blocks of memory; table.c arrays laid over them; sort.c sorts those
 *     team.c      threads
 *     random.c    the random words: chacha.c, keyed through sha256.c
 *     scan.c      find bytes; xxh64.c checksums; escape.c bytes written as in C
 *     number.c    numbers as people write them, and decimal.c
 *     hardware.c  memory and processors to use; cgroup.c control groups; textfile.c small files
 *     signals.c   death by signal; fault.c the one message of a failed run
 *     io.c        reading and writing that does not stop half-way; sys.c every system call; wide.h 128-bit numbers
 */

#include <stdio.h>
#include <stdlib.h>

#include "command/options.h"
#include "job/job.h"
#include "system/fault.h"
#include "system/signals.h"
#include "system/sys.h"

int main(int argc, char **argv)
{
    struct options options;
    enum options_verdict verdict;
    int status = EXIT_FAILURE;

    if (sys_fill_standard() != 0) {
        perror("bigshuf: /dev/null");
        return EXIT_FAILURE;
    }
    signals_install();
    verdict = options_parse(&options, argc, argv);
    if (verdict == OPTIONS_DONE || (verdict == OPTIONS_RUN && job_run(&options) == 0))
        status = EXIT_SUCCESS;
    options_release(&options);
    return status;
}
