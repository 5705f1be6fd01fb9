/* The beginnings are those of the formats' specifications. Three bytes or fewer could begin a text, so there the next
 * ones tell that it is none. Text may begin with the mark of Parquet, too, but not with what comes next: the type of
 * the first field of a header in Thrift's compact protocol. */

#include "input/foreign.h"

#include <stdbool.h>
#include <string.h>

#include "system/packer.h"

#define NO_LINES "its rows are not lines; convert it to text first"
#define IN_ORDER "its lines make sense only in their order"
#define KEEP(n)  "add --header=" n " to keep its header at the top"

#define BINARY(what, beginning, advice)                                                                                \
    {                                                                                                                  \
        what, beginning, sizeof(beginning) - 1, FOREIGN_BINARY, NULL, advice, NULL,                                    \
        {                                                                                                              \
            NULL                                                                                                       \
        }                                                                                                              \
    }
#define PACKED(program, beginning, command, ...)                                                                       \
    {                                                                                                                  \
        "compressed by " program, beginning, sizeof(beginning) - 1, FOREIGN_BINARY, command, NULL, NULL,               \
        {                                                                                                              \
            __VA_ARGS__                                                                                                \
        }                                                                                                              \
    }
#define ARCHIVE(what, beginning, command, ending)                                                                      \
    {                                                                                                                  \
        what, beginning, sizeof(beginning) - 1, FOREIGN_BINARY, NULL,                                                  \
            "write " command " FILE | bigshuf to shuffle lines in it", NULL,                                           \
        {                                                                                                              \
            ending                                                                                                     \
        }                                                                                                              \
    }
#define NAMED(what, command, advice, ...)                                                                              \
    {                                                                                                                  \
        what, NULL, 0, FOREIGN_BINARY, command, advice, NULL,                                                          \
        {                                                                                                              \
            __VA_ARGS__                                                                                                \
        }                                                                                                              \
    }
#define HEADED(what, beginning, advice, mark)                                                                          \
    {                                                                                                                  \
        what, beginning, sizeof(beginning) - 1, FOREIGN_HEADED, NULL, advice, mark,                                    \
        {                                                                                                              \
            NULL                                                                                                       \
        }                                                                                                              \
    }
#define WHOLE(what, beginning, advice)                                                                                 \
    {                                                                                                                  \
        what, beginning, sizeof(beginning) - 1, FOREIGN_WHOLE, NULL, advice, NULL,                                     \
        {                                                                                                              \
            NULL                                                                                                       \
        }                                                                                                              \
    }

#define NO_SUCH "neither text nor compressed as its name says"

