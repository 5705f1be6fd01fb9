/*
 * bigshuf: shuffle the records of files larger than memory.
 *
 * The folders of src/, from the top down, and in each its files from the top down. A file includes only what stands
 * after it in this list, which tests/layers.sh reads from here. include/ and tests/unit/ have the same folders.
 *
 *     job        what is to be done, from the options and what is known of the input, and doing it
 *                    job passes resources progress ledger supply room task
 *     command    the command line
 *                    command_line combinations help option_table argument suggest options
 *     sample     other orders: of the input, with replacement, by weight, on request, as GNU shuf; ranges; small inputs
 *                    requests dialogue weight_tree weighted weight_law range replacement gnu small in_order keep
 *                    weight_input
 *     store      piles that are kept: batches in a directory, which many processes fill and read
 *                    draft sweep batch store format manifest
 *     shuffle    the order of the seed: pass 1 scatters records to piles, pass 2 gathers pile by pile
 *                    shuffle scatter keyed_reader seen stage gather units run keyed index sorted
 *                    pile_keys pile_source pile engine order queue
 *     output     where records go: one file or several, whole or not there, or commands
 *                    output overlap by_key in_turn strata names files division plan held_back framing filter sink
 *                    target split outlet
 *     temporary  where piles are that do not fit into memory
 *                    reread spill spill_place storage frames
 *     input      where records come from: one stream, or record by record
 *                    archive key_check record_reader position generated stream source
 *                    contents hints columns foreign decompress operand reference
 *     record     what a record is, where it ends, and what files have before the first and after the last one
 *                    header csv sequences string last_line lines sizes tar group length tail hasher key
 *                    record scan field json_alike json json_inside quotes
 *     system     the machine: system calls, files, threads, signals, memory, and the one message of a failed run
 *                    threads packer program standard folder file_mark table fault hardware io signals
 *                    progress_line pool sys
 *     base       pure computation: random words, checksums, compression, numbers and strings as people write them
 *                    random chacha sha256 siphash xxh64 crc32c lz4 steps decimal number escape arithmetic uint128
 *                    tunable must
 *
 * The way of a record: input/source reads it, and holds it in memory if job/supply has planned that, and makes one of
 * several, if asked (input/archive); shuffle/scatter finds its end (record/record) and its pile (shuffle/order, or by
 * its key, whose hash shuffle/keyed_reader gets from record/hasher, or by its weight shuffle/sorted) and puts it there
 * (shuffle/stage, shuffle/pile), or a reference to it (input/reference), into memory or temporary/spill; shuffle/gather
 * finds its place (shuffle/order, or by that hash shuffle/keyed, or by that weight) and copies it out (shuffle/index)
 * through output/output, which puts it into a file (output/sink): of several, by its number (output/in_turn) or its
 * field of --split-field (output/by_key).
 */

#include <errno.h>
#include <stdlib.h>

#include "command/command_line.h"
#include "job/job.h"
#include "system/fault.h"
#include "system/signals.h"
#include "system/sys.h"

int main(int argc, char **argv)
{
    struct options options;

    signals_install();
    if (sys_fill_standard() != 0)
        die_errno("/dev/null", errno);
    if (command_line_parse(&options, argc, argv))
        job_run(&options);
    command_line_release(&options);
    return EXIT_SUCCESS;
}
