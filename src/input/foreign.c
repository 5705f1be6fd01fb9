/* The beginnings are those of the formats' specifications. Three bytes or fewer could begin a text, so there the next
 * ones tell that it is none. Text may begin with the mark of Parquet, too, but not with what comes next: the type of
 * the first field of a header in Thrift's compact protocol. */

#include "input/foreign.h"

#include <stdbool.h>
#include <string.h>

#include "system/packer.h"

#define IN_ORDER           "its lines make sense only in their order"
#define KEEP(n)            "add --header=" n " to keep its header at the top"
#define ADD(kind, records) "add --records=" kind " to shuffle its " records

/* What files begin with; and how the rows of a class begin. */
#define BYTES(text)   .beginning = (text), .bytes = sizeof(text) - 1
#define UTF_16(text)  "text in UTF-16", BYTES(text), .class = FOREIGN_ENCODED, .command = "iconv -f UTF-16 -t UTF-8"
#define BINARY(text)  BYTES(text), .class = FOREIGN_BINARY
#define NO_ROWS(text) BINARY(text), .advice = "its rows are not lines; convert it to text first"
#define ARCHIVE(tool) .advice = "write " tool " FILE | bigshuf to shuffle lines in it"
#define HEADED(text)  BYTES(text), .class = FOREIGN_HEADED
#define WHOLE(text)   BYTES(text), .class = FOREIGN_WHOLE
#define NO_SUCH       "neither text nor compressed as its name says", .advice = "it may be damaged"

