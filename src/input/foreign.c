/* The beginnings are those of the formats' specifications. A text could begin with three bytes or fewer, so for these
 * the next bytes are compared, too. Text may begin with the mark of Parquet, but not with the byte after it, the type
 * of the first field of a header in Thrift's compact protocol. */

#include "input/foreign.h"

#include <stdbool.h>
#include <string.h>

#include "system/packer.h"

#define IN_ORDER           "its lines make sense only in their order"
#define KEEP(n)            "add --header=" n " to keep its header at the top"
#define ADD(kind, records) "add --records=" kind " to shuffle its " records

/* The beginning of a file; and of the rows of a class. */
#define B(text)                                                                                                        \
    {                                                                                                                  \
        (text), sizeof(text) - 1                                                                                       \
    }
#define BYTES(...)    .beginning = {__VA_ARGS__}
#define UTF(width)    .class = FOREIGN_ENCODED, .command = "iconv -f UTF-" width " -t UTF-8"
#define BINARY(...)   BYTES(__VA_ARGS__), .class = FOREIGN_BINARY
#define NO_ROWS(...)  BINARY(__VA_ARGS__), .advice = "its rows are not lines; convert it to text first"
#define ARCHIVE(tool) .advice = "write " tool " FILE | bigshuf to shuffle lines in it"
#define HEADED(...)   BYTES(__VA_ARGS__), .class = FOREIGN_HEADED
#define WHOLE(...)    BYTES(__VA_ARGS__), .class = FOREIGN_WHOLE
#define NO_SUCH       "neither text nor compressed as its name says", .advice = "it may be damaged"

