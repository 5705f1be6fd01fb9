#!/usr/bin/env python3
"""Try bigshuf with random options, data and circumstances, and compare with a model. `make soak` runs it.

From the environment: SECONDS of trying, SEED of all cases, CASE to run one case again, by its number or as it was
printed, JOBS at a time, BIGSHUF, BIGSHUF_FAULTY, HOSTILE and HOSTILE_FAULTY to try other programs.
"""

import faulthandler
import multiprocessing
import os
import pathlib
import random
import secrets
import shlex
import shutil
import signal
import subprocess
import sys
import tempfile
import time
import traceback

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / "model"))

import requestcase
import storecase
from case import Case, is_valid, make_case
from check import Check, made_up_seed
from data import Data
from expect import expect
from requestcase import RequestCase, make_request_case, run_requests
from run import Folder, Tools, end_processes, run
from shrink import shrink, smaller_cases, usual_cases
from storecase import Step, StoreCase
from storerun import StoreRun

SHRINK_SECONDS = 30
SHOWN = 2000  # characters of a line


def abilities():
    """What this user can do here."""
    can = set()
    with tempfile.TemporaryDirectory() as folder:
        mount = ["mount", "-t", "tmpfs", "none", folder]
        if subprocess.run(mount, stderr=subprocess.DEVNULL, check=False).returncode == 0:
            subprocess.run(["umount", folder], check=False)
            can.add("mount")
    if shutil.which("shuf"):
        can.add("shuf")
    return can


def in_memory():
    """A folder that is in memory and has room, or None."""
    try:
        room = os.statvfs("/dev/shm")
    except OSError:
        return None
    return "/dev/shm" if room.f_bavail * room.f_frsize > 1 << 30 and os.access("/dev/shm", os.W_OK) else None


def in_own_mounts():
    """Become a process whose mounts nobody else sees, if that is allowed."""
    way = "-m" if os.getuid() == 0 else "-rm"
    if os.environ.get("SOAK_MOUNTS") or not shutil.which("unshare"):
        return
    if subprocess.run(["unshare", way, "true"], stderr=subprocess.DEVNULL, check=False).returncode == 0:
        os.environ["SOAK_MOUNTS"] = "1"
        os.execvp("unshare", ["unshare", way, sys.executable] + sys.argv)


def is_store(seed):
    """Every fourth case is one of storecase."""
    return random.Random("kind " + seed).randrange(4) == 0


def is_requests(seed):
    """Every eighth of the others is one of requestcase."""
    return random.Random("requests " + seed).randrange(8) == 0


def _report(seed, case, wrong):
    text = repr(case)
    text = shlex.quote(text if '"' in text else text.replace("'", '"'))
    lines = ["FAILED: %s (again: make soak CASE=%s)" % (wrong[0], seed)]
    lines += ["smaller: CASE=%s make soak" % text] if len(text) < SHOWN else []
    return "\n".join(lines + ["expected: %s" % wrong[1][:SHOWN], "seen:     %s" % wrong[2].rstrip()[:SHOWN]])


