# Tar archives whose members cannot be moved, or that are damaged, are told.

. "$TOP/tests/support/archives.sh"

# archive_refused MESSAGE OPTION...: file in.tar is
archive_refused() {
    local message=$1
    shift
    fails_with 1 "bigshuf: in.tar: $message" bigshuf --records=tar "$@" -o out.tar in.tar
    [ ! -e out.tar ]
}

test_what_speaks_of_other_members_is_refused() {
    craft 'add(info("1.x"), b"1"); add(info("pax_global_header", XGLTYPE), b""); end()' >in.tar
    archive_refused 'byte 1024: a pax header for all members after it, *: pax_global_header'
    craft 'add(info("1.x"), b"1"); add(info("2.x", LNKTYPE, linkname="1.x")); end()' >in.tar
    archive_refused 'byte 1024: a hard link whose target is not an earlier member of the same sample, *: pack again *: 2.x'
    craft 'add(info("1.y", LNKTYPE, linkname="1.x")); add(info("1.x"), b"1"); end()' >in.tar
    archive_refused 'byte 0: a hard link whose target is not an earlier member *: 1.y'
    craft 'add(info("1.x", b"M")); end()' >in.tar
    archive_refused 'byte 0: *another volume, which cannot be moved: 1.x'
}

# Python writes archives, and what is told of each of them.
test_headers_that_are_wrong_or_mean_what_cannot_be_moved_are_told() {
    local file told
    craft '
def header(type=b"0", size=0, name="name", at=124, text=b""):  # with another text at this place, and the right checksum
    block = bytearray(info(name, type, size=size).tobuf(USTAR_FORMAT))
    block[at:at + len(text)] = text
    block[148:156] = b" " * 8
    block[148:156] = b"%06o\0 " % sum(block)
    return bytes(block)
def before(type, data, size=None):
    return header(type, len(data) if size is None else size) + data + bytes(-len(data) % 512)
def pax(text):
    return before(b"x", text) + header()
rows = []
def told(message, *archives):
    rows.extend((message, archive) for archive in archives)
told("size is no number", *(header(text=text) for text in (b"00000000008\0", b"0000000 001\0", b"-0000000001\0",
    b"\xff" * 12, b"\x80\0\1" + bytes(9), b"\x80\0\0\0" + b"\xff" * 8)))
told("the file ends here", *(header(text=text) for text in (b"777777777777", b"     100001 ",
    b"\x80" + bytes(10) + b"\1", b"\x80" + bytes(6) + b"\x12\x34\x56\x78\x9a")))
for bit in [bit for bit in range(0, 4096, 97) if not 148 <= bit // 8 < 156]:
    block = bytearray(header(size=5))
    block[bit // 8] ^= 1 << bit % 8
    told("checksum is wrong", block)
told("checksum is wrong", before(b"x", b"13 path=abcd\n") + bytes(1024))
told("pax header is damaged", *map(pax, (b"9 path=p", b"9 path=p\n8", b"11 path=p\n", b"8 path=p\n", b"path=p\n",
    b"9path=p\n", b" 9 path=p\n", b"9 pathhp\n", b"0 path=p\n", b"3 \n9 path=p\n", b"9 path=p\n\n",
    b"9" * 26 + b" a=b\n", b"\n", b"10 size=-1\n")))
told("in the pax header is no number", pax(b"11 size=-1\n"), pax(b"29 size=18446744073709551617\n"))
told("sparse", header(b"S"), *map(pax, (b"22 GNU.sparse.major=1\n", b"23 GNU.sparse.size=100\n",
    b"25 SCHILY.realsize=10000\n")))
told("for all members", header(b"g"))
told("another volume", header(b"M"))
told("volume label", header(b"V"))
told("not known", header(b"D"), header(b"X"), header(b"8"))
told("of a size", header(b"\0", 5, "name/"), *(header(b"%d" % type, 5) for type in range(1, 7)))
told("no name", header(size=5, name=""))
told("second header", *(2 * before(type, b"13 path=abcd\n") + header() for type in (b"x", b"L", b"K")))
told("larger than 1 MiB", before(b"x", b"", (1 << 20) - 1023), before(b"L", b"", (1 << 33) - 1))
told("longer than 4096 bytes", before(b"L", b"n" * 4097 + b"\0") + header())
for number, (message, data) in enumerate(rows):
    io.open("%d.tar" % number, "wb").write(data)
    print("%d.tar" % number, message)' >list
    while read -r file told; do
        fails_with 1 "bigshuf: $file: *$told*" bigshuf --records=tar "$file" >out
        is_empty out
    done <list
    [ "$(wc -l <list)" -gt 90 ]
}

test_sparse_files_are_refused() {
    tar --version 2>/dev/null | grep -q GNU || skip "no GNU tar here"
    echo 1 >0.x
    truncate -s 1M sparse.x
    echo 1 >>sparse.x
    for form in gnu 'pax --sparse-version=0.0' 'pax --sparse-version=0.1' 'pax --sparse-version=1.0'; do
        tar --format=$form -S -cf in.tar 0.x sparse.x
        archive_refused 'byte *: a sparse file, which cannot be moved: *sparse.x'
    done
}

test_what_is_no_archive_is_told() {
    seq 1000 >in.tar
    archive_refused 'truncated, or no tar archive: its size, 3893 bytes, is not a multiple of 512'
    : >in.tar
    archive_refused 'empty, and so no tar archive'
    seq 1000 | fails_with 1 'bigshuf: -: byte 0: no header of a tar archive, *' bigshuf --records=tar
    fails_with 1 'bigshuf: -: empty, and so no tar archive' bigshuf --records=tar < <(:) >out
    is_empty out
}

test_an_archive_that_is_compressed_is_told() {
    needs gzip
    make_archive gnu 20 0 3000 | gzip >in.tar
    for tail in 0 $((512 - $(wc -c <in.tar) % 512)); do
        head -c "$tail" /dev/zero >>in.tar
        archive_refused 'compressed by gzip; add -Z to shuffle its members'
        fails_with 1 'bigshuf: -: compressed by gzip; add -Z *' bigshuf --records=tar <in.tar
        fails_with 1 'bigshuf: -: compressed by gzip; add -Z *' bigshuf --records=tar < <(cat in.tar)
    done
    craft 'add(info("BZh9"), b"1"); end()' >whole.tar # as what bzip2 writes begins
    bigshuf --records=tar whole.tar >out
    head -c 1024 out | cmp - <(head -c 1024 whole.tar)
}

test_an_archive_that_is_cut_off_is_told() { # tags: long
    make_archive pax "$(scale 4 8 20)" 0 3000 >whole.tar # the first has a long name
    last=$(python3 -c '
import tarfile
member = list(tarfile.open("whole.tar"))[-1]
print(member.offset_data + (member.size + 511) // 512 * 512)')
    for bytes in $(seq 512 1536 "$last") 1 511 1000 $((last - 1)) $((last + 1)) $((last + 511)); do
        head -c "$bytes" whole.tar >in.tar
        fails_with 1 "bigshuf: in.tar: *" bigshuf --records=tar in.tar >out
        is_empty out
        fails_with 1 "bigshuf: -: byte $bytes: the file ends here, before its archive does*" \
            bigshuf --records=tar < <(cat in.tar) >out
    done
    for bytes in $((last + 512)) $((last + 1024)) $((last + 512 * 100)); do
        { cat whole.tar; head -c 99999 /dev/zero; } 2>.stderr | head -c "$bytes" >in.tar || true
        bigshuf --records=tar --seed=x in.tar | cmp - <(bigshuf --records=tar --seed=x whole.tar)
    done
}

test_a_damaged_header_is_told() {
    craft 'add(info("1.x"), b"1"); add(info("1.y"), b"2"); end()' >whole.tar
    cp whole.tar in.tar
    printf Z | dd of=in.tar bs=1 seek=1153 conv=notrunc 2>.stderr
    archive_refused 'byte 1024: *its checksum is wrong'
    craft 'for i in range(400): add(info("%d.x" % i), bytes(2048))
end()' >in.tar # which is held
    printf Z | dd of=in.tar bs=1 seek=$((390 * 2560)) conv=notrunc 2>.stderr
    archive_refused "byte $((390 * 2560)): *its checksum is wrong"
    truncate -s $((389 * 2560)) in.tar
    archive_refused "byte $((389 * 2560)): the file ends here, before its archive does"
    craft 'add(info("1.x"), b"1"); end(2); out.write(b"garbage" + bytes(505))' >in.tar
    archive_refused 'byte 2048: *its checksum is wrong'
}
