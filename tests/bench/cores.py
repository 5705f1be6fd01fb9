"""A model of many processors: cores.py BUILD FILE..., from the top of the tree.

The times of all tasks are measured (tasks.h), for one processor with one thread, for more with two at a time, as all
are slower then; and put into a simulation of both passes, which takes tasks as src/shuffle/queue.c and
gather.c do. It knows nothing of caches, of the memory's speed when more processors ask for it, or of other programs. For
one and two processors, it also says what the program really does. OUT is where the output goes; if not given, /dev/null.
"""

import heapq
import os
import re
import subprocess
import sys
import time

LANES, APPEND_RECORDS, APPEND_SHARE = 16, 8192, 3  # as in scatter.c and queue.c
RUNS, PILES, WAKE, LOCK = 7, 512, 30e-6, 0.3e-6  # seconds until a thread that was woken works, and for each look into the queue


def make_timed_program(build):
    objects = []
    for name in "scatter", "gather":
        objects.append(f"{build}/timed-{name}.o")
        subprocess.run(["cc", "-D_XOPEN_SOURCE=700", "-D_DEFAULT_SOURCE", "-Iinclude", "-std=c11", "-O2", "-pthread",
                        "-include", "tests/bench/tasks.h", "-c", "-o", objects[-1], f"src/shuffle/{name}.c"], check=True)
    subprocess.run(["cc", "-pthread", "-o", f"{build}/bigshuf-timed", f"{build}/src/main.o", *objects, f"{build}/libbigshuf.a", "-lm"],
                   check=True)


def run(program, file, threads, output):
    """The seconds of a run, those of the processors, and what it said."""
    with open(output, "wb") as out:
        start, before = time.time(), os.times()
        said = subprocess.run([program, f"--parallel={threads}", "-S", "4G", file], stdout=out, stderr=subprocess.PIPE,
                              check=True, text=True).stderr
        after = os.times()
    whole = after.children_user + after.children_system - before.children_user - before.children_system
    return time.time() - start, whole, said


def measure(build, file, threads, output):
    """Of the fastest of RUNS: the seconds of each kind of task, the number of blocks, and what is done once; and how
    long the program as it is takes, in turn with these runs."""
    runs, walls = [], []
    for _ in range(RUNS):
        walls.append(run(f"{build}/bigshuf", file, threads, output)[0])
        _, whole, said = run(f"{build}/bigshuf-timed", file, threads, output)
        row = {key: [float(x) for x in re.search(rf"{key}\.c (.*)", said)[1].split()] for key in ("scatter", "gather")}
        read, scan, route, append, _, all1, blocks = row["scatter"]
        drain, all2 = row["gather"][4:6]
        runs.append((whole, read, scan, route, append, all2 - drain, drain, blocks, whole - all1 - all2))
    return min(runs)[1:], min(walls)


def scatter(threads, blocks, records, read, scan, route, append):
    """Simulates queue.c: the seconds that pass 1 takes, and how long somebody read."""
    lanes = 1
    while lanes < threads and lanes < LANES:
        lanes *= 2
    ring = 1 if threads == 1 else threads + threads // 4 + 4
    floor = min(max(1, -(-ring // APPEND_SHARE)), max(1, -(-APPEND_RECORDS * lanes * blocks // records)))
    to_read = to_scan = numbered = to_route = routed = 0
    reading, scanned, done_routes, lane_next, lane_busy = False, set(), set(), [0] * lanes, [False] * lanes
    now, events, idle, looks, woken = 0.0, [], list(range(1, threads)), 0.0, 0.0
    finished = ("none", 0, 0)
    thread = 0
    while True:
        kind, at, more = finished
        if kind == "read":
            reading, to_read = False, to_read + 1
        elif kind == "scan":
            scanned.add(at)
            while numbered in scanned:
                numbered += 1
        elif kind == "route":
            done_routes.add(at)
            while routed in done_routes:
                routed += 1
        elif kind == "append":
            lane_busy[at], lane_next[at] = False, more
        if min(lane_next) == blocks:
            return now
        for who in [thread] + idle:
            at_end = to_read == blocks and numbered == blocks and routed == blocks
            waits = [(lane_next[l], l) for l in range(lanes) if not lane_busy[l] and
                     (routed - lane_next[l] >= floor or (at_end and routed > lane_next[l]))]
            if idle and not reading and to_read < blocks and to_read - min(lane_next) < ring:
                task, takes, reading = ("read", 0, 0), read, True
            elif waits:
                first, l = min(waits)
                lane_busy[l] = True
                task, takes = ("append", l, routed), append / lanes * (routed - first)
            elif to_route < numbered:
                task, takes, to_route = ("route", to_route, 0), route, to_route + 1
            elif to_scan < to_read:
                task, takes, to_scan = ("scan", to_scan, 0), scan, to_scan + 1
            elif not reading and to_read < blocks and to_read - min(lane_next) < ring:
                task, takes, reading = ("read", 0, 0), read, True
            else:
                if who == thread:
                    idle.append(who)
                break
            looks = max(looks, now) + LOCK
            if who == thread:
                heapq.heappush(events, (looks + takes, who, task))
            else:
                woken = max(woken, now) + WAKE  # one after the other
                heapq.heappush(events, (woken + takes, who, task))
                idle.remove(who)
        now, thread, finished = heapq.heappop(events)


def gather(threads, shuffle, write):
    """Simulates gather.c: the seconds that pass 2 takes."""
    free, written = [0.0] * threads, 0.0
    for _ in range(PILES):
        ready = heapq.heappop(free) + shuffle / PILES
        written = max(ready, written + (WAKE if ready < written else 0)) + write / PILES
        heapq.heappush(free, written)
    return written


def row(threads, records, measured):
    read, scan, route, append, shuffle, write, blocks, rest = measured
    one = scatter(threads, int(blocks), records, *(x / blocks for x in (read, scan, route, append)))
    two = gather(threads, shuffle, write)
    bounds = {"reading": read, "appending": append / min(LANES, threads),
              "processors": (read + scan + route + append) / threads}
    limits = max(bounds, key=bounds.get), "writing" if write > (shuffle + write) / threads else "processors"
    return one + two + rest, one, two, limits


def main():
    output = os.environ.get("OUT", "/dev/null")
    build, *files = sys.argv[1:]
    make_timed_program(build)
    for file in files:
        size = os.path.getsize(file)
        with open(file, "rb") as data:
            sample = data.read(1 << 20)
        records = int(size / (len(sample) / max(1, sample.count(b"\n"))))
        together = {1: measure(build, file, 1, output), 2: measure(build, file, 2, output)}
        for threads, (measured, _) in together.items():
            print(file, " ".join(f"{name} {x / records * 1e9:.2f}" for name, x in
                                 zip(("read", "scan", "route", "append", "shuffle", "write"), measured)),
                  f"ns a record, on {threads} at a time")
        for threads in 1, 2, 8, 32, 64:
            total, one, two, limits = row(threads, records, together[min(threads, 2)][0])
            said = f"  {threads:3} processors: {size / total / 1e9:6.2f} GB/s, pass 1 {one:.3f} s ({limits[0]}), " \
                   f"pass 2 {two:.3f} s ({limits[1]})"
            if threads in together:
                really = together[threads][1]
                said += f"; measured {size / really / 1e9:.2f} GB/s, {total / really:.2f}"
            print(said, flush=True)


if __name__ == "__main__":
    main()
