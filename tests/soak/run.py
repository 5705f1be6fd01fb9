"""Run a case in a folder of its own: lay out its files, make its circumstances, start the program, see what is left."""

import os
import resource
import select
import shutil
import signal
import stat
import subprocess
import time
import zlib
from dataclasses import dataclass, field

from case import FILTERS, PACKERS
from surroundings import Feeder, Reader

LIMIT_SECONDS = 600  # blocks of 64 bytes, by threads that take turns, have taken more than 100
SLACK_KIB = 16 << 10
STALL_SECONDS = 8  # that a pipe stands still; a run that has failed ends long before
TOP = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
OLD = b"old contents\n"


@dataclass
class Tools:
    """The programs that are tried, and what helps."""

    program: str
    faulty: str
    hostile: str
    hostile_faulty: str
    peak: str = ""

    @staticmethod
    def from_environment():
        """As BIGSHUF, BIGSHUF_FAULTY, HOSTILE, HOSTILE_FAULTY and PEAK say, or as they were built."""
        build = os.path.join(TOP, os.environ.get("BUILD") or "build/plain")
        hostile = os.path.join(TOP, "build/hostile")

        def tool(variable, folder, name):
            path = os.path.abspath(os.environ.get(variable) or os.path.join(folder, name))
            return path if os.access(path, os.X_OK) else ""

        return Tools(tool("BIGSHUF", build, "bigshuf"), tool("BIGSHUF_FAULTY", build, "bigshuf-faulty"),
                     tool("HOSTILE", hostile, "bigshuf"), tool("HOSTILE_FAULTY", hostile, "bigshuf-faulty"),
                     tool("PEAK", build, "tests/support/peak"))

    def choose(self, case, fails):
        """The program that tries a case, whose calls fail or not."""
        plain, faulty = (self.hostile, self.hostile_faulty) if case.hostile else (self.program, self.faulty)
        return faulty if fails else plain

    def sizes(self, hostile):
        """The sizes that the hostile build draws with this in its environment: NAME=SIZE."""
        ran = subprocess.run([self.hostile, "--version"], env={**hostile, "BIGSHUF_SIZES": "?"}, capture_output=True,
                             text=True, check=True)
        return sorted(set(ran.stderr.split()))


@dataclass
class Result:
    """What was seen."""

    status: int = 0  # negative: the signal
    hung: bool = False
    stdout: bytes = b""
    stderr: str = ""
    peak_kib: int = 0  # 0 if not measured
    killed: bool = False  # by us, before it ended
    faulted: bool = False  # an injected fault has happened
    outputs: dict = field(default_factory=dict)  # what is in out/ afterwards: name: bytes, or "-> target"
    modes: dict = field(default_factory=dict)
    laid: set = field(default_factory=set)  # outputs that were there before
    left: list = field(default_factory=list)  # files that should not be there
    processes: list = field(default_factory=list)
    stalled: bool = False  # it ended no sooner than the input went on

    def is_troubled(self, fault):
        """Has a call failed?"""
        return self.faulted and not {"FAULT_SHORT", "FAULT_EINTR"} & set(fault)


class Folder:
    """The files of a case, in a folder. Mounts are undone and all is removed at the end."""

    def __init__(self, path):
        self.path, self.mounts = path, []

    def __enter__(self):
        os.makedirs(self.path)
        return self

    def __exit__(self, *_):
        for mount in reversed(self.mounts):
            subprocess.run(["umount", "-l", mount], check=False, stderr=subprocess.DEVNULL)
        shutil.rmtree(self.path, ignore_errors=True)

    def at(self, name):
        """The path of a name in it."""
        return os.path.join(self.path, name)

    def write(self, name, data, mode=0o644):
        """Make a file of these contents."""
        with open(self.at(name), "wb") as file:
            file.write(data)
        os.chmod(self.at(name), mode)

    def read(self, name):
        """The contents of a file."""
        with open(self.at(name), "rb") as file:
            return file.read()

    def mount(self, name, options):
        """A file system in memory at a folder."""
        subprocess.run(["mount", "-t", "tmpfs", "-o", options, "soak", self.at(name)], check=True)
        self.mounts.append(self.at(name))


# ---- The command ----


def option_words(opts):
    """Options on the command line."""
    words = []
    for name, value in opts.items():
        for text in value if isinstance(value, list) else [value]:
            if len(name) == 1:
                words += ["-" + name] + ([text] if text is not None else [])
            else:
                words.append("--" + name + ("=" + text if text is not None else ""))
    return words


def arguments(case):
    """Its options and operands."""
    words = option_words(case.opts)
    tmps = case.circ.get("tmps", 1)
    if tmps > 1:
        words += [word for i in range(tmps) for word in ("-T", "tmp%d" % i)]
    via = case.circ.get("via", "file")
    if "filter" in case.opts:
        at = next(i for i, word in enumerate(words) if word.startswith("--filter="))
        words[at] = "--filter=" + FILTERS[case.opts["filter"]]
    if "e" in case.opts:
        return words + case.words
    if "i" in case.opts:
        return words
    if via == "files0":
        return words + ["--files0-from=aux/names"]
    if via in ("stdin", "pipe", "slow", "stall") and len(case.inputs) == 1:
        return words
    return words + ["-" if i == fed(case) and via != "fifo" else "in/%d" % i for i in range(len(case.inputs))]


