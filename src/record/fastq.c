/* FASTQ: reads of sequences, of four lines each: a name behind @, letters, a plus sign, and as many qualities. */

#include "record/record.h"
#include "record/sequence.h"

static bool is_begun(const uint8_t *data, size_t bytes)
{
    size_t at = 0, name, letters, plus, qualities;
    const uint8_t *line;

    return bytes > 0 && data[0] == '@' && sequence_next_line(data, bytes, &at, &name) != NULL && name > 1 &&
           (line = sequence_next_line(data, bytes, &at, &letters)) != NULL && sequence_is(line, letters) &&
           (line = sequence_next_line(data, bytes, &at, &plus)) != NULL && plus > 0 && line[0] == '+' &&
           sequence_next_line(data, bytes, &at, &qualities) != NULL && qualities == letters;
}

const struct record_kind fastq_kind = {
    .name = "fastq",
    .text = "reads, as lines:4",
    .stands_for = "lines:4",
    .noun = "reads",
    .file = "a FASTQ file",
    .is_begun = is_begun,
};
