/* FASTA: sequences of molecules, each a line that begins with > and a name, and lines of letters. */

#include "record/record.h"
#include "record/sequence.h"

/* Lines of sequences have more letters than most words. */
enum { LETTERS_MIN = 20 };

static bool is_begun(const uint8_t *data, size_t bytes)
{
    size_t at = 0, name, letters;
    const uint8_t *line;

    return bytes > 0 && data[0] == '>' && sequence_next_line(data, bytes, &at, &name) != NULL && name > 1 &&
           (line = sequence_next_line(data, bytes, &at, &letters)) != NULL && letters >= LETTERS_MIN &&
           sequence_is(line, letters);
}

const struct record_kind fasta_kind = {
    .name = "fasta",
    .text = "sequences, as start:'>'",
    .stands_for = "start:>",
    .noun = "sequences",
    .traits = RECORD_DOUBTFUL,
    .file = "a FASTA file",
    .is_begun = is_begun,
};
