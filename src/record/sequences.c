/*
 * Sequences of molecules. FASTA: a line that begins with > and a name, and lines of letters. FASTQ: reads of four lines
 * each, a name behind @, letters, a plus sign, and as many qualities. They stand for other kinds, but their files are
 * known by how they begin.
 */

#include <string.h>

#include "record/record.h"

/* The line that begins at data[*at], without its end, if that is there, too; *at moves behind it. Else NULL. */
static const uint8_t *next_line(const uint8_t *data, size_t bytes, size_t *at, size_t *line_bytes)
{
    const uint8_t *line = data + *at;
    const uint8_t *end = memchr(line, '\n', bytes - *at);

    if (end == NULL)
        return NULL;
    *line_bytes = (size_t)(end - line);
    *at += *line_bytes + 1;
    return line;
}

/* Letters, of which the first is one, and what stands for gaps and ends; at the end of the line perhaps a carriage
 * return. */
static bool is_sequence(const uint8_t *line, size_t bytes)
{
    if (bytes > 0 && line[bytes - 1] == '\r')
        bytes--;
    for (size_t i = 0; i < bytes; i++) {
        const uint8_t lower = line[i] | 0x20;

        if ((lower < 'a' || lower > 'z') && (i == 0 || (line[i] != '*' && line[i] != '-')))
            return false;
    }
    return bytes > 0;
}

/* Lines of sequences have more letters than most words, or are of nucleotides alone. */
enum { LETTERS_MIN = 20, NUCLEOTIDES_MIN = 4, FASTA_BYTES = 4096 };

/* One sequence that is surely none of words, or several of any letters. */
static bool is_fasta(const uint8_t *data, size_t bytes)
{
    size_t at = 0, sequences = 0, letters;
    bool named = false;
    const uint8_t *line;

    bytes = bytes < FASTA_BYTES ? bytes : FASTA_BYTES;
    while ((line = next_line(data, bytes, &at, &letters)) != NULL && sequences < 2) {
        if (letters > 1 && line[0] == '>') {
            named = true;
            continue;
        }
        if (at == letters + 1 || !is_sequence(line, letters))
            return false;
        if (letters >= LETTERS_MIN || (letters >= NUCLEOTIDES_MIN && strspn((const char *)line, "ACGTN\r") == letters))
            return true;
        sequences += named;
        named = false;
    }
    return sequences > 1;
}

const struct record_kind sequences_fasta = {
    .name = "fasta",
    .text = "sequences, as start:'>'",
    .stands_for = "start:>",
    .noun = "sequences",
    .traits = RECORD_DOUBTFUL,
    .file = "a FASTA file",
    .is_begun = is_fasta,
};

static bool is_fastq(const uint8_t *data, size_t bytes)
{
    size_t at = 0, name, letters, plus, qualities;
    const uint8_t *line;

    return bytes > 0 && data[0] == '@' && next_line(data, bytes, &at, &name) != NULL && name > 1 &&
           (line = next_line(data, bytes, &at, &letters)) != NULL && is_sequence(line, letters) &&
           (line = next_line(data, bytes, &at, &plus)) != NULL && plus > 0 && line[0] == '+' &&
           next_line(data, bytes, &at, &qualities) != NULL && qualities == letters;
}

const struct record_kind sequences_fastq = {
    .name = "fastq",
    .text = "reads, as lines:4",
    .stands_for = "lines:4",
    .mark = '@',
    .noun = "reads",
    .file = "a FASTQ file",
    .is_begun = is_fastq,
};
