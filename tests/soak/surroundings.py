"""What stands around a run: who writes its input, and who reads its output."""

import os
import threading
import time


class Feeder(threading.Thread):
    """Writes the input into a pipe or a FIFO, until the reader has gone or we are told to stop."""

    def __init__(self, data, slow, descriptor=None, path=None):
        super().__init__(daemon=True)
        self.data, self.slow, self.descriptor, self.path = data, slow, descriptor, path
        self.stall = 0  # seconds for which the pipe stays open behind the data
        self.stalled = False  # for all of them
        self.stop = threading.Event()

    def _open(self):
        while self.descriptor is None and not self.stop.is_set():
            try:
                self.descriptor = os.open(self.path, os.O_WRONLY | os.O_NONBLOCK)
            except OSError:
                time.sleep(0.001)

    def run(self):
        self._open()
        if self.descriptor is None:
            return
        os.set_blocking(self.descriptor, False)
        at, step = 0, 1 << 16
        if self.slow:
            step = max(1, min(step, len(self.data) // 20 + 1))
        try:
            while at < len(self.data) and not self.stop.is_set():
                try:
                    at += os.write(self.descriptor, self.data[at : at + step])
                    if self.slow:
                        time.sleep(0.002)
                except BlockingIOError:
                    time.sleep(0.001)
            self.stalled = self.stall > 0 and not self.stop.wait(self.stall)
        except BrokenPipeError:
            pass
        os.close(self.descriptor)


class Reader(threading.Thread):
    """Reads standard output: slowly, or until so many bytes have come."""

    def __init__(self, descriptor, way, most):
        super().__init__(daemon=True)
        self.descriptor, self.way, self.most, self.parts = descriptor, way, most, []

    def run(self):
        left = self.most if self.way == "dies" else 1 << 62
        while left > 0:
            data = os.read(self.descriptor, min(left, 4096 if self.way == "slow" else 65536))
            if not data:
                break
            self.parts.append(data)
            left -= len(data)
            if self.way == "slow" and len(self.parts) < 100:
                time.sleep(0.002)
        os.close(self.descriptor)
