"""The gateway's memory, files and CPU while it works."""

import os
import threading
import time

EVERY_S = 0.5
WARM_UP = 0.2  # of the run


class Watch:
    """Samples from its making to end()."""

    def __init__(self, gateway):
        self.gateway = gateway
        self.files_before = gateway.open_files()
        self.samples = []  # seconds, bytes
        self._over = threading.Event()
        self._begin = time.monotonic()
        self._thread = threading.Thread(target=self._sample, daemon=True)
        self._thread.start()

    def _sample(self):
        while True:
            self.samples.append((time.monotonic() - self._begin, self.gateway.rss()))
            if self._over.wait(EVERY_S):
                return

    def end(self):
        self._over.set()
        self._thread.join()

    def warm(self):
        last = self.samples[-1][0]
        return [sample for sample in self.samples if sample[0] >= WARM_UP * last]

    def growth(self):
        """Bytes that the line through the samples after the warm-up rises from its begin to its end."""
        samples = self.warm()
        count = len(samples)
        mean_time = sum(at for at, _ in samples) / count
        mean_size = sum(size for _, size in samples) / count
        spread = sum((at - mean_time) ** 2 for at, _ in samples)
        if not spread:
            return 0.0
        slope = sum((at - mean_time) * (size - mean_size) for at, size in samples) / spread
        return slope * (samples[-1][0] - samples[0][0])

    def cpu_seconds(self):
        with open(f"/proc/{self.gateway.process.pid}/stat") as stat:
            fields = stat.read().rpartition(")")[2].split()
        return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")