static const struct foreign rows[] = {
    {"text in UTF-32", BYTES("\xff\xfe\0\0"), .class = FOREIGN_ENCODED, .command = "iconv -f UTF-32 -t UTF-8"},
    {"text in UTF-32", BYTES("\0\0\xfe\xff"), .class = FOREIGN_ENCODED, .command = "iconv -f UTF-32 -t UTF-8"},
    {UTF_16("\xff\xfe")},
    {UTF_16("\xfe\xff")},

    {"compressed by lzip", BINARY("LZIP"), .command = "lzip -dc", .ending = {".lz", ".tlz"}},
    {"compressed by lzop", BINARY("\x89LZO\0\r\n\x1a\n"), .command = "lzop -dc", .ending = {".lzo", ".tzo"}},
    {"compressed by snappy", BINARY("\xff\6\0\0sNaPpY"), .command = "snzip -dc", .ending = {".sz", ".snappy"}},
    {"compressed by snappy", BINARY("\x82SNAPPY\0"), .command = "snzip -dc"},
    {"compressed by brotli", .command = "brotli -dc", .ending = {".br"}},
    {NO_SUCH, .ending = {".Z", ".lzma", ".taz"}},
    {NO_SUCH, .ending = {".gzip", ".bgz", ".bz"}},
    {NO_SUCH, .ending = {".tbz", ".tlzma", ".bzip2"}},

    {"a zip archive", BINARY("PK\3\4"), ARCHIVE("unzip -p"), .ending = {".zip"}},
    {"a zip archive", BINARY("PK\5\6"), ARCHIVE("unzip -p")},
    {"a zip archive", BINARY("PK\7\x8"), ARCHIVE("unzip -p")},
    {"a 7z archive", BINARY("7z\xbc\xaf\x27\x1c"), ARCHIVE("7z x -so"), .ending = {".7z"}},
    {"a rar archive", BINARY("Rar!\x1a\7"), ARCHIVE("unrar p -inul"), .ending = {".rar"}},
    {"encrypted", BINARY("Salted__"), .advice = "decrypt it first"},
    {"encrypted", BINARY("age-encryption.org/v1\n"), .advice = "decrypt it first"},

    {"a Parquet file", NO_ROWS("PAR1\x15")},
    {"a Parquet file", NO_ROWS("PARE\x15")},
    {"an ORC file", NO_ROWS("ORC")},
    {"an Arrow file", NO_ROWS("ARROW1\0")},
    {"an Arrow file", NO_ROWS("FEA1\0")},
    {"an SQLite database", NO_ROWS("SQLite format 3\0")},
    {"an HDF5 file", NO_ROWS("\x89HDF\r\n\x1a\n")},
    {"an Avro file", NO_ROWS("Obj\1")},
    {"a sequence file of Hadoop", NO_ROWS("SEQ\6")},
    {"a NumPy file", NO_ROWS("\x93NUMPY")},
    {"a BAM file", NO_ROWS("BAM\1")},
    {"a CRAM file", NO_ROWS("CRAM\1")},
    {"a CRAM file", NO_ROWS("CRAM\2")},
    {"a CRAM file", NO_ROWS("CRAM\3")},
    {"a CRAM file", NO_ROWS("CRAM\4")},
    {"a BCF file", NO_ROWS("BCF\2")},
    {"a BCF file", NO_ROWS("BCF\4")},
    {"a PDF document", NO_ROWS("%PDF-1.")},

    {"a VCF file", HEADED("##fileformat=VCF"), .advice = KEEP("start:'#'"), .mark = "#"},
    {"a GFF file", HEADED("##gff-version"), .advice = KEEP("start:'#'"), .mark = "##", .until = "\n##FASTA"},
    {"a GTF file", HEADED("#!genome-"), .advice = KEEP("start:'#'"), .mark = "#!"},
    {"a SAM file", HEADED("@HD\t"), .advice = KEEP("start:'@'"), .mark = "@"},
    {"a SAM file", HEADED("@SQ\t"), .advice = KEEP("start:'@'"), .mark = "@"},
    {"a SAM file", HEADED("@RG\t"), .advice = KEEP("start:'@'"), .mark = "@"},
    {"a SAM file", HEADED("@PG\t"), .advice = KEEP("start:'@'"), .mark = "@"},
    {"a SAM file", HEADED("@CO\t"), .advice = KEEP("start:'@'"), .mark = "@"},
    {"a wiggle file", WHOLE("track type=wiggle_0"), .advice = IN_ORDER},
    {"a BED file", HEADED("browser "), .then = "\ntrack ", .advice = KEEP("N")},
    {"a BED file", HEADED("track name="), .advice = KEEP("start:track"), .mark = "track"},
    {"a BED file", HEADED("track type="), .advice = KEEP("start:track"), .mark = "track"},
    {"a Matrix Market file", HEADED("%%MatrixMarket "), .advice = KEEP("N")},
    {"a PLY file", HEADED("ply\nformat "), .advice = KEEP("N")},
    {"a PLY file", HEADED("ply\r\nformat "), .advice = KEEP("N")},
    {"an ARFF file", HEADED("@relation "), .advice = KEEP("N")},
    {"an ARFF file", HEADED("@RELATION "), .advice = KEEP("N")},

    {"a GenBank file", WHOLE("LOCUS       "), .advice = ADD("end://", "records")},
    {"an EMBL file", WHOLE("ID   "), .then = "\nAC   ", .advice = ADD("end://", "records")},
    {"a Stockholm file", WHOLE("# STOCKHOLM 1."), .advice = ADD("end://", "records")},
    {"an SDF file", WHOLE(""), .then = "\nM  END", .advice = ADD("end:'$$$$'", "molecules")},
    {"an MGF file", WHOLE("BEGIN IONS"), .advice = ADD("end:'END IONS'", "spectra")},
    {"a PGN file", WHOLE("[Event \""), .advice = ADD("pgn", "games")},
    {"a mailbox", WHOLE("From "), .then = "\nFrom: ", .advice = ADD("mbox", "messages")},
    {"a MEDLINE file", WHOLE("PMID- "), .advice = ADD("paragraph", "records")},
    {"an RIS file", WHOLE("TY  - "), .advice = ADD("start:'TY  - '", "records")},
    {"a CoNLL-U file", WHOLE("# sent_id = "), .advice = ADD("paragraph", "sentences")},
    {"a CoNLL-U file", WHOLE("# newdoc"), .advice = ADD("paragraph", "sentences")},
    {"an LDIF file", WHOLE("version: 1\ndn: "), .advice = ADD("paragraph --header", "records")},
    {"an LDIF file", WHOLE("version: 1\r\ndn: "), .advice = ADD("paragraph --header", "records")},
    {"an LDIF file", WHOLE("version: 1\n\ndn: "), .advice = ADD("paragraph --header=2", "records")},
    {"an LDIF file", WHOLE("dn: "), .then = "\nobject", .advice = ADD("paragraph", "records")},
    {"a list of Debian packages", WHOLE("Package: "), .then = "\nVersion: ", .advice = ADD("paragraph", "records")},
    {"a SubRip file", WHOLE("1\n00:"), .then = " --> ", .advice = IN_ORDER},
    {"a SubRip file", WHOLE("1\r\n00:"), .then = " --> ", .advice = IN_ORDER},
    {"a WebVTT file", WHOLE("WEBVTT"), .then = " --> ", .advice = IN_ORDER},
    {"a file of vCards", WHOLE("BEGIN:VCARD"), .advice = ADD("start:BEGIN:VCARD", "cards")},
    {"a calendar", WHOLE("BEGIN:VCALENDAR"), .advice = IN_ORDER},
    {"a GEDCOM file", WHOLE("0 HEAD"), .then = "\n1 ", .advice = IN_ORDER},
    {"a PDB file", WHOLE("HEADER    "), .advice = IN_ORDER},
    {"a BibTeX file", WHOLE("@article{"), .advice = IN_ORDER},
    {"a BibTeX file", WHOLE("@inproceedings{"), .advice = IN_ORDER},
    {"a BibTeX file", WHOLE("@book{"), .advice = IN_ORDER},
    {"an OBO file", WHOLE("format-version: "), .then = "\n[Term]", .advice = IN_ORDER},
    {"a PO file", WHOLE("msgid \"\""), .then = "\nmsgstr ", .advice = IN_ORDER},
    {"a YAML file", WHOLE("%YAML 1."), .advice = IN_ORDER},
    {"an SQL dump", WHOLE("-- MySQL dump "), .advice = IN_ORDER},
    {"an SQL dump", WHOLE("-- MariaDB dump "), .advice = IN_ORDER},
    {"an SQL dump", WHOLE("--\n-- PostgreSQL database dump"), .advice = IN_ORDER},
    {"an SQL dump", WHOLE("PRAGMA foreign_keys=OFF;"), .advice = IN_ORDER},
    {"an XML file", WHOLE("<?xml version="), .advice = IN_ORDER},
    {"an XML file", WHOLE("<mediawiki "), .advice = IN_ORDER},
    {"an HTML file", WHOLE("<!DOCTYPE "), .advice = IN_ORDER},
    {"an HTML file", WHOLE("<!doctype "), .advice = IN_ORDER},
    {"an SVG file", WHOLE("<svg "), .advice = IN_ORDER},
    {"a script", WHOLE("#!/"), .advice = IN_ORDER},
    {"a FASTA file", BYTES(">"), .class = FOREIGN_PERHAPS,
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

static bool begins_with(const uint8_t *data, size_t bytes, const struct foreign *row)
{
    return bytes >= row->bytes && memcmp(data, row->beginning, row->bytes) == 0;
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

/* Lines that all begin so are records. */
static bool is_whole(const uint8_t *data, size_t bytes, const struct foreign *row)
{
    const uint8_t *end = memchr(data, '\n', bytes);
    const size_t line = end != NULL ? (size_t)(end - data) + 1 : bytes;

    return line < bytes && !begins_with(data + line, bytes - line, row);
}

static bool is_of(const struct foreign *row, const uint8_t *data, size_t bytes)
{
    if (row->beginning == NULL || !begins_with(data, bytes, row) ||
        (row->then != NULL && !foreign_finds(data, bytes, row->then)))
        return false;
    if (row->class == FOREIGN_BINARY)
        return row->bytes > 3 || !is_text(data, bytes);
    return row->class < FOREIGN_WHOLE || row->bytes == 0 || is_whole(data, bytes, row);
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
