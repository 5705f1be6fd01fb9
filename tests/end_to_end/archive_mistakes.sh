# Tar archives whose members cannot be moved, or that are damaged, are told.
# shellcheck shell=bash disable=SC1091,SC2086 # several options

. "$TOP/tests/support/archives.sh"

# refused MESSAGE OPTION...: file in.tar is
refused() {
    local message=$1
    shift
    fails_with 1 "bigshuf: in.tar: $message" bigshuf --records=tar "$@" -o out.tar in.tar
    [ ! -e out.tar ]
}

test_what_speaks_of_other_members_is_refused() {
    craft 'add(info("1.x"), b"1"); add(info("pax_global_header", XGLTYPE), b""); end()' >in.tar
    refused 'byte 1024: a pax header for all members after it, *: pax_global_header'
    craft 'add(info("1.x"), b"1"); add(info("2.x", LNKTYPE, linkname="1.x")); end()' >in.tar
    refused 'byte 1024: a hard link whose target is not an earlier member of the same sample, *: pack again *: 2.x'
    craft 'add(info("1.y", LNKTYPE, linkname="1.x")); add(info("1.x"), b"1"); end()' >in.tar
    refused 'byte 0: a hard link whose target is not an earlier member *: 1.y'
    craft 'add(info("1.x", b"M")); end()' >in.tar
    refused 'byte 0: *another volume, which cannot be moved: 1.x'
}

test_sparse_files_are_refused() {
    tar --version 2>/dev/null | grep -q GNU || skip "no GNU tar here"
    echo 1 >0.x
    truncate -s 1M sparse.x
    echo 1 >>sparse.x
    for form in gnu 'pax --sparse-version=0.0' 'pax --sparse-version=0.1' 'pax --sparse-version=1.0'; do
        tar --format=$form -S -cf in.tar 0.x sparse.x
        refused 'byte *: a sparse file, which cannot be moved: *sparse.x'
    done
}

test_what_is_no_archive_is_told() {
    seq 1000 >in.tar
    refused 'truncated, or no tar archive: its size, 3893 bytes, is not a multiple of 512'
    : >in.tar
    refused 'empty, and so no tar archive'
    seq 1000 | fails_with 1 'bigshuf: -: byte 0: no header of a tar archive, *' bigshuf --records=tar
    fails_with 1 'bigshuf: -: empty, and so no tar archive' bigshuf --records=tar < <(:) >out
    is_empty out
}

test_an_archive_that_is_compressed_is_told() {
    needs gzip
    make_archive gnu 20 0 3000 | gzip >in.tar
    for tail in 0 $((512 - $(wc -c <in.tar) % 512)); do
        head -c "$tail" /dev/zero >>in.tar
        refused 'compressed by gzip; add -Z to shuffle its members'
        fails_with 1 'bigshuf: -: compressed by gzip; add -Z *' bigshuf --records=tar <in.tar
        fails_with 1 'bigshuf: -: compressed by gzip; add -Z *' bigshuf --records=tar < <(cat in.tar)
    done
    craft 'add(info("BZh9"), b"1"); end()' >whole.tar # as what bzip2 writes begins
    bigshuf --records=tar whole.tar >out
    head -c 1024 out | cmp - <(head -c 1024 whole.tar)
}

test_an_archive_that_is_cut_off_is_told() {
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
    refused 'byte 1024: *its checksum is wrong'
    craft 'for i in range(400): add(info("%d.x" % i), bytes(2048))
end()' >in.tar # which is mapped
    printf Z | dd of=in.tar bs=1 seek=$((390 * 2560)) conv=notrunc 2>.stderr
    refused "byte $((390 * 2560)): *its checksum is wrong"
    truncate -s $((389 * 2560)) in.tar
    refused "byte $((389 * 2560)): the file ends here, before its archive does"
    craft 'add(info("1.x"), b"1"); end(2); out.write(b"garbage" + bytes(505))' >in.tar
    refused 'byte 2048: *its checksum is wrong'
}
