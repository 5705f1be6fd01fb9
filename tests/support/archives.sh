# What tests of tar archives share: a file of them begins with `. "$TOP/tests/support/archives.sh"`.

# Print the records of archives, a line for each, with all that Python's reader tells of their members. It reads as from
# a tape, and must have come to the end of the file. list_records FILE...
list_records() {
    needs python3
    python3 -c '
import hashlib, re, sys, tarfile
for name in sys.argv[1:]:
    before = None
    with open(name, "rb") as file:
        with tarfile.open(fileobj=file, mode="r|", errorlevel=2) as archive:
            for member in archive:
                key = re.match(r"(?:.*/)?[^/]?[^/.]*", member.name, re.DOTALL).group()
                key = None if member.isdir() else key
                if key is None or key != before:
                    print("" if before == 0 else "\n", end="")
                before = key
                data = archive.extractfile(member).read() if member.isreg() else b""
                print(ascii([member.name, member.type, member.size, member.mtime, member.mode, member.linkname,
                    sorted(member.pax_headers.items()), hashlib.md5(data).hexdigest()]), end=" ")
        if file.read().strip(b"\0"):
            sys.exit(name + ": something stands behind the end")
    print()' "$@" | sed '/^$/d'
}

# Write an archive of COUNT samples with Python, in one of its formats (ustar, gnu, pax), with three members each, the
# second of LEAST to MOST bytes: make_archive FORMAT COUNT LEAST MOST >FILE.
make_archive() {
    needs python3
    python3 -c '
import io, sys, tarfile
form, count, least, most = sys.argv[1], *map(int, sys.argv[2:])
archive = tarfile.open(fileobj=sys.stdout.buffer, mode="w|", format=getattr(tarfile, form.upper() + "_FORMAT"))
noise = 1
def add(name, data):
    member = tarfile.TarInfo(name)
    member.size = len(data)
    member.mtime = 1e9 if form != "pax" else 1e9 + noise % 1000 / 8
    archive.addfile(member, io.BytesIO(data))
for i in range(count):
    noise = (noise * 69069 + 12345) % 2**31
    name = "train/%06d" % i + ("\u00e4" * 80 if form != "ustar" and i % 7 == 0 else "")
    add(name + ".cls", b"%d" % i)
    add(name + ".left.jpg", (b"%d," % noise * (most // 2 + 1))[:least + noise // 64 % (most - least + 1)])
    add(name + ".json", b"{}" * (i % 300))
archive.close()' "$@"
}

# Write an archive of which the parts are taken from Python: tarfile.TarInfo as `info`, and `add(info, data)`:
# craft STATEMENTS >FILE.
craft() {
    needs python3
    python3 -c '
import io, sys, tarfile
from tarfile import *
from tarfile import CHRTYPE, DIRTYPE, LNKTYPE, REGTYPE, SYMTYPE, XGLTYPE
out = sys.stdout.buffer
def info(name, type=REGTYPE, **fields):
    member = TarInfo(name)
    member.type = type
    for key, value in fields.items():
        setattr(member, key, value)
    return member
def add(member, data=b"", form=GNU_FORMAT):
    member.size = len(data) if member.isreg() else member.size
    out.write(member.tobuf(form) + data + bytes(-len(data) % 512))
def end(blocks=20):
    out.write(bytes(512 * blocks))
exec(sys.argv[1])' "$1"
}