static const struct foreign rows[] = {
    {"text in UTF-32", BYTES(B("\xff\xfe\0\0"), B("\0\0\xfe\xff")), UTF("32")},
    {"text in UTF-16", BYTES(B("\xff\xfe"), B("\xfe\xff")), UTF("16")},

    {"compressed by lzip", BINARY(B("LZIP")), .command = "lzip -dc", .ending = {".lz", ".tlz"}},
    {"compressed by lzop", BINARY(B("\x89LZO\0\r\n\x1a\n")), .command = "lzop -dc", .ending = {".lzo", ".tzo"}},
    {"compressed by snappy", BINARY(B("\xff\6\0\0sNaPpY"), B("\x82SNAPPY\0")), .command = "snzip -dc",
     .ending = {".sz", ".snappy"}},
    {"compressed by brotli", .command = "brotli -dc", .ending = {".br"}},
    {NO_SUCH, .ending = {".Z", ".lzma", ".taz", ".gzip", ".bgz", ".bz", ".tbz", ".tlzma", ".bzip2"}},

    {"a zip archive", BINARY(B("PK\3\4"), B("PK\5\6"), B("PK\7\x8")), ARCHIVE("unzip -p"), .ending = {".zip"}},
    {"a 7z archive", BINARY(B("7z\xbc\xaf\x27\x1c")), ARCHIVE("7z x -so"), .ending = {".7z"}},
    {"a rar archive", BINARY(B("Rar!\x1a\7")), ARCHIVE("unrar p -inul"), .ending = {".rar"}},
    {"encrypted", BINARY(B("Salted__"), B("age-encryption.org/v1\n")), .advice = "decrypt it first"},

    {"a Parquet file", NO_ROWS(B("PAR1\x15"), B("PARE\x15"))},
    {"an ORC file", NO_ROWS(B("ORC"))},
    {"an Arrow file", NO_ROWS(B("ARROW1\0"), B("FEA1\0"))},
    {"an SQLite database", NO_ROWS(B("SQLite format 3\0"))},
    {"an HDF5 file", NO_ROWS(B("\x89HDF\r\n\x1a\n"))},
    {"an Avro file", NO_ROWS(B("Obj\1"))},
    {"a sequence file of Hadoop", NO_ROWS(B("SEQ\6"))},
    {"a NumPy file", NO_ROWS(B("\x93NUMPY"))},
    {"a BAM file", NO_ROWS(B("BAM\1"))},
    {"a CRAM file", NO_ROWS(B("CRAM\1"), B("CRAM\2"), B("CRAM\3"), B("CRAM\4"))},
    {"a BCF file", NO_ROWS(B("BCF\2"), B("BCF\4"))},
    {"a PDF document", NO_ROWS(B("%PDF-1."))},
    {"a batch of a store", BINARY(B("bigshuf batch ")), .advice = "write bigshuf --gather=STORE to read it"},

    {"a VCF file", HEADED(B("##fileformat=VCF")), .advice = KEEP("start:'#'"), .mark = "#"},
    {"a GFF file", HEADED(B("##gff-version")), .advice = KEEP("start:'#'"), .mark = "##", .until = "\n##FASTA"},
    {"a GTF file", HEADED(B("#!genome-")), .advice = KEEP("start:'#'"), .mark = "#!"},
    {"a SAM file", HEADED(B("@HD\t"), B("@SQ\t"), B("@RG\t"), B("@PG\t"), B("@CO\t")), .advice = KEEP("start:'@'"),
     .mark = "@"},
    {"a wiggle file", WHOLE(B("track type=wiggle_0")), .advice = IN_ORDER},
    {"a BED file", HEADED(B("browser ")), .then = "\ntrack ", .advice = KEEP("N")},
    {"a BED file", HEADED(B("track name="), B("track type=")), .advice = KEEP("start:track"), .mark = "track"},
    {"a Matrix Market file", HEADED(B("%%MatrixMarket ")), .advice = KEEP("N")},
    {"a PLY file", HEADED(B("ply\nformat ")), .advice = KEEP("N")},
    {"an ARFF file", HEADED(B("@relation "), B("@RELATION ")), .advice = KEEP("N")},

    {"a GenBank file", WHOLE(B("LOCUS       ")), .advice = ADD("end://", "records")},
    {"an EMBL file", WHOLE(B("ID   ")), .then = "\nAC   ", .advice = ADD("end://", "records")},
    {"a Stockholm file", WHOLE(B("# STOCKHOLM 1.")), .advice = ADD("end://", "records")},
    {"an SDF file", WHOLE(B("")), .then = "\nM  END", .advice = ADD("end:'$$$$'", "molecules")},
    {"an MGF file", WHOLE(B("BEGIN IONS")), .advice = ADD("end:'END IONS'", "spectra")},
    {"a PGN file", WHOLE(B("[Event \"")), .advice = ADD("pgn", "games")},
    {"a mailbox", WHOLE(B("From ")), .then = "\nFrom: ", .advice = ADD("mbox", "messages")},
    {"a MEDLINE file", WHOLE(B("PMID- ")), .advice = ADD("paragraph", "records")},
    {"an RIS file", WHOLE(B("TY  - ")), .advice = ADD("start:'TY  - '", "records")},
    {"a CoNLL-U file", WHOLE(B("# sent_id = "), B("# newdoc")), .advice = ADD("paragraph", "sentences")},
    {"a CoNLL-U file", WHOLE(B("# global.columns")), .advice = ADD("paragraph --header", "sentences")},
    {"an LDIF file", WHOLE(B("version: 1\ndn: ")), .advice = ADD("paragraph --header", "records")},
    {"an LDIF file", WHOLE(B("version: 1\n\ndn: ")), .advice = ADD("paragraph --header=2", "records")},
    {"an LDIF file", WHOLE(B("dn: ")), .then = "\nobject", .advice = ADD("paragraph", "records")},
    {"an LDIF file", WHOLE(B("dn: ")), .then = "\ndn: ", .advice = ADD("paragraph", "records")},
    {"a list of Debian packages", WHOLE(B("Package: ")), .then = "\nVersion: ", .advice = ADD("paragraph", "records")},
    {"a SubRip file", WHOLE(B("1\n00:")), .then = " --> ", .advice = IN_ORDER},
    {"a WebVTT file", WHOLE(B("WEBVTT")), .then = " --> ", .advice = IN_ORDER},
    {"a file of vCards", WHOLE(B("BEGIN:VCARD")), .advice = ADD("start:BEGIN:VCARD", "cards")},
    {"a calendar", WHOLE(B("BEGIN:VCALENDAR")), .advice = IN_ORDER},
    {"a GEDCOM file", WHOLE(B("0 HEAD")), .then = "\n1 ", .advice = IN_ORDER},
    {"a PDB file", WHOLE(B("HEADER    ")), .advice = IN_ORDER},
    {"a BibTeX file", WHOLE(B("@article{"), B("@inproceedings{"), B("@book{")), .advice = IN_ORDER},
    {"an OBO file", WHOLE(B("format-version: ")), .then = "\n[Term]", .advice = IN_ORDER},
    {"a PO file", WHOLE(B("msgid \"\"")), .then = "\nmsgstr ", .advice = IN_ORDER},
    {"a YAML file", WHOLE(B("%YAML 1.")), .advice = IN_ORDER},
    {"an SQL dump",
     WHOLE(B("-- MySQL dump "), B("-- MariaDB dump "), B("--\n-- PostgreSQL database dump"),
           B("PRAGMA foreign_keys=OFF;")),
     .advice = IN_ORDER},
    {"an XML file", WHOLE(B("<?xml version="), B("<mediawiki ")), .advice = IN_ORDER},
    {"an HTML file", WHOLE(B("<!DOCTYPE "), B("<!doctype ")), .advice = IN_ORDER},
    {"an SVG file", WHOLE(B("<svg ")), .advice = IN_ORDER},
    {"a script", WHOLE(B("#!/")), .advice = IN_ORDER},
    {"a FASTA file", BYTES(B(">")), .class = FOREIGN_PERHAPS,
     .advice = "add --records=fasta to shuffle its sequences, or --records=lines:1 its lines"},
};

