# What tests of stores share: a file of them begins with `. "$TOP/tests/support/stores.sh"`.

# Add the batch NAME to `store`: add NAME [OPTION]... [FILE]...
add() {
    local name=$1
    shift
    bigshuf --scatter=store --seed="${STORE_SEED:-42}" --batch="$name" "$@"
}

gather() {
    bigshuf --gather=store --seed=42 "$@"
}

# What stands in the store, in a row, with ~N for the random numbers in names.
store_names() {
    ls -A store | sed 's/~[0-9a-f]\{16\}/~N/' | paste -s -d ' ' -
}

# Print these piles of all batches: piles PILE...
piles() {
    local name
    for name in store/*; do
        case $name in */format | */header) ;; *) batch $name "$@" ;; esac
    done
}

# The store has these batches and nothing unfinished: batches NAME...
batches() {
    same "$(printf '%s\n' "$@" format | sort)" "$(ls -A store)"
}

# A store of two batches; tests damage pile 1 of the first.
make_sound_store() {
    seq 1000 >in
    add x --piles=4 in
    add y in
}

# This adds nothing, and says so: nothing_added NAME [OPTION]... [FILE]...
nothing_added() {
    cp -a store before
    fails_with 0 "bigshuf: batch $1 is in store already: nothing was added" add "$@"
    diff -r before store
    rm -r before
}

# This is refused, and the store is as it was: refused PATTERN NAME [OPTION]... [FILE]...
refused() {
    cp -a store before
    fails_with 1 "$1" add "${@:2}"
    same 1 "$(wc -l <.stderr | tr -d ' ')"
    diff -r before store
    rm -r before
}
