# What shells offer after `bigshuf` and a few letters. A shell that is not installed is passed over.
# tags: plain

# All spellings of options, as --help has them.
spellings() {
    bigshuf --help | sed -n 's/^  \(.\{4\}\)\(--[a-z0-9-]*\).*/\1\n\2/p' | sed -n 's/^\(-[^,]*\).*/\1/p' | sort
}

# What bash offers for the last of these words: bash_offers WORD...
bash_offers() (
    # shellcheck source=/dev/null
    . "$TOP/.packaging/completions/bash"
    # shellcheck disable=SC2034 # for _bigshuf
    COMP_WORDS=(bigshuf "$@") COMP_CWORD=$#
    _bigshuf
    printf '%s\n' "${COMPREPLY[@]}" | sort
)

# They lie in the tree, where no program needs to run when they are installed.
test_completions_are_those_of_the_help() {
    for shell in bash zsh fish; do
        bigshuf --help | awk -v shell=$shell -f "$TOP/.packaging/completions.awk" >$shell
        same '' "$(diff "$TOP/.packaging/completions/$shell" $shell || echo 'make completions writes them anew')"
    done
}

test_bash_completes_options() {
    [ "$(spellings | grep -c .)" -gt 50 ]
    same "$(spellings)" "$(bash_offers a -)"
    same $'--headers-differ\n--header' "$(bash_offers --head | grep -v count | sort -r)"
    same --csv "$(bash_offers -o out --cs)"
}

test_bash_completes_values_of_which_there_are_few() {
    same $'always\nauto\nnever' "$(bash_offers --progress =)"
    same always "$(bash_offers --progress = al)"
    same '' "$(bash_offers --progress a)" # its argument may be left out: this is a file
    same $'bytes:\nstart:' "$(bash_offers --header =)"
    same bytes: "$(bash_offers --shards = b)"
    same records: "$(bash_offers --shards r)"
    same '' "$(bash_offers --tune = )$(bash_offers --tun)"
    same "$(bigshuf --help | sed -n 's/^ \{35\}\([a-z0-9]\{1,\}:\{0,1\}\).*/\1/p' | sort)" "$(bash_offers --records =)"
    same $'u32be\nu32le' "$(bash_offers --records = u3)"
}

test_bash_completes_files_where_there_is_no_option() {
    same '' "$(bash_offers lines)"
    same '' "$(bash_offers --output = lines)"
    # shellcheck source=/dev/null
    . "$TOP/.packaging/completions/bash"
    same 'complete -o default -F _bigshuf bigshuf' "$(complete -p bigshuf)"
}

# Type WORDS and a tab to an interactive zsh, wait until it shows PATTERN, and so on: zsh_completes WORDS PATTERN...
zsh_completes() {
    mkdir -p functions
    cp "$TOP/.packaging/completions/zsh" functions/_bigshuf
    TERM=dumb zsh -f -c '
        zmodload zsh/zpty
        zpty shell zsh -f -i
        zpty -w shell "fpath=($PWD/functions \$fpath); autoload -Uz compinit; compinit -D -u"
        for words pattern; do
            zpty -w shell "print READ\"\"Y"
            zpty -r shell said "*READY*"
            zpty -w -n shell "$words"$'"'\t'"'
            zpty -r shell said "$pattern"
            zpty -w -n shell $'"'\C-u'"'
        done
        zpty -d shell' zsh "$@"
}

test_zsh_completes_options_and_files() { # tags: long
    needs zsh
    touch lines.txt
    zsh_completes 'bigshuf --shards=r' '*--shards=records:*' \
        'bigshuf --header=s' '*--header=start:*' \
        'bigshuf --cs' '*--csv*' \
        'bigshuf -o lin' '*lines.txt*' \
        'bigshuf --output=lin' '*--output=lines.txt*' \
        'bigshuf --csv lin' '*lines.txt*' \
        'bigshuf --temp' '*--temporary-directory=*' \
        'bigshuf --records=fasta' '*--records=fasta*' \
        'bigshuf --progress=al' '*--progress=always*'
}

# What fish offers: fish_offers WORDS.
fish_offers() {
    HOME=$PWD fish --no-config -c 'source $argv[1]; complete -C $argv[2]' "$TOP/.packaging/completions/fish" "$1" |
        cut -f 1 | sort
}

test_fish_completes_options_and_files() {
    needs fish
    mkdir folder
    touch lines.txt
    same "$(spellings | grep -e --)" "$(fish_offers 'bigshuf --' | sed 's/=$//' | sort -u)"
    same $'--csv\n--csv=' "$(fish_offers 'bigshuf --cs')"
    same --csv=backslash "$(fish_offers 'bigshuf --csv=b')"
    same lines.txt "$(fish_offers 'bigshuf -o lin')"
    same lines.txt "$(fish_offers 'bigshuf --csv lin')"
    same folder/ "$(fish_offers 'bigshuf -T fo')"
    same '' "$(fish_offers 'bigshuf -n lin')"
    same --progress=never "$(fish_offers 'bigshuf --progress=n')"
    same --header=bytes: "$(fish_offers 'bigshuf --header=b')"
    same lines.txt "$(fish_offers 'bigshuf --header lin')"
    same '' "$(fish_offers 'bigshuf --tun')"
    same --records=varint "$(fish_offers 'bigshuf --records=v')"
}