bool foreign_finds(const uint8_t *data, size_t bytes, const char *text)
{
    const size_t length = strlen(text);
    const uint8_t *end = data + bytes;

    for (; (data = memchr(data, text[0], (size_t)(end - data))) != NULL && length <= (size_t)(end - data); data++)
        if (memcmp(data, text, length) == 0)
            return true;
    return false;
}

/* Does it begin with one of the row's texts? A newline may have a carriage return before it. */
static bool begins_with(const uint8_t *data, size_t bytes, const struct foreign *row)
{
    for (size_t b = 0; b < FOREIGN_BEGINNINGS && row->beginning[b].text != NULL; b++) {
        const struct foreign_beginning *beginning = &row->beginning[b];
        size_t at = 0, i = 0;

        for (; i < beginning->bytes && at < bytes; i++, at++) {
            at += beginning->text[i] == '\n' && data[at] == '\r' && at + 1 < bytes;
            if (data[at] != (uint8_t)beginning->text[i])
                break;
        }
        if (i == beginning->bytes)
            return true;
    }
    return false;
}

/* UTF-8, as far as it goes, with the control characters that terminals and printers know. */
static bool is_text(const uint8_t *data, size_t bytes)
{
    unsigned follow = 0;

    for (size_t i = 0; i < bytes && i < FOREIGN_LOOK_BYTES; i++) {
        const uint8_t byte = data[i];
        const bool follows = (byte & 0xc0) == 0x80;

        if ((byte < ' ' && (byte < '\a' || byte > '\r') && byte != 0x1b) || follows != (follow > 0) || byte > 0xf4)
            return false;
        follow = follows ? follow - 1 : byte >= 0xf0 ? 3 : byte >= 0xe0 ? 2 : byte >= 0xc2 ? 1 : 0;
    }
    return true;
}

/* But if all lines begin so, they are records. */
static bool is_whole(const uint8_t *data, size_t bytes, const struct foreign *row)
{
    const uint8_t *end = memchr(data, '\n', bytes);
    const size_t line = end != NULL ? (size_t)(end - data) + 1 : bytes;

    return line < bytes && !begins_with(data + line, bytes - line, row);
}

static bool is_of(const struct foreign *row, const uint8_t *data, size_t bytes)
{
    if (!begins_with(data, bytes, row) || (row->then != NULL && !foreign_finds(data, bytes, row->then)))
        return false;
    if (row->class == FOREIGN_BINARY)
        return row->beginning[0].bytes > 3 || !is_text(data, bytes);
    return row->class < FOREIGN_WHOLE || row->beginning[0].bytes == 0 || is_whole(data, bytes, row);
}

static const struct foreign *row_of_name(const char *name)
{
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++)
        for (size_t e = 0; e < FOREIGN_ENDINGS && rows[i].ending[e] != NULL; e++)
            if (packer_ends_with(name, rows[i].ending[e]))
                return &rows[i];
    return NULL;
}

const struct foreign *foreign_of(const char *name, const uint8_t *data, size_t bytes)
{
    static const struct foreign no_such = {NO_SUCH};

    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++)
        if (is_of(&rows[i], data, bytes))
            return &rows[i];
    if (name == NULL || is_text(data, bytes))
        return NULL;
    return packer_of_name(name) != NULL ? &no_such : row_of_name(name);
}

bool foreign_is_packed(const char *name)
{
    return row_of_name(name) != NULL;
}
