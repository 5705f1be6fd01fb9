# What a message says to do is tried on a file of the kind that it is about, and what comes of it is read by others.
# shellcheck shell=bash

# Each file: its name, what the message calls it, its contents, and how its reader finds a record: by a pattern of its first
# line. N in advice is how many lines come before the first one. A record keeps its lines, but for blank ones at its end.
test_advice_makes_of_each_file_the_records_that_its_readers_find() {
    needs python3
    needs jq
    python3 - <<'END_OF_PYTHON'
import collections, csv, io, json, mailbox, re, subprocess

FILES = [
    ("gb", "a GenBank file", "LOCUS       a\nORIGIN\n//\nLOCUS       b\n\nORIGIN\n//\nLOCUS       c\n//\n\n", "LOCUS"),
    ("cut.gb", "a GenBank file", "LOCUS       a\r\nORIGIN\r\n//\r\nLOCUS       b\r\nORIGIN\r\n//", "LOCUS"),
    ("embl", "an EMBL file", "ID   a; SV 1\nXX\nAC   a;\nSQ   x\n//\nID   b; SV 1\nSQ   y\n//\n", "ID   "),
    ("sto", "a Stockholm file", "# STOCKHOLM 1.0\n\nx A\n//\n# STOCKHOLM 1.0\ny C\n\n//", "# STOCKHOLM"),
    ("sdf", "an SDF file", "a\n p\n\n 0\nM  END\n\n$$$$\n\n p\n\n 1\nM  END\n$$$$\nb\n p\n\nM  END\n$$$$\n\n", "$$$$"),
    ("mgf", "an MGF file", "BEGIN IONS\nTITLE=a\n1 2\nEND IONS\n\nBEGIN IONS\nTITLE=b\nEND IONS\n\n", "BEGIN"),
    ("pgn", "a PGN file", '[Event "a"]\n[X "1"]\n\n1. e4\n1-0\n\n[Event "b"]\n\n1. d4 {\n[Event x}\n0-1\n', r'\[Event "'),
    ("mbox", "a mailbox", "From a\nFrom: a\n\nFrom here\n\nFrom b\nFrom: b\n\nhi", mailbox.mbox),
    ("nbib", "a MEDLINE file", "PMID- 1\nTI  - a\n\nPMID- 2\nTI  - b\n      c", "PMID- "),
    ("ris", "an RIS file", "TY  - A\nID  - 1\nER  - \n\nTY  - B\nER  - ", "TY  - "),
    ("conllu", "a CoNLL-U file", "# sent_id = 1\n1\ta\n\n# sent_id = 2\n1\tb\n2\tc\n", "# sent_id"),
    ("plus.conllu", "a CoNLL-U file", "# global.columns = ID\n# sent_id = 1\n1\n\n# sent_id = 2\n1\n2\n", "# sent_id"),
    ("names.ldif", "an LDIF file", "dn: a\ncn: x\n\ndn: b\ncn: y\n", "dn: "),
    ("ldif", "an LDIF file", "version: 1\ndn: a\ncn: x\n\ndn: b\ncn: y\n y\n", "dn: "),
    ("plain.ldif", "an LDIF file", "dn: a\nobjectClass: x\n\n\ndn: b\ncn: y", "dn: "),
    ("Packages", "a list of Debian packages", "Package: a\nVersion: 1\n x\n\nPackage: b\nVersion: 2\n", "Package: "),
    ("vcf", "a file of vCards", "BEGIN:VCARD\nFN:a\nEND:VCARD\nBEGIN:VCARD\nFN:b\nEND:VCARD", "BEGIN"),
    ("fasta", "a FASTA file", "\ufeff>a\nACGTACGT\nGG\n>b\nACGTA", ">"),
    ("fastq", "a FASTQ file", "@a\nACGTN\n+\n@IIII\n@b\nAC\n+\nII", "@[ab]$"),
    ("variants", "a VCF file", "##fileformat=VCFv4.2\n#CHROM\n1\t2\n2\t3\n", r"\d"),
    ("gff", "a GFF file", "##gff-version 3\n# x\nc\t.\nd\t.\n", r"[cd]"),
    ("sam", "a SAM file", "@HD\tVN:1\n@SQ\tSN:1\nr1\t0\nr2\t0\n", "r"),
    ("bed", "a BED file", "browser position 1\ntrack name=x\nchr1\t0\nchr2\t0\n", "chr"),
    ("arff", "an ARFF file", "@relation x\n@attribute a numeric\n@data\n1\n2\n", r"\d"),
    ("mtx", "a Matrix Market file", "%%MatrixMarket matrix\n1 1 2\n5 5 5\n6 6 6\n", "[56] "),
    ("csv", "a CSV file", 'id,text\n1,"a\nb"\n2,c\n', csv.reader),
    ("semi.csv", "a CSV file", 'id;text\n1;"a\nb"\n2;c\n', lambda f: csv.reader(f, delimiter=";")),
    ("array", "a JSON array", '[\n  {"a": 1},\n  {"b": 2}\n]\n', json.loads),
    ("geo", "JSON", '{\n  "type": "FeatureCollection",\n  "features": [\n    {"a": 1},\n    {"b": [2]}\n  ]\n}\n', json.loads),
    ("list", "JSON", '{\n  "data": [\n    {"a": 1},\n    {"b": [2]}\n  ]\n}\n', json.loads),
    ("values", "JSON", '{\n  "a": 1\n}\n{\n  "b": 2\n}\n', json.loads),
    ("mac", "lines that end with CR", "a\rb\rc\r", lambda f: f.read().split("\r")),
    ("utf16", "text in UTF-16", "a\nb\n", "utf-16"),
    ("utf32", "text in UTF-32", "a\nb\n", "utf-32"),
]

def read(text, reader, made):
    if reader == json.loads:
        decoder, values, text = json.JSONDecoder(), [], text.strip()
        while text and not (not made and text[0] == "["):
            value, end = decoder.raw_decode(text)
            values.append(value)
            text = text[end:].strip()
        if not made:
            values = json.loads(text) if text else next((v for v in values[0].values() if isinstance(v, list)), values)
        return "", [json.dumps(v) for v in values]
    if reader == mailbox.mbox:
        open("box", "w").write(text)
        return "", [m.as_string().strip("\n") for m in mailbox.mbox("box")]
    if callable(reader):
        return "", [repr(row) for row in reader(io.StringIO(text, newline=""))]
    if reader == "$$$$":
        return "", [m for m in re.split(r"(?m)^\$\$\$\$\n?", text) if m.strip("\n")]
    if reader.startswith("utf"):
        return "", text.split("\n")
    text = text.replace("\r\n", "\n")
    head, *starts = [""] if re.match(reader, text) else re.split(f"(?m)^(?={reader})", text, maxsplit=1)
    body = text[len(head):]
    return head, [record.rstrip("\n") for record in re.split(f"(?m)^(?={reader})", body) if record]

def read_file(name, reader, encoding):
    return open(name, encoding=encoding, newline="").read().lstrip("\ufeff")

def run(command):
    return subprocess.run(["bash", "-c", command], capture_output=True, text=True)

for name, what, text, reader in FILES:
    encoding = reader if str(reader).startswith("utf") else "utf-8"
    open(name, "w", encoding=encoding, newline="").write(text)
    text = text.lstrip("\ufeff")
    head, records = read(text, reader, False)
    said = run(f"bigshuf {name} 2>&1 >out").stdout
    made = re.search(f"{what}.*; .*(add|write) (.*)", said)
    assert made, (name, said)
    advice = re.sub(" to (keep|shuffle) (its .*|them)$", "", made[2]).replace("=N", f"={head.count(chr(10))}")
    refused = run(f"bigshuf -o {name} {name}")
    assert refused.returncode == 1 and made[2] in refused.stderr, (name, refused)
    assert read_file(name, reader, encoding) == text, name
    command = f"bigshuf --seed=SEED {advice} -o {name} {name}" if made[1] == "add" else f"{advice} --seed=SEED >new && mv new {name}"
    orders = set()
    for seed in "1234":
        tried = run(command.replace("SEED", seed))
        assert tried.returncode == 0 and not tried.stderr, (name, command, tried)
        now = read(read_file(name, reader, "utf-8"), reader, True)
        assert now[0].strip("\n") == head.strip("\n") and collections.Counter(now[1]) == collections.Counter(records), (name, command, now, records)
        orders.add(tuple(now[1]))
        if made[1] == "write":
            break
END_OF_PYTHON
}