def fed(case):
    """Which input is standard input or a FIFO."""
    return len(case.inputs) - 1 if case.circ.get("via") in ("stdin", "dash", "pipe", "slow", "stall", "fifo") else None


def environment(case, result_folder):
    """Its environment."""
    env = dict(os.environ, TMPDIR="tmp0", SOAK_CASE=result_folder, LC_ALL="C")
    env.pop("POSIXLY_CORRECT", None)
    env.update(case.circ.get("fault", {}), **case.hostile)
    if "fault" in case.circ:
        env["FAULT_LOG"] = "aux/faults"
    return env


# ---- Laying out ----


def lay_out(case, folder):
    """Make all files that the program will find; returns the outputs that are there before it."""
    for name in ("in", "out", "aux", "tmp0", "tmp1", "tmp2"):
        os.mkdir(folder.at(name))
    for i in range(len(case.inputs)):
        if case.circ.get("via") == "fifo" and i == fed(case):
            os.mkfifo(folder.at("in/%d" % i))
        else:
            folder.write("in/%d" % i, case.input_bytes(i))
    for name, data in case.aux.items():
        folder.write("aux/" + name, data.make())
    folder.write("aux/names", b"".join(b"in/%d\0" % i for i in range(len(case.inputs))))
    if "tmpfs-tmp" in case.circ:
        folder.mount("tmp0", case.circ["tmpfs-tmp"])
    if "tmpfs-out" in case.circ:
        folder.mount("out", case.circ["tmpfs-out"])
    laid = set()
    for name in case.output_names() if case.circ.get("old", "none") != "none" else []:
        try:
            _lay_old(case.circ["old"], folder, name)
            laid.add(name)
        except OSError:  # a small disk
            if os.path.lexists(folder.at(name)):
                os.unlink(folder.at(name))
            break
    return laid


def _lay_old(way, folder, name):
    if way == "link":
        folder.write("aux/" + os.path.basename(name), OLD, 0o640)
        os.symlink("../aux/" + os.path.basename(name), folder.at(name))
        return
    folder.write(name, OLD, 0o640)
    if way == "sticky":
        os.chmod(folder.at("out"), 0o1777)


# ---- Running ----


def limits(circ):
    """What is done in the new process before the program begins, or None."""

    def apply():
        if "nofile" in circ:
            resource.setrlimit(resource.RLIMIT_NOFILE, (circ["nofile"],) * 2)
        if "as" in circ:
            resource.setrlimit(resource.RLIMIT_AS, (circ["as"] << 20,) * 2)
        if "fsize" in circ:
            resource.setrlimit(resource.RLIMIT_FSIZE, (circ["fsize"],) * 2)
        for fd in circ.get("close", ()):
            os.close(fd)

    return apply if {"nofile", "as", "fsize", "close"} & set(circ) else None


def processes_of(mark):
    """The processes that have this case, or one below this folder, in their environment."""
    found = []
    word = b"SOAK_CASE=" + mark.encode()
    for pid in filter(str.isdigit, os.listdir("/proc")):
        try:
            with open("/proc/%s/environ" % pid, "rb") as file:
                after = file.read().partition(word)[1:]
                if after[0] and after[1][:1] in (b"\0", b"/"):
                    found.append(int(pid))
        except OSError:
            continue
    return found


def end_processes(mark, patience):
    """Those that are still there after so many seconds, which are killed."""
    end = time.monotonic() + patience
    while True:
        found = processes_of(mark)
        if not found or time.monotonic() > end:
            break
        time.sleep(0.02)
    names = []
    for pid in found:
        try:
            with open("/proc/%d/cmdline" % pid, "rb") as file:
                names.append(file.read().replace(b"\0", b" ").decode(errors="replace"))
            os.kill(pid, signal.SIGKILL)
        except OSError:
            continue
    return names


def ended(process, seconds):
    """Does a process end in this time? Popen.wait would look now and then only."""
    if process.poll() is not None:
        return True
    descriptor = os.pidfd_open(process.pid)
    try:
        select.select([descriptor], [], [], seconds)
    finally:
        os.close(descriptor)
    return process.poll() is not None


def see_to_end(process, circ, mark):
    """Send it the signal that the circumstances have, and wait for its end, or bring it about: was it killed, did it hang?"""
    killed, (name, delay) = False, circ.get("kill", ("", 0))
    if name and not ended(process, delay):
        process.send_signal(getattr(signal, "SIG" + name))
        killed = name != "STOP"
        if not killed:
            time.sleep(0.05)
            process.send_signal(signal.SIGCONT)
    hung = not ended(process, LIMIT_SECONDS * max(1, os.getloadavg()[0] / os.cpu_count()))
    if hung:
        process.kill()
        process.wait()
        end_processes(mark, 0)
    return killed, hung