static const struct foreign rows[] = {
    {"text in UTF-16", "\xff\xfe", 2, FOREIGN_ENCODED, "iconv -f UTF-16 -t UTF-8", NULL, NULL, {NULL}},
    {"text in UTF-16", "\xfe\xff", 2, FOREIGN_ENCODED, "iconv -f UTF-16 -t UTF-8", NULL, NULL, {NULL}},

    PACKED("lzip", "LZIP", "lzip -dc", ".lz", ".tlz"),
    PACKED("lzop", "\x89LZO\0\r\n\x1a\n", "lzop -dc", ".lzo", ".tzo"),
    PACKED("snappy", "\xff\6\0\0sNaPpY", "snzip -dc", ".sz", ".snappy"),
    PACKED("snappy", "\x82SNAPPY\0", "snzip -dc", NULL),
    NAMED("compressed by brotli", "brotli -dc", NULL, ".br"),
    NAMED(NO_SUCH, NULL, "it may be damaged", ".Z", ".lzma", ".taz"),
    NAMED(NO_SUCH, NULL, "it may be damaged", ".gzip", ".bgz", ".bz"),
    NAMED(NO_SUCH, NULL, "it may be damaged", ".tbz", ".tlzma", ".bzip2"),

    ARCHIVE("a zip archive", "PK\3\4", "unzip -p", ".zip"),
    ARCHIVE("a zip archive", "PK\5\6", "unzip -p", NULL),
    ARCHIVE("a zip archive", "PK\7\x8", "unzip -p", NULL),
    ARCHIVE("a 7z archive", "7z\xbc\xaf\x27\x1c", "7z x -so", ".7z"),
    ARCHIVE("a rar archive", "Rar!\x1a\7", "unrar p -inul", ".rar"),
    BINARY("encrypted", "Salted__", "decrypt it first"),
    BINARY("encrypted", "age-encryption.org/v1\n", "decrypt it first"),

    BINARY("a Parquet file", "PAR1\x15", NO_LINES),
    BINARY("a Parquet file", "PARE\x15", NO_LINES),
    BINARY("an ORC file", "ORC", NO_LINES),
    BINARY("an Arrow file", "ARROW1\0", NO_LINES),
    BINARY("an Arrow file", "FEA1\0", NO_LINES),
    BINARY("an SQLite database", "SQLite format 3\0", NO_LINES),
    BINARY("an HDF5 file", "\x89HDF\r\n\x1a\n", NO_LINES),
    BINARY("an Avro file", "Obj\1", NO_LINES),
    BINARY("a sequence file of Hadoop", "SEQ\6", NO_LINES),
    BINARY("a NumPy file", "\x93NUMPY", NO_LINES),
    BINARY("a BAM file", "BAM\1", NO_LINES),
    BINARY("a CRAM file", "CRAM\1", NO_LINES),
    BINARY("a CRAM file", "CRAM\2", NO_LINES),
    BINARY("a CRAM file", "CRAM\3", NO_LINES),
    BINARY("a CRAM file", "CRAM\4", NO_LINES),
    BINARY("a BCF file", "BCF\2", NO_LINES),
    BINARY("a BCF file", "BCF\4", NO_LINES),
    BINARY("a PDF document", "%PDF-1.", NO_LINES),

    HEADED("a VCF file", "##fileformat=VCF", KEEP("start:'#'"), "#"),
    HEADED("a GFF file", "##gff-version", KEEP("start:'#'"), "##"),
    HEADED("a GTF file", "#!genome-", KEEP("start:'#'"), "#!"),
    HEADED("a SAM file", "@HD\t", KEEP("start:'@'"), "@"),
    HEADED("a SAM file", "@SQ\t", KEEP("start:'@'"), "@"),
    HEADED("a SAM file", "@RG\t", KEEP("start:'@'"), "@"),
    HEADED("a SAM file", "@PG\t", KEEP("start:'@'"), "@"),
    HEADED("a SAM file", "@CO\t", KEEP("start:'@'"), "@"),
    HEADED("a BED file", "track name=", KEEP("start:track"), "track"),
    HEADED("a BED file", "track type=", KEEP("start:track"), "track"),
    HEADED("a Matrix Market file", "%%MatrixMarket ", KEEP("N"), NULL),
    HEADED("a PLY file", "ply\nformat ", KEEP("N"), NULL),
    HEADED("a PLY file", "ply\r\nformat ", KEEP("N"), NULL),
    HEADED("an ARFF file", "@relation ", KEEP("N"), NULL),
    HEADED("an ARFF file", "@RELATION ", KEEP("N"), NULL),

    WHOLE("a GenBank file", "LOCUS       ", "add --records=end:'//\\n' to shuffle its records"),
    WHOLE("a Stockholm file", "# STOCKHOLM 1.", "add --records=end:'//\\n' to shuffle its records"),
    WHOLE("a PDB file", "HEADER    ", IN_ORDER),
    WHOLE("a CoNLL-U file", "# sent_id = ", "add --delimiter='\\n\\n' to shuffle its sentences"),
    WHOLE("a CoNLL-U file", "# newdoc", "add --delimiter='\\n\\n' to shuffle its sentences"),
    WHOLE("an LDIF file", "version: 1\ndn: ", "add --delimiter='\\n\\n' to shuffle its records"),
    WHOLE("a file of vCards", "BEGIN:VCARD", "add --records=start:BEGIN:VCARD to shuffle them"),
    WHOLE("a calendar", "BEGIN:VCALENDAR", IN_ORDER),
    WHOLE("an XML file", "<?xml version=", IN_ORDER),
    WHOLE("an HTML file", "<!DOCTYPE ", IN_ORDER),
    WHOLE("an HTML file", "<!doctype ", IN_ORDER),
    WHOLE("an SVG file", "<svg ", IN_ORDER),
    WHOLE("a script", "#!/", IN_ORDER),
    {"a FASTA file",
     ">",
     1,
     FOREIGN_PERHAPS,
     NULL,
     "add --records=fasta to shuffle its sequences, or --records=lines:1 its lines",
     NULL,
     {NULL}},
};

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
    if (row->beginning == NULL || !begins_with(data, bytes, row))
        return false;
    if (row->class == FOREIGN_BINARY)
        return row->bytes > 3 || !is_text(data, bytes);
    return row->class < FOREIGN_WHOLE || is_whole(data, bytes, row);
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
    static const struct foreign no_such = NAMED(NO_SUCH, NULL, "it may be damaged", NULL);

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
