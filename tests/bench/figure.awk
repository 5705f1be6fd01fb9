# Draw time against input size, across a memory limit, as SVG:
#
#     make bench ROWS=figure
#     awk -f tests/bench/figure.awk build/plain/bench.csv >tests/bench/figure.svg
#
# Both scales are logarithmic. A point is a median, the bar through it reaches from the fastest to the slowest run. A
# cross is where a program was killed or gave up, at the time it would have taken at its last pace. The picture brings
# its own background, so that it can be read on a light page and on a dark one.

function x_of(bytes) {
    return sprintf("%.1f", left + log(bytes / size[1]) / log(size[sizes] / size[1]) * (right - left))
}

function y_of(seconds) {
    return sprintf("%.1f", bottom - log(seconds / low) / log(high / low) * (bottom - top))
}

function text(x, y, anchor, class, words) {
    printf "<text x=\"%.1f\" y=\"%.1f\" text-anchor=\"%s\" class=\"%s\">%s</text>\n", x, y, anchor, class, words
}

function path(class, d) {
    printf "<path class=\"%s\" d=\"%s\"/>\n", class, d
}

# The colours of the page, its text, what stands back and the programs.
function colours(names) {
    for (i = split(names, colour, " "); i > 0; i--)
        printf "%s { color: #%s }%s", part[i], colour[i], (i > 1 ? " " : "\n")
}

BEGIN {
    FS = ","
    left = 70
    right = 610
    top = 70
    bottom = 390
    split(".page svg .minor .bigshuf .copy .terashuf .shuf", part, " ")
    programs = split("shuf terashuf copy bigshuf", program, " ")
    label["bigshuf"] = "bigshuf"
    label["copy"] = "cp, twice"
    label["terashuf"] = "terashuf"
    label["shuf"] = "GNU shuf"
    low = 1e300
}

/^# / { # where the numbers come from
    next
}

# The columns by their names.
!("row" in column) {
    for (i = 1; i <= NF; i++)
        column[$i] = i
}

$column["row"] != "figure" {
    next
}

{
    bytes = $column["bytes"]
    limit = $column["limit_mib"] * 1048576
    if (bytes != size[sizes])
        size[++sizes] = bytes
    if (take($column["program"], $column["median"], $column["min"], $column["max"]))
        take($column["against"], $column["against_median"], $column["against_min"], $column["against_max"])
    else if (!($column["against"] in failed)) {
        failed[$column["against"]] = bytes
        cause[$column["against"]] = $column["verdict"]
    }
}

# Several rows may tell of one run.
function take(name, middle, least, most,    n) {
    if (middle == "")
        return 0
    n = at[name, points[name]] == bytes ? points[name] : ++points[name]
    at[name, n] = bytes
    median[name, n] = middle
    fastest[name, n] = least
    slowest[name, n] = most
    low = low < least / 1.3 ? low : least / 1.3
    high = high > most * 1.3 ? high : most * 1.3
    return 1
}

END {
    if (sizes < 2) {
        print "figure.awk: no row \"figure\" in the file" >"/dev/stderr"
        exit 1
    }
    print "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 720 450\" width=\"720\" height=\"450\" role=\"img\"" \
        " font-family=\"system-ui, sans-serif\" font-size=\"13\">"
    print "<title>Time to shuffle JSON lines against input size</title>"
    print "<style>"
    colours("ffffff 24292f 57606a 0969da 57606a 1a7f37 bc4c00")
    printf "@media (prefers-color-scheme: dark) { "
    colours("0d1117 e6edf3 9198a1 58a6ff 9198a1 3fb950 f0883e")
    print "} text, rect { fill: currentColor } .title { font-size: 16px; font-weight: 600 } .name { font-weight: 600 }"
    print "path { fill: none; stroke: currentColor } .grid { opacity: 0.25 } .limit { stroke-dasharray: 2 4 }"
    print ".curve, .cross { stroke-width: 2 } .copy .curve { stroke-dasharray: 6 4 } .dots { stroke-width: 8; stroke-linecap: round }"
    print "</style>"
    print "<rect class=\"page\" width=\"720\" height=\"450\" rx=\"6\"/>"
    text(left, 28, "start", "title", "Shuffling JSON lines, file to file, in " limit / 1048576 / 1024 " GiB of memory")
    text(left, 48, "start", "minor", "seconds, page cache included in the limit; median, fastest and slowest run")
    for (i = 1; i <= sizes; i++) {
        grid = grid "M" x_of(size[i]) " " top "V" bottom
        text(x_of(size[i]), bottom + 20, "middle", "minor", size[i] >= 1e9 ? size[i] / 1e9 " GB" : size[i] / 1e6 " MB")
    }
    for (i = split("0.1 0.2 0.5 1 2 5 10 20 50 100 200 500", tick, " "); i > 0; i--)
        if (tick[i] > low && tick[i] < high) {
            grid = grid "M" left " " y_of(tick[i]) "H" right
            text(left - 8, y_of(tick[i]) + 4, "end", "minor", tick[i] " s")
        }
    path("minor grid", grid)
    path("minor limit", "M" x_of(limit) " " top "V" bottom)
    text(x_of(limit) + 6, bottom - 8, "start", "minor", "larger than memory \342\206\222")
    text((left + right) / 2, bottom + 44, "middle", "minor", "size of the input")
    for (p = 1; p <= programs; p++)
        draw(program[p])
    print "</svg>"
}

# A name stands at the end of its curve, or by its cross.
function draw(name,    n, x, y, curve, bars, dots) {
    for (n = 1; n <= points[name]; n++) {
        x = x_of(at[name, n])
        curve = curve (n == 1 ? "M" : "L") x " " y_of(median[name, n])
        bars = bars "M" x " " y_of(fastest[name, n]) "V" y_of(slowest[name, n])
        dots = dots "M" x " " y_of(median[name, n]) "h0"
    }
    if (--n < 1)
        return
    print "<g class=\"" name "\">"
    path("curve", curve)
    path("bars", bars)
    path("dots", dots)
    y = y_of(median[name, n])
    if (name in failed) {
        x = x_of(failed[name])
        y = y_of(median[name, n] * failed[name] / at[name, n])
        path("cross", "M" x - 5 " " y - 5 "l10 10m0 -10l-10 10")
        text(x, y - 14, "middle", "name", label[name] ": " cause[name])
    } else
        text(right + 10, y + (name == "bigshuf" ? -2 : name == "copy" ? 10 : 4), "start", "name", label[name])
    print "</g>"
}
