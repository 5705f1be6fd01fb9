# Each draw is independent: two orders or two samples without a seed have nothing in common, neither the places of records
# nor their neighbours. All orders of a store have its piles in common, and nothing else.

# How alike are outputs A and B, of lines of `in`, whose first words are all different: unlike PILES A B
#
# PILES is the number of piles if both are of one store, 0 if they are shuffles, or `chosen` if their order is that of
# the input. The numbers that are printed and looked at are
#
#   common      the records that are in both: by chance, as many as the product of both shares
#   rank        the correlation of their ranks (Spearman): 0 by chance, 1 if the order is the same
#   neighbours  the pairs of neighbours in A that are so in B: 2 by chance, or 2 for each pile of a store, since what is
#               in a pile stays there
#
# Chance may have six standard deviations, which a normal distribution exceeds once in 500 million times. They are those
# of N records, or of M piles if these move as a whole: 1/sqrt(N - 1) for the correlation, and the root of the mean for
# numbers, which are as Poisson's or vary less. That has a longer tail where the mean is small, for which 12 more are
# allowed. So tests without a seed, too, fail once in a million times at most.
unlike() {
    awk -v piles="$1" '
        BEGIN { chosen = piles == "chosen"; piles += 0 }
        FNR == 1 { file++ }
        file == 1 { n++ }
        file > 1 && !((file, $1) in place) { place[file, $1] = ++count[file]; line[file, count[file]] = $1 }
        END {
            for (i = 1; i <= count[3]; i++)
                if ((2, line[3, i]) in place)
                    rank[line[3, i]] = ++common
            for (i = 1; i <= count[2]; i++) {
                here = line[2, i]
                if (here in rank) {
                    squares += (++next_rank - rank[here]) ^ 2
                    if (i > 1 && before in rank && (place[3, here] - place[3, before]) ^ 2 == 1)
                        neighbours++
                }
                before = here
            }
            units = piles > 0 ? piles : n
            mean = piles > 0 ? 2 * piles : 2
            chance = count[2] / n * count[3]
            printf "common %d of %d, neighbours %d\n", common, chance, neighbours
            if (common < 40 || (common - chance) ^ 2 > (6 * sqrt(chance * n / units) + 12 * n / units) ^ 2)
                exit 1
            correlation = 1 - 6 * squares / common / (common ^ 2 - 1)
            printf "rank %.3f\n", correlation
            exit !chosen && (correlation ^ 2 > 36 / (common / n * units - 1) || neighbours > mean + 6 * sqrt(mean) + 12)
        }' in "$2" "$3" || return 1
}

# Unlike are what two runs without a seed write: drawn_anew PILES OPTION... (Those of two seeds, and of two epochs, are among
# the pairs in tests/statistics.)
drawn_anew() {
    bigshuf "${@:2}" >a
    bigshuf "${@:2}" >b
    unlike "$1" a b
}

# Lines of a number and a weight, in `in`: make_repeated COUNT.
make_repeated() {
    seq -f '%.0f 1' "$1" >in
}

test_the_measure_knows_what_is_alike() {
    make_repeated 4000
    bigshuf --seed=1 in >a
    fails_with 1 '' unlike 0 a a
    fails_with 1 '' unlike 0 <(sort -n a) <(sort -n -r a)
    fails_with 1 '' unlike 0 a <(paste -d '|' - - - - <a | bigshuf --seed=2 | tr '|' '\n')
    fails_with 1 '' unlike chosen <(sed 1000q a) <(sed 1000q a)
    fails_with 1 '' unlike chosen <(sed 2000q a) <(sed 1,2000d a)
}

test_shuffles_are_drawn_anew() {
    make_repeated 4000
    drawn_anew 0 in
    drawn_anew 0 -i 1-4000
}

test_samples_are_drawn_anew() {
    make_repeated 4000
    drawn_anew 0 -n 1000 in
    drawn_anew 0 -r -n 4000 in
    drawn_anew 0 -t ' ' --weight-field=2 in
    drawn_anew 0 -t ' ' --weight-field=2 -n 1000 in
    drawn_anew 0 -t ' ' --weight-field=2 -r -n 4000 in
    drawn_anew 0 -t ' ' --split-field=1 --split=50%:half in
    drawn_anew 0 -t ' ' --stratify-field=1 --split=50%:half in
    drawn_anew chosen -n 1000 --keep-order in
    drawn_anew chosen --probability=0.25 in
}

test_gathers_of_a_store_are_drawn_anew() {
    cd "$MEMORY" || exit
    make_repeated 4000
    bigshuf --scatter=store --seed=1 --batch=x in
    drawn_anew 512 --gather=store
    drawn_anew 512 --gather=store --epoch=1
    drawn_anew 512 --gather=store -n 1000
    batch store/x {0..99} >in
    drawn_anew 100 --gather=store --only-piles=0-99
}

# Where they go, as one pile after another tells.
test_batches_are_scattered_anew() {
    cd "$MEMORY" || exit
    make_repeated 4000
    bigshuf --scatter=store --seed=1 --batch=x in
    bigshuf --scatter=store --seed=1 --batch=y in
    bigshuf --scatter=store --seed=2 --batch=z in
    unlike 512 <(batch store/x all) <(batch store/y all)
    unlike 512 <(batch store/x all) <(batch store/z all)
    rm -r store
    for _ in 1 2; do bigshuf --scatter=store --seed=1 in; done
    batches=(store/2*)
    unlike 512 <(batch "${batches[0]}" all) <(batch "${batches[1]}" all)
    for store in one two; do bigshuf --scatter=$store --batch=x in; done
    unlike 512 <(batch one/x all) <(batch two/x all)
}

# Day 3 against day 4 of the recipe in the manual, and of its line for those who come from terashuf.
test_windows_of_days_are_drawn_anew() { # tags: long
    cd "$MEMORY" || exit
    mkdir log
    for day in 1 2 3 4; do seq $((1000 * day)) $((1000 * day + 999)) >log/$day; done
    cat log/2 log/3 >in

    sed -n '/^for day in/,/^done/p' "$TOP/man/bigshuf-store.7" | sed 's/\\-/-/g; s/\\e/\\/g' >recipe
    mv log/4 .
    bash recipe
    mv window.txt before
    mv 4 log
    bash recipe
    unlike 64 <(grep '^[23]' before) <(grep '^[23]' window.txt)

    sed 's/\\-/-/g' "$TOP/man/bigshuf.1" | sed -n '/^bigshuf --scatter=store .* d[.]NN/,/> out$/p' >recipe
    mv log/* .
    for day in 1 2 3 4; do
        [ ! -e out ] || mv out before
        sed "s/d[.]NN/$day/g" recipe | bash
    done
    unlike 512 <(grep '^[23]' before) <(grep '^[23]' out)
}
