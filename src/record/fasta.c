/* Sequences of molecules, as biologists keep them. */

#include "record/record.h"

const struct record_kind fasta_kind = {
    .name = "fasta",
    .text = "sequences, as start:'>'",
    .stands_for = "start:>",
};
