"""Cases that chance alone would rarely make. Each recipe changes the case of a Maker, which has a seed so far."""

from dataclasses import replace

from data import Data

NEEDED_CALLS = ("close", "close", "write", "pwritev", "read", "preadv")


def deep_tree(maker):
    """More records than the first levels of a tree with small leaves take."""
    case, draw = maker.case, maker.draw
    case.inputs = [Data("seq", draw.randrange(17_000, 40_000))]
    case.opts["tune"] = ["leaf-records=%d" % draw.choice((8, 9, 10))]
    if maker.chance(2):
        case.opts["S"] = "8M"
    case.circ.update(via=draw.choice(("file", "pipe")), old="none")


def killed_shards(maker):
    """Many files, being made when a signal comes."""
    case, draw = maker.case, maker.draw
    case.inputs = [Data("seq", draw.choice((1500, 8000)))]
    case.opts.update({"o": "out/res.%05d", "shards": "records:1", "parallel": "8"})
    case.circ.update(via="file", old="none", kill=(draw.choice(("TERM", "INT", "HUP")), 0.3 * draw.random()))


def killed_filters(maker):
    """Filters whose program is killed: they must not take that for the end of the data."""
    case, draw = maker.case, maker.draw
    case.inputs = [Data("text", 3000, draw.randrange(1 << 30))]
    case.opts.update({"o": "out/res.%02d", "shards": "20", "filter": "good"})
    case.circ.update(via=draw.choice(("file", "slow")), old="none")
    case.circ["kill"] = (draw.choice(("TERM", "INT")), 0.2 * draw.random())


def broken_call(maker):
    """All calls of a kind that no run can do without fail: so must the run."""
    case, draw = maker.case, maker.draw
    case.inputs = [Data("text", draw.randrange(1, 2000), draw.randrange(1 << 30))]
    maker.pick_output()
    case.opts.pop("filter", None)
    case.opts.update({"S": "16M", "parallel": str(draw.randrange(1, 4))})
    case.circ.update(via=draw.choice(("file", "pipe")), old="old")
    call = draw.choice(NEEDED_CALLS)
    case.circ["fault"] = {"FAULT_CALL": call, "FAULT_AT": "1", "FAULT_STAYS": "1", "FAULT_ERRNO": "EIO"}


def damaged_spill(maker):
    """Temporary files that are not read back as they were written."""
    case, draw = maker.case, maker.draw
    case.inputs = [Data("wide", draw.randrange(11_000, 14_000), draw.randrange(1 << 30))]
    case.opts.update({"S": "8M", "parallel": str(draw.randrange(1, 4))})
    case.circ.update(via="pipe", old="none", tmps=draw.choice((1, 3)))
    fault = draw.choice(("FAULT_DAMAGE", "FAULT_END"))
    case.circ["fault"] = {"FAULT_CALL": "preadv", "FAULT_AT": str(draw.randrange(1, 60)), fault: "1"}


def csv_end(maker):
    """CSV files whose last record lacks its end, or half of it."""
    case, draw = maker.case, maker.draw
    end = draw.choice((b"\n", b"\r\n", b"\r\n"))
    for _ in range(draw.choice((1, 2))):
        tail = draw.choice((b"1,2", b"1\r", b'"\n"', b'"1\r"', b"\r", b'"'))
        case.inputs.append(Data("csv", draw.randrange(4), draw.randrange(1 << 30), end, tail=tail))
    case.opts["csv"] = None
    case.circ.update(via=draw.choice(("file", "dash", "files0")), old="none")


