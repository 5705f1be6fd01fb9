/*
 * Sequences of molecules. FASTA: a line that begins with > and a name, and lines of letters. FASTQ: reads of four lines
 * each: @ and a name, letters, a plus sign, and a quality for each letter. They stand for other kinds, but their files
 * are known by their beginnings, and each read of FASTQ is checked: one may have more lines, or have lost one, so that
 * all reads after it would be torn.
 */

#include <stdio.h>
#include <string.h>

#include "record/record.h"
#include "record/scan.h"
#include "record/tail.h"
#include "system/fault.h"

/* The line that begins at data[*at], without its end; *at moves on to the next line. NULL if it has no end. */
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

/* A letter, then letters and signs for gaps and ends; at the end of the line perhaps a carriage return. */
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

/* One sequence that is surely not of words, or several of any letters. */
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

/* ---- Checking reads ---- */

#define FOUR_LINES "; to have four lines for each read, write seqtk seq -l0 FILE | bigshuf --records=fastq"

/* The line that begins a read, or its third one, begins with another byte, or is empty. */
_Noreturn static void refuse_line(const struct tail *tail, const char *name, uint64_t number, uint8_t byte)
{
    const bool is_first = tail->scan.done == 0, is_new = number == tail->passed + 1;
    char place[32] = "what follows the header", said[32] = "is empty";

    if (!is_new || !tail->after_header)
        snprintf(place, sizeof place, "line %llu", (unsigned long long)number);
    if (byte != tail->format->delimiter && byte != '\r')
        snprintf(said, sizeof said, byte < 0x7f ? "begins with '%c'" : "begins with '\\x%02x'", byte);
    die("%s: %s %s, but %s read begins with '%c'%s", fault_name(name), place, said,
        is_first ? "each" : "line 3 of each", is_first ? '@' : '+',
        is_new && byte == '>'          ? "; FASTA is --records=fasta"
        : is_new && tail->after_header ? ""
                                       : FOUR_LINES);
}

/* The first byte of line `number`: a read begins with @, its third line with +. */
static void check_byte(const struct tail *tail, const char *name, uint64_t number, uint8_t byte)
{
    if ((tail->scan.done == 0 && byte != '@') || (tail->scan.done == 2 && byte != '+'))
        refuse_line(tail, name, number, byte);
}

/* The last line of the read has `qualities` bytes: compare that with its letters. */
static void check_qualities(const struct tail *tail, const char *name, uint64_t number, uint64_t qualities)
{
    if (qualities != tail->read.letters)
        die("%s: line %llu: %llu qualities for %llu letters" FOUR_LINES, fault_name(name), (unsigned long long)number,
            (unsigned long long)qualities, (unsigned long long)tail->read.letters);
}

/* The next bytes of a line, which may end with them. */
static void check_line(struct tail *tail, const char *name, uint64_t number, const uint8_t *data, size_t bytes)
{
    struct tail_read *read = &tail->read;
    const bool ends = data[bytes - 1] == tail->format->delimiter;
    uint64_t length;

    if (read->passed == 0)
        check_byte(tail, name, number, data[0]);
    read->passed += bytes;
    tail->scan.open = !ends;
    if (!ends || bytes > 1)
        read->returns = data[bytes - 1 - ends] == '\r';
    if (!ends)
        return;
    length = read->passed - 1 - read->returns;
    if (tail->scan.done == 3)
        check_qualities(tail, name, number, length);
    read->letters = tail->scan.done == 1 ? length : read->letters;
    read->passed = read->returns = 0;
    tail->scan.done = (tail->scan.done + 1) % 4;
}

/* Are these four lines one of the usual reads? They begin with data[0], and their ends are there. */
static bool is_usual(const uint8_t *data, const uint32_t ends[4], size_t begin)
{
    return data[begin] == '@' && data[ends[1]] == '+' && ends[1] - ends[0] == ends[3] - ends[2] &&
           (data[ends[1] - 2] == '\r') == (data[ends[3] - 2] == '\r');
}

static void follow_reads(struct tail *tail, const char *name, const uint8_t *data, size_t bytes)
{
    struct scan_search search = {.byte = tail->format->delimiter};
    uint32_t ends[SCAN_ENDS];

    tail_learn_end(tail, data, bytes);
    for (size_t scanned; bytes > 0; data += scanned, bytes -= scanned) {
        const size_t lines = scan_find(&search, data, bytes, ends, SCAN_ENDS, &scanned);
        size_t begin = 0;

        for (size_t i = 0, passed; i < lines; begin = ends[i - 1]) {
            const bool whole = tail->scan.done == 0 && !tail->scan.open && i + 4 <= lines;

            passed = whole && is_usual(data, ends + i, begin) ? 4 : 1;
            if (passed == 1)
                check_line(tail, name, tail->newlines + i + 1, data + begin, ends[i] - begin);
            i += passed;
        }
        tail->newlines += lines;
        if (begin < scanned)
            check_line(tail, name, tail->newlines + 1, data + begin, scanned - begin);
    }
}

/* The file's last newline is missing. */
static void check_last(const struct tail *tail, const char *name)
{
    check_qualities(tail, name, tail->newlines + 1, tail->read.passed - tail->read.returns);
}

/* Lines are left over. */
static void refuse_reads(const struct tail *tail, const char *name)
{
    const unsigned long long line = tail->newlines - tail->scan.done + 1;

    die("%s: line %llu: the last read has %u of 4 lines" FOUR_LINES, fault_name(name), line,
        (unsigned)tail->scan.done + tail->scan.open);
}

const struct record_kind sequences_fastq = {
    .name = "fastq",
    .text = "reads of four lines, checked",
    .stands_for = "lines:4",
    .looks = true,
    .follow = follow_reads,
    .check_last = check_last,
    .refuse = refuse_reads,
    .noun = "reads",
    .file = "a FASTQ file",
    .is_begun = is_fastq,
};
