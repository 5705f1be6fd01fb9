# Print a page with its tables made anew from kept results:
#
#     awk -f tests/bench/table.awk README.md
#
# A table begins with a line `<!-- make bench-tables: KIND of PATH -->` and ends with `<!-- end -->`. KIND is "peers", "peers
# with ranges", or "rows"; PATH is a file that bench.sh has written. Of peers there is a table of seconds and one of MiB: a
# line is a row of bench.sh, and a column is a program. Where a program failed, its reason stands instead of its time.

function number(value) {
    return sprintf(value < 10 ? "%.2f" : value < 100 ? "%.1f" : "%.0f", value)
}

# A median and, if it is asked for and there were several runs, the range.
function cell_of(median, least, most) {
    return number(median) (ranges && least != most ? " (" number(least) " \342\200\223 " number(most) ")" : "")
}

# A line of the head of a file, in short: the day, the processor, or a version.
function describe(words) {
    sub(/^# (bigshuf bench, )?/, "", words)
    if (words ~ /left out|^(memory|data|note) /)
        return
    gsub(/^(processor|kernel|bigshuf|shuf) +|[()]| [0-9:]+ UTC/, "", words)
    sub(/^uu_shuf +/, "uutils ", words)
    sub(/^duckdb +v/, "DuckDB ", words)
    if (words ~ /^terashuf/)
        words = "terashuf " substr(words, 14, 7)
    head = head "; " words
}

# A line of one table: KIND is "" for seconds and "-memory" for MiB.
function line(words, row, kind,    i) {
    if (!((row kind, "bigshuf") in cell))
        return
    printf "| %s |", words
    for (i = 1; i <= (kind ? 5 : programs); i++)
        printf " %s |", cell[row kind, program[i]]
    printf "\n"
}

function lines(kind) {
    line("1 GB of numbers, 9 bytes a line", "peers-seq", kind)
    line("1 GB of lines of 100 bytes", "peers-lines", kind)
    line("1 GB of JSON lines of 350 bytes", "peers-json", kind)
    line("4 GB of JSON lines, 256 MiB of memory", "peers-beyond-json", kind)
    line("4 GB of 9-byte lines, 256 MiB of memory", "peers-beyond-nine", kind)
}

function peers_table() {
    print "| seconds, from file to file | bigshuf | GNU shuf | uutils shuf | terashuf | DuckDB | sort -R | copying |"
    print "|---|---|---|---|---|---|---|---|"
    lines("")
    print "\n| MiB of memory | bigshuf | GNU shuf | uutils shuf | terashuf | DuckDB |"
    print "|---|---|---|---|---|---|"
    lines("-memory")
}

function count_runs() {
    runs = runs > $6 + $7 ? runs : $6 + $7
}

# A line of a file: row,bytes,program,against,unit,pairs,dropped,median,min,max,against_median,against_min,against_max,
# ratio,target,verdict,limit_mib
function peers_line(    row) {
    if ($1 !~ /^peers/ || $3 != "bigshuf")
        return
    count_runs()
    row = $5 == "s" ? $1 : $1 "-memory"
    if ($8 != "" && !((row, "bigshuf") in cell)) # against "copy", which ran in all rounds
        cell[row, "bigshuf"] = cell_of($8, $9, $10)
    cell[row, $4] = $11 != "" ? cell_of($11, $12, $13) : $16 == "killed" ? "does not fit" : $16
}

function rows_line() {
    if ($1 == "row") {
        print "| row | MB | program | median | against | median | ratio |"
        print "|---|---|---|---|---|---|---|"
        return
    }
    count_runs()
    if ($8 != "" && $11 != "")
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
        if (/^# /)
            describe($0)
        else if (kind == "rows")
            rows_line()
        else
            peers_line()
    }
    close(path)
    if (kind != "rows")
        peers_table()
    print "\n" (runs == 1 ? "One run" : "Medians of " runs " runs, one of other programs that take over 15 s") head "."
}

BEGIN {
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