def named_field(maker):
    """Groups, splits or weights by a name in a header or by a JSON Pointer; now and then there is no such field."""
    case, draw = maker.case, maker.draw
    what = draw.choice(("group", "split", "stratify", "weight"))
    seeds = [draw.randrange(1 << 30) for _ in range(draw.choice((1, 1, 2)))]
    count = draw.choice((0, 1, 5, 40, 2000))
    if maker.chance(2):
        field = "/m~1n/w/1" if what == "weight" else "/m~1n/who"
        bad = (b"x", b"{}", b'{"m/n": null}', b'{"m/n": {"who": [1], "w": [1, {}]}}', b'{"m/n": {"w": [0, 1], "who": 1}}')
        tail = draw.choice(bad) if maker.chance(4) else b""
        case.inputs = [Data("objects", count, seed, tail=tail) for seed in seeds]
    else:
        field = draw.choice(("w", '"w"')) if what == "weight" else draw.choice(("who", "id", '"who"'))
        heads = (b'id,who,w\n', b'id,"who",w\r\n', b'\xef\xbb\xbf"id","who","w"\n', b"id,name,x\n", b"who,w,who,w,id,id\n")
        head = draw.choice(heads)
        case.inputs = [Data("people", count, seed, head=head) for seed in seeds]
        case.opts["header"] = None
        case.opts.update({"csv": None} if maker.chance(2) else {"t": ","})
    case.opts[what + "-field"] = field
    if what in ("split", "stratify"):
        case.opts["split"] = ["30%:out/split.a", "20.5%:out/split.b"]
    if what != "stratify" and maker.chance(3):
        case.opts["n"] = str(draw.randrange(100))
    if maker.chance(2):
        case.opts["o"] = "out/res"
    if what == "split" and maker.chance(2):
        case.opts.update({"S": "8M", "o": "out/res.%05d", "shards": "bytes:%d" % draw.choice((1000, 9000, 100_000))})
        case.inputs = [replace(data, count=draw.randrange(30_000)) for data in case.inputs]
    case.circ.update(via=draw.choice(("file", "pipe", "dash")), old="old")


def parallel_files(maker):
    """Files that are shuffled in one order; now and then one has another number of records."""
    case, draw = maker.case, maker.draw
    maker.pick_inputs(*maker.pick_format())
    first = case.inputs[0]
    case.inputs = [replace(first, seed=draw.randrange(1 << 30)) for _ in range(draw.choice((1, 2, 3)))]
    if maker.chance(8):
        case.inputs.append(replace(first, count=first.count + 1))
    if maker.chance(4):
        maker.pick_header()
    for pick in (maker.pick_sample, maker.pick_part):
        if maker.chance(3):
            pick()
    case.opts.update({"each": None, "o": "out/%s"})
    if maker.chance(3):
        case.opts["Z"] = None
        case.opts["o"] += draw.choice(("", ".gz", ".bz2"))
    if maker.chance(3):
        case.opts["split"] = draw.choice((["10:out/a.%s"], ["20%:out/a.%s", "0.5%:out/b.%s"], ["50%:out/a.%s", "50%:out/b.%s"]))
    maker.pick_resources()
    case.circ["via"] = draw.choice(("file", "file", "fifo", "files0"))
    maker.pick_output_way()
    maker.pick_trouble()


def doubles(maker):
    """Records that come again, some of them much later, also where they do not fit into memory."""
    case, draw = maker.case, maker.draw
    maker.pick_inputs(*maker.pick_format())
    if maker.chance(6):
        case.inputs = []
        maker.pick_large()
    case.inputs = draw.choices(case.inputs, k=draw.choice((2, 3, 5)))
    maker.pick_output()
    case.opts["unique"] = draw.choice((None, None, "1"))
    maker.pick_resources()
    maker.pick_input_way()
    maker.pick_output_way()


def cut_doubles(maker):
    """The same where files are compressed, and mostly end too early."""
    doubles(maker)
    maker.case.opts["Z"] = None
    maker.case.circ.update({} if maker.chance(4) else {"cut": None})


def failing_files(maker):
    """Parallel files, and a call that fails."""
    parallel_files(maker)
    maker.case.circ = {name: value for name, value in maker.case.circ.items() if name not in ("kill", "close", "nofile", "as", "fsize")}
    maker.case.circ["fault"] = {"FAULT_AT": str(maker.draw.randrange(1, 150)), "FAULT_ERRNO": maker.draw.choice(("EIO", "ENOSPC", "ENOMEM"))}
    if maker.chance(2):
        maker.case.circ["fault"].update(FAULT_CALL=maker.draw.choice("open close write read allocate thread rename_at stat".split()))