def _standard_input(case, folder):
    """(what Popen takes, Feeder or None)."""
    which, via = fed(case), case.circ.get("via")
    if which is None or not case.inputs:
        return subprocess.DEVNULL, None
    if via in ("stdin", "dash"):
        return open(folder.at("in/%d" % which), "rb"), None  # pylint: disable=consider-using-with
    data = case.input_bytes(which)
    if via == "fifo":
        return subprocess.DEVNULL, Feeder(data, False, path=folder.at("in/%d" % which))
    read, write = os.pipe2(os.O_CLOEXEC)
    feeder = Feeder(data, via == "slow", descriptor=write)
    feeder.stall = STALL_SECONDS if via == "stall" else 0
    return os.fdopen(read, "rb"), feeder


def run(case, tools, folder, talk=None):
    """Run it once; the folder is new. talk(process), if it is given, writes and reads in place of others, and returns who
    reads what comes last."""
    result = Result()
    result.laid = lay_out(case, folder)
    command = [tools.choose(case, "fault" in case.circ)] + arguments(case)
    measured = tools.peak and not {"kill", "close", "nofile", "fsize"} & set(case.circ)
    if measured:
        command = [tools.peak, "aux/peak"] + command
    stdin, feeder = _standard_input(case, folder)
    reader = None
    with open(folder.at("aux/stdout"), "wb") as out, open(folder.at("aux/stderr"), "wb") as err:
        stdout = out
        if talk:
            stdin = stdout = subprocess.PIPE
        elif "reader" in case.circ and case.to_stdout():
            read, write = os.pipe2(os.O_CLOEXEC)
            reader = Reader(read, *case.circ["reader"])
            stdout = os.fdopen(write, "wb")
        process = subprocess.Popen(command, cwd=folder.path, env=environment(case, folder.path), stdin=stdin,
                                   stdout=stdout, stderr=err, preexec_fn=limits(case.circ), start_new_session=True)
        helpers = [reader, feeder]
        for opened in (stdin, stdout):
            if opened not in (out, subprocess.DEVNULL, subprocess.PIPE):
                opened.close()
        for helper in filter(None, helpers):
            helper.start()
        if talk:
            reader = talk(process)
            helpers.append(reader)
        result.killed, result.hung = see_to_end(process, case.circ, folder.path)
        result.status = process.returncode
        if feeder:
            feeder.stop.set()
    for helper in filter(None, helpers):
        helper.join(10)
    result.processes = end_processes(folder.path, 5)
    result.stalled = bool(feeder and feeder.stalled)
    result.stdout = b"".join(reader.parts) if reader else folder.read("aux/stdout")
    result.stderr = folder.read("aux/stderr").decode(errors="surrogateescape")
    if measured and os.path.exists(folder.at("aux/peak")):
        result.peak_kib = int(folder.read("aux/peak") or 0)
    result.faulted = os.path.exists(folder.at("aux/faults"))
    _look(case, folder, result)
    return result


def contents(case, folder, name):
    """What is in an output, which may be compressed: all of it, or it is nothing that could be right."""
    data, ending = folder.read(name), os.path.splitext(name)[1]
    if "Z" not in case.opts or "filter" in case.opts or ending not in PACKERS or data == OLD:
        return data
    try:
        return PACKERS[ending][2](data)
    except (OSError, EOFError, ValueError, zlib.error) as error:
        return b"not what %s writes: %s" % (PACKERS[ending][0].encode(), str(error).encode())


def _look(case, folder, result):
    """See what is in the folders afterwards."""
    for name in sorted(os.listdir(folder.at("out"))):
        path = folder.at("out/" + name)
        info = os.lstat(path)
        result.modes["out/" + name] = stat.S_IMODE(os.stat(path).st_mode) if os.path.exists(path) else None
        if stat.S_ISLNK(info.st_mode) and not os.path.exists(path):
            result.outputs["out/" + name] = b"dangling"
            continue
        result.outputs["out/" + name] = contents(case, folder, "out/" + name)
        if stat.S_ISLNK(info.st_mode) != (case.circ.get("old") == "link" and "out/" + name in case.output_names()):
            result.left.append("out/%s: link or no link" % name)
    for where in ("tmp0", "tmp1", "tmp2"):
        result.left += ["%s/%s" % (where, name) for name in os.listdir(folder.at(where))]
    if any(name.startswith("in/") for name in case.output_names() + [case.opts.get("o", "")]):
        for name in os.listdir(folder.at("in")):
            result.outputs["in/" + name] = folder.read("in/" + name)
        return
    wanted = {"%d" % i for i in range(len(case.inputs))}
    result.left += ["in/" + name for name in os.listdir(folder.at("in")) if name not in wanted]