# Sequences may begin anywhere in a file of features.
test_sequences_behind_features_are_told_and_not_mixed_in_place() {
    { printf '##gff-version 3\nc\t.\n' && seq 100000 && printf '##FASTA\n>c\nACGT\n'; } >in
    for options in --header=start:# '--header=start:# -S8M' --header=2; do
        cp in kept
        # shellcheck disable=SC2086 # options
        fails_with 1 "bigshuf: in: *'##FASTA' begins sequences, *; write sed '/^##FASTA/,?d' FILE *" bigshuf $options -o in in
        cmp kept in
        # shellcheck disable=SC2086
        bigshuf $options - < <(cat in) 2>&1 >out | grep "bigshuf: warning: -: '##FASTA' begins sequences, "
    done
    sed '/^##FASTA/,$d' in | bigshuf --header=start:'#' 2>said | sort | cmp - <(head -n 100002 in | sort)
    is_empty said
}

# Those whose lines make sense only in their order, whatever the header; and some that begin almost so.
test_files_of_ordered_lines_are_refused_in_place_and_others_are_not() {
    while read -r text what <&9; do
        # shellcheck disable=SC2059 # a format
        printf -- "$text" | tee kept >in
        for options in '' --header '--header=start:x --header=2'; do
            # shellcheck disable=SC2086 # options
            if [ -n "$what" ]; then
                fails_with 1 "bigshuf: in: *$what*, and also the output, *" bigshuf $options -o in in
                cmp kept in
            else
                bigshuf $options -o in in 2>&1 | cmp - /dev/null
            fi
        done
    done 9<<'END'
0\040HEAD\n1\040SOUR\040x\n GEDCOM
1\n00:00:01,000\040-->\0402\na\n SubRip
WEBVTT\n\n00:01\040-->\0402\n WebVTT
@article{a,\n\040title={x}}\n BibTeX
format-version:\0401.2\n\n[Term]\nid:\040a\n OBO
msgid\040""\nmsgstr\040""\n"x"\n PO
%%YAML\0401.2\n---\na:\n\040b:\n YAML
--\040MySQL\040dump\04010\nINSERT\n SQL
--\n--\040PostgreSQL\040database\040dump\n--\n SQL
<mediawiki\040x>\n<page>\n XML
<?xml\040version="1.0"?>\n<posts>\n</posts>\n XML
BEGIN:VCARD\nFN:a\nEND:VCARD\n vCards
#\040sent_id\040=\0401\n1\ta\n\n CoNLL-U
1\n00:12:13\nx\ny\n
WEBVTT\nWEBGL\nx\ny\n
ID\040\040\040NAME\na\040b\nx\ny\n
From\040here\nto\040there\nx\ny\n
Package:\040one\nBox:\040two\nx\ny\n
0\040HEAD\n2\040x\ny\nz\n
END
}
