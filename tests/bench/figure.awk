# Draw time against input size, across a memory limit, as SVG:
#
#     make bench ROWS=figure
#     awk -f tests/bench/figure.awk build/plain/bench.csv >tests/bench/figure.svg
#
# Both scales are logarithmic. A point is a median, the bar through it reaches from the fastest to the slowest run. A
# cross is where a program was killed or gave up, at the time it would have taken at its last pace. The picture brings
# its own background, so that it can be read on a light page and on a dark one.

function log2(x) {
    return log(x) / log(2)
}

function x_of(bytes) {
    return left + (log2(bytes) - x_low) / (x_high - x_low) * (right - left)
}

function y_of(seconds) {
    return bottom - (log2(seconds) - y_low) / (y_high - y_low) * (bottom - top)
}

function text(x, y, anchor, class, words) {
    printf "<text x=\"%.1f\" y=\"%.1f\" text-anchor=\"%s\" class=\"%s\">%s</text>\n", x, y, anchor, class, words
}

function line(x1, y1, x2, y2, class) {
    printf "<line x1=\"%.1f\" y1=\"%.1f\" x2=\"%.1f\" y2=\"%.1f\" class=\"%s\"/>\n", x1, y1, x2, y2, class
}

# The colour of a program.
function ink(name, colour) {
    printf ".curve.%s, .bar.%s { stroke: %s } .dot.%s, .name.%s { fill: %s }\n", name, name, colour, name, name, colour
}

function size_name(bytes) {
    return bytes >= 1e9 ? sprintf("%.3g GB", bytes / 1e9) : sprintf("%.3g MB", bytes / 1e6)
}

function memory_name(mib) {
    return mib >= 1024 ? sprintf("%g GiB", mib / 1024) : mib " MiB"
}

BEGIN {
    FS = ","
    left = 70
    right = 610
    top = 70
    bottom = 390
    width = 720
    height = 450
    programs = split("bigshuf copy terashuf shuf", program, " ")
    label["bigshuf"] = "bigshuf"
    label["copy"] = "cp, twice"
    label["terashuf"] = "terashuf"
    label["shuf"] = "GNU shuf"
    minimum = 1e300
}

# The columns by their names.
NR == 1 {
    for (i = 1; i <= NF; i++)
        column[$i] = i
    next
}

$column["row"] != "figure" {
    next
}

{
    name = $column["program"]
    bytes = $column["bytes"] + 0
    limit = $column["limit_mib"] + 0
    if (!(bytes in seen)) {
        seen[bytes] = 1
        size[++sizes] = bytes
    }
}

$column["median"] == "" {
    if (!(name in failed)) {
        failed[name] = bytes
        cause[name] = $column["verdict"]
    }
    next
}

{
    n = ++points[name]
    at[name, n] = bytes
    median[name, n] = $column["median"] + 0
    low[name, n] = $column["min"] + 0
    high[name, n] = $column["max"] + 0
    if (low[name, n] < minimum)
        minimum = low[name, n]
    if (high[name, n] > maximum)
        maximum = high[name, n]
}