def giant_groups(maker):
    """Groups with records that are larger than memory, and many threads."""
    case, draw = maker.case, maker.draw
    case.inputs = [Data("giant-people", draw.choice((1, 5, 500)), draw.randrange(1 << 30)) for _ in range(draw.choice((1, 1, 2)))]
    case.opts.update({draw.choice(("group-field", "group-field", "unique")): draw.choice(("2", ["2", "1"])), "t": ",",
                      "S": "8M", "parallel": draw.choice(("1", "2", "28"))})
    case.opts.update(draw.choice(({}, {"n": "5"}, {"o": "out/res.%d", "shards": draw.choice(("2", "records:3", "bytes:3000"))})))
    case.circ.update(via=draw.choice(("file", "pipe", "fifo")), old="none")


def differing_fields(maker):
    """Splits by several fields, of files whose headers differ."""
    case, draw = maker.case, maker.draw
    heads = draw.choices((b"id,who,w\n", b'id,"who",w\r\n', b"w,who,id\n", b"who,w\n"), k=draw.choice((1, 2, 3)))
    case.inputs = [Data("people", draw.choice((0, 1, 40, 2000)), draw.randrange(1 << 30), head=head) for head in heads]
    case.opts.update({"header": None, "t": ",", "split-field": draw.choice((["who", "w"], ["w", "2"], ["3", "who", "1"])),
                      "split": draw.choice((["30%:out/split.a"], ["50%:out/split.a", "20.5%:out/split.b"]))})
    case.opts.update({} if maker.chance(4) else {"headers-differ": None})
    case.opts.update({"group-field": case.opts["split-field"]} if maker.chance(3) else {})
    maker.pick_resources()
    maker.pick_input_way()
    maker.pick_output_way()
    maker.pick_trouble()


def stalled_input(maker):
    """A failure while the input stands still: the run ends at once. What is there is more than all memory, or it might
    not have failed yet."""
    case, draw = maker.case, maker.draw
    case.inputs = [Data("wide", draw.randrange(9000, 13000), 1)]
    case.opts["S"] = "8M"
    case.circ.update(via="stall", old="none", tmps=1)
    if "mount" in maker.can and maker.chance(2):
        case.circ["tmpfs-tmp"] = "size=1m"
    else:
        case.circ["fault"] = {"FAULT_CALL": "pwritev", "FAULT_AT": "1", "FAULT_ERRNO": "ENOSPC"}
    case.opts["parallel"] = str(draw.randrange(1, 9))


def beyond_memory(maker):
    """Inputs somewhat larger than 64 MiB: what may be written to temporary files is promised."""
    case, draw = maker.case, maker.draw
    case.inputs = [Data("wide", draw.randrange(70_000, 110_000), 1)]
    case.opts.update({"S": "64M", "v": None})
    case.circ.update(via=draw.choice(("file", "pipe")), old="none")


def outputs_among_inputs(maker):
    """Outputs that are inputs as well: the only one may be the only input."""
    case, draw = maker.case, maker.draw
    inputs = draw.randrange(1, 4)
    case.inputs = [Data("text", draw.randrange(50, 300), draw.randrange(1 << 30)) for _ in range(inputs)]
    way = draw.randrange(5)
    if way == 4:
        case.opts["o"] = "in/0"
    elif way < 3:
        case.opts.update({"o": "in/%d", "shards": str(draw.choice((inputs, inputs, draw.randrange(1, 5))))})
    else:
        case.opts["o"] = draw.choice(("in/0", "out/res"))
    if way in (2, 3):
        case.opts["split"] = ["10%%:%s" % draw.choice(("in/1", "out/split.a"))]
    case.circ.update(via=draw.choice(("file", "files0", "dash")), old="none")


COMMON = (deep_tree, deep_tree, broken_call, damaged_spill, csv_end, killed_shards, killed_filters, named_field, named_field,
          stalled_input, outputs_among_inputs, parallel_files, parallel_files, failing_files, failing_files, doubles,
          cut_doubles, giant_groups, differing_fields, differing_fields)


def change(maker):
    """Apply a recipe."""
    draw = maker.draw
    (beyond_memory if draw.randrange(100) == 0 else draw.choice(COMMON))(maker)
