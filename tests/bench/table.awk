# Print the table of the README from results:
#
#     make bench ROWS=peers
#     awk -f tests/bench/table.awk build/plain/bench.csv
#
# A line is a row of bench.sh, or what it says of memory; a column is a program. Where a program failed, its reason
# stands instead of its time.

function number(value) {
    return sprintf(value < 10 ? "%.2f" : value < 100 ? "%.1f" : "%.0f", value)
}

function keep(row, program, median, why) {
    cell[row, program] = median != "" ? number(median) : why == "killed" ? "does not fit" : why
}

function line(words, row,    i) {
    if (!((row, "bigshuf") in cell))
        return
    printf "| %s |", words
    for (i = 1; i <= programs; i++)
        printf " %s |", cell[row, program[i]]
    printf "\n"
}

BEGIN {
    FS = ","
    programs = split("bigshuf shuf uu-shuf terashuf duckdb sort-R copy", program, " ")
}

/^# / {
    printf "<!-- %s -->\n", substr($0, 3)
}

# row,bytes,program,against,unit,pairs,dropped,median,min,max,against_median,against_min,against_max,ratio,target,verdict
$1 ~ /^peers/ && $3 == "bigshuf" {
    row = $5 == "s" ? $1 : $1 "-memory"
    if ($8 != "")
        keep(row, "bigshuf", $8)
    keep(row, $4, $11, $16)
}

END {
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