END {
    if (sizes < 2) {
        print "figure.awk: no row \"figure\" in the file" >"/dev/stderr"
        exit 1
    }
    x_low = log2(size[1])
    x_high = log2(size[sizes])
    y_low = log2(minimum / 1.3)
    y_high = log2(maximum * 1.3)

    printf "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 %d %d\" width=\"%d\" height=\"%d\" role=\"img\"", \
        width, height, width, height
    print " font-family=\"system-ui, sans-serif\" font-size=\"13\">"
    print "<title>Time to shuffle JSON lines against input size</title>"
    print "<style>"
    print ".page { fill: #ffffff } .name { stroke: #ffffff }"
    print "text { fill: #24292f } .minor { fill: #57606a } .grid { stroke: #d8dee4 }"
    print ".limit { stroke: #57606a; stroke-dasharray: 2 4 } .beyond { fill: #57606a; fill-opacity: 0.07 }"
    print ".title { font-size: 16px; font-weight: 600 } .name { font-weight: 600 }"
    print ".name { paint-order: stroke; stroke-width: 4 }" # a halo, for where it lies on a curve
    print ".curve { fill: none; stroke-width: 2 } .curve.bigshuf { stroke-width: 3 }"
    print ".curve.copy { stroke-dasharray: 6 4 }"
    ink("bigshuf", "#0969da")
    ink("copy", "#57606a")
    ink("terashuf", "#1a7f37")
    ink("shuf", "#bc4c00")
    print "@media (prefers-color-scheme: dark) {"
    print ".page { fill: #0d1117 } .name { stroke: #0d1117 }"
    print "text { fill: #e6edf3 } .minor { fill: #9198a1 } .grid { stroke: #30363d }"
    print ".limit { stroke: #9198a1 } .beyond { fill: #9198a1; fill-opacity: 0.12 }"
    ink("bigshuf", "#58a6ff")
    ink("copy", "#9198a1")
    ink("terashuf", "#3fb950")
    ink("shuf", "#f0883e")
    print "}"
    print "</style>"
    printf "<rect class=\"page\" width=\"%d\" height=\"%d\" rx=\"6\"/>\n", width, height
    text(left, 28, "start", "title", "Shuffling JSON lines, file to file, in " memory_name(limit) " of memory")
    text(left, 48, "start", "minor", "seconds, page cache included in the limit; median, fastest and slowest run")

    limit_bytes = limit * 1048576
    if (limit_bytes > size[1] && limit_bytes < size[sizes]) {
        printf "<rect class=\"beyond\" x=\"%.1f\" y=\"%d\" width=\"%.1f\" height=\"%d\"/>\n", x_of(limit_bytes), top,
            right - x_of(limit_bytes), bottom - top
    }
    for (i = 1; i <= sizes; i++) {
        line(x_of(size[i]), top, x_of(size[i]), bottom, "grid")
        text(x_of(size[i]), bottom + 20, "middle", "minor", size_name(size[i]))
    }
    for (power = -3; power <= 5; power++)
        for (digit = 1; digit <= 5; digit += digit == 1 ? 1 : 3) {
            seconds = digit * 10 ^ power
            if (log2(seconds) < y_low || log2(seconds) > y_high)
                continue
            line(left, y_of(seconds), right, y_of(seconds), "grid")
            text(left - 8, y_of(seconds) + 4, "end", "minor", seconds " s")
        }
    text((left + right) / 2, bottom + 44, "middle", "minor", "size of the input")
    if (limit_bytes > size[1] && limit_bytes < size[sizes]) {
        line(x_of(limit_bytes), top, x_of(limit_bytes), bottom, "limit")
        text(x_of(limit_bytes) + 6, bottom - 8, "start", "minor", "larger than memory \342\206\222")
    }

    for (p = programs; p >= 1; p--)
        draw(program[p])
    put_names()
    print "</svg>"
}

function draw(name,    i, x, y, path) {
    for (i = 1; i <= points[name]; i++)
        path = path sprintf("%s%.1f %.1f", i == 1 ? "M" : " L", x_of(at[name, i]), y_of(median[name, i]))
    if (path == "")
        return
    printf "<path class=\"curve %s\" d=\"%s\"/>\n", name, path
    for (i = 1; i <= points[name]; i++) {
        x = x_of(at[name, i])
        line(x, y_of(low[name, i]), x, y_of(high[name, i]), "bar " name)
        printf "<circle class=\"dot %s\" cx=\"%.1f\" cy=\"%.1f\" r=\"%s\"/>\n", name, x, y_of(median[name, i]),
            name == "bigshuf" ? 4.5 : 3.5
    }
    if (name in failed) {
        x = x_of(failed[name])
        y = y_of(median[name, points[name]] * failed[name] / at[name, points[name]])
        if (y < top)
            y = top
        printf "<path class=\"curve %s\" d=\"M%.1f %.1f l10 10 m0 -10 l-10 10\"/>\n", name, x - 5, y - 5
        text(x, y - 14, "middle", "name " name, label[name] ": " cause[name])
    }
}

# At the ends of the curves, the lowest first, none less than a line above the one before.
function put_names(    p, q, name, count, order, y, previous) {
    for (p = 1; p <= programs; p++) {
        name = program[p]
        if (points[name] == 0 || name in failed)
            continue
        order[++count] = name
        y[name] = y_of(median[name, points[name]]) + 4
        for (q = count; q > 1 && y[order[q - 1]] < y[name]; q--)
            order[q] = order[q - 1]
        order[q] = name
    }
    previous = height
    for (p = 1; p <= count; p++) {
        name = order[p]
        if (y[name] > previous - 16)
            y[name] = previous - 16
        text(right + 10, y[name], "start", "name " name, label[name])
        previous = y[name]
    }
}
