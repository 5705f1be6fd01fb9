# Print a page with its tables made anew from kept results:
#
#     awk -f tests/bench/table.awk README.md
#
# A table begins with a line `<!-- make bench-tables: KIND of PATH -->` and ends with `<!-- end -->`. KIND is "peers", "peers
# with ranges", or "rows"; PATH is a file that bench.sh has written. In the table of peers a line is a row of bench.sh, or
# what it says of memory, and a column is a program. Where a program failed, its reason stands instead of its time.

function number(value) {
    return sprintf(value < 10 ? "%.2f" : value < 100 ? "%.1f" : "%.0f", value)
}

# A median and, if it is asked for and there were several runs, the range.
function cell_of(median, least, most) {
    return number(median) (ranges && least != most ? " (" number(least) " \342\200\223 " number(most) ")" : "")
}

function keep(row, program, median, least, most, why) {
    cell[row, program] = median != "" ? cell_of(median, least, most) : why == "killed" ? "does not fit" : why
}

# A line of the head of a file: the time, the machine, or a program's version, in short.
function describe(word, words) {
    sub(/^# *[^ ]+ */, "", words)
    if (!(word in label) || words ~ /left out/)
        return
    if (sub(/^bench, /, "", words))
        words = substr(words, 1, 10)
    sub(/, huge pages.*/, "", words)
    sub(/ online/, " processors", words)
    gsub(/[()]/, "", words)
    if (length(words) == 40) # a commit
        words = substr(words, 1, 7)
    head = head "; " label[word] words
}

function line(words, row,    i) {
    if (!((row, "bigshuf") in cell))
        return
    printf "| %s |", words
    for (i = 1; i <= programs; i++)
        printf " %s |", cell[row, program[i]]
    printf "\n"
}

function peers_table() {
    print "| seconds, from file to file | bigshuf | GNU shuf | uutils shuf | terashuf | DuckDB | sort -R | copying |"
    print "|---|---|---|---|---|---|---|---|"
    line("1 GB of numbers, 9 bytes a line", "peers-seq")
    line("1 GB of lines of 100 bytes", "peers-lines")
    line("1 GB of JSON lines of 350 bytes", "peers-json")
    line("MiB of memory for the numbers", "peers-seq-memory")
    line("4 GB of JSON lines, 256 MiB of memory", "peers-beyond-json")
    line("MiB of memory for them", "peers-beyond-json-memory")
    line("4 GB of 9-byte lines, 256 MiB of memory", "peers-beyond-nine")
    line("MiB of memory for them", "peers-beyond-nine-memory")
}

# A line of a file: row,bytes,program,against,unit,pairs,dropped,median,min,max,against_median,against_min,against_max,
# ratio,target,verdict,limit_mib
function peers_line(    row) {
    if ($1 !~ /^peers/ || $3 != "bigshuf")
        return
    row = $5 == "s" ? $1 : $1 "-memory"
    if ($8 != "" && !((row, "bigshuf") in cell)) # against "copy", which ran in all rounds
        keep(row, "bigshuf", $8, $9, $10)
    keep(row, $4, $11, $12, $13, $16)
}

function rows_line() {
    if ($1 == "row") {
        print "| row | MB | program | median | against | median | ratio |"
        print "|---|---|---|---|---|---|---|"
    } else if ($8 != "" && $11 != "")
        printf "| %s | %d | %s | %s %s | %s | %s %s | %s%s |\n", $1, $2 / 1000000, $3, cell_of($8, $9, $10), $5, $4,
            cell_of($11, $12, $13), $5, $14, $15 ~ /[0-9]/ ? " (" substr($15, 1, 2) " " substr($15, 3) ")" : ""
}

function table(kind, path) {
    FS = ","
    ranges = kind != "peers"
    head = ""
    runs = 0
    split("", cell)
    while ((getline <path) > 0) {
        if (/^# /) {
            split($0, word, " ")
            describe(word[2], $0)
            continue
        }
        runs = runs > $6 + $7 ? runs : $6 + $7
        if (kind == "rows")
            rows_line()
        else
            peers_line()
    }
    close(path)
    if (kind != "rows")
        peers_table()
    print "\nMedians of " runs " runs" head "."
}

BEGIN {
    label["bigshuf"] = label["processor"] = label["memory"] = label["kernel"] = label["data"] = label["note"] =
        label["shuf"] = ""
    label["uu_shuf"] = "uutils "
    label["terashuf"] = "terashuf "
    label["duckdb"] = "DuckDB "
    programs = split("bigshuf shuf uu-shuf terashuf duckdb sort-R copy", program, " ")
}

!inside {
    print
}

/^<!-- make bench-tables: / {
    inside = 1
    gsub(/^<!-- make bench-tables: | -->$/, "")
    split($0, part, " of ")
    print ""
    table(part[1], part[2])
    print ""
    next
}

/^<!-- end -->/ {
    inside = 0
    print
}