class Trials:
    """Tries cases in a scratch folder."""

    def __init__(self, tools, places, can):
        self.tools, self.places, self.can, self.count = tools, places, can, 0

    def _place(self, case):
        """Where this case runs: mostly in memory, which is quicker, and on the disk for what is different there."""
        return self.places[random.Random("place " + case.seed).randrange(3) == 0]

    def wrong_with(self, case):
        """What is wrong with a run of this case, or None."""
        self.count += 1
        with Folder(os.path.join(self._place(case), "%d.%d" % (os.getpid(), self.count))) as folder:
            if isinstance(case, StoreCase):
                return StoreRun(case, self.tools, folder).run()
            if isinstance(case, RequestCase):
                return run_requests(case, self.tools, folder)
            case.circ["folder"] = folder.path
            result = run(case, self.tools, folder)
            seed = None if "seed" in case.opts or "random-source" in case.opts else made_up_seed(result) or "unknown"
            if seed == "unknown":
                nothing = result.status or case.opts.get("n") == "0"  # of nothing nothing is said
                nothing = nothing or result.killed  # too late, but before it was said
                return None if nothing else ("seed", "a seed in what -v prints", result.stderr)
            return Check(case, expect(case, seed), result).first_wrong()

    def report(self, seed, case, wrong, took):
        """A text about a case that failed, made smaller unless a run takes too long for that."""
        stored = isinstance(case, StoreCase)
        patience = SHRINK_SECONDS if took < SHRINK_SECONDS / 8 else 0
        racing = any({"kill", "writers"} & set(part.circ) for part in (case.steps if stored else [case]))
        less = storecase.smaller_cases if stored else lambda case: filter(is_valid, smaller_cases(case))
        less = requestcase.smaller_cases if isinstance(case, RequestCase) else less

        def smaller(case):
            yield from usual_cases(case, self.tools.sizes)
            yield from less(case)

        return _report(seed, *shrink(case, wrong, smaller, self.wrong_with, patience, 4 if racing else 1))

    def try_seed(self, seed):
        """None, or a report. A seed may also be a case that was made smaller, as it was printed."""
        try:
            if "(" in seed:
                case = eval(seed, {each.__name__: each for each in (Case, StoreCase, Step, RequestCase, Data)})  # pylint: disable=eval-used
            else:
                case = (storecase.make_store_case(seed) if is_store(seed) else make_request_case(seed) if is_requests(seed)
                        else make_case(seed, self.can))
            begin = time.monotonic()
            wrong = self.wrong_with(case)
            return self.report(case.seed, case, wrong, time.monotonic() - begin) if wrong else None
        except Exception:  # pylint: disable=broad-except
            return "FAILED: the soak itself, in case %s\n%s" % (seed, traceback.format_exc())


def work(number, jobs, seed, seconds, queue, trials):
    """Try every jobs-th case until the time is over."""
    begin = time.monotonic()
    while time.monotonic() < begin + seconds:
        report = trials.try_seed("%s.%d" % (seed, number))
        queue.put((number, time.monotonic() - begin, report))
        number += jobs
    queue.put(None)


def collect(queue, jobs, most):
    """Count cases and failures, and print these, until all workers have ended or so many cases have failed."""
    cases = failures = ended = 0
    while ended < jobs and not (most and failures >= most):
        entry = queue.get()
        if entry is None:
            ended += 1
            continue
        cases += 1
        if entry[2]:
            failures += 1
            print("\n[%.0f s] %s" % (entry[1], entry[2]), flush=True)
    return cases, failures


def soak(seed, seconds, jobs, trials, most):
    """Try cases at the same time; returns how many failed."""
    queue = multiprocessing.Queue()
    workers = [multiprocessing.Process(target=work, args=(i, jobs, seed, seconds, queue, trials), daemon=True)
               for i in range(jobs)]
    for worker in workers:
        worker.start()
    try:
        cases, failures = collect(queue, jobs, most)
    finally:
        for worker in workers:
            worker.terminate()
            worker.join()
    print("soak: %d cases, %d failed (SEED=%s)" % (cases, failures, seed), flush=True)
    return failures


def main():
    """Returns the exit status."""
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(1))  # and tidy up
    faulthandler.register(signal.SIGUSR1)  # where is it, if it takes long?
    in_own_mounts()
    tools = Tools.from_environment()
    if not (tools.program and tools.faulty and tools.hostile and tools.hostile_faulty):
        print("soak: no program to try", file=sys.stderr)
        return 1
    places = [tempfile.mkdtemp(prefix="bigshuf-soak.", dir=parent) for parent in (in_memory(), None)]
    try:
        trials = Trials(tools, places, abilities())
        if os.environ.get("CASE"):
            report = trials.try_seed(os.environ["CASE"])
            print(report or "soak: the case is well")
            return 1 if report else 0
        seed = os.environ.get("SEED") or secrets.token_hex(4)
        jobs = int(os.environ.get("JOBS") or len(os.sched_getaffinity(0)))
        print("soak: SEED=%s, %d at a time" % (seed, jobs), flush=True)
        seconds = float(os.environ.get("SECONDS") or 60)
        return 1 if soak(seed, seconds, jobs, trials, int(os.environ.get("MOST") or 0)) else 0
    finally:
        for place in places:
            end_processes(place, 0)
            shutil.rmtree(place, ignore_errors=True)


if __name__ == "__main__":
    sys.exit(main())
