"""What a suite found: one printed line a check, a table at the end, and the exit status."""

import time


class Checks:
    def __init__(self):
        self.passed = 0
        self.failed = 0

    def that(self, sentence, holds, seen=""):
        """Record and print one check; `seen` (what was measured) is printed either way."""
        print(f"{'ok  ' if holds else 'FAIL'} {sentence}{f'  [{seen}]' if seen != '' else ''}", flush=True)
        self.passed += bool(holds)
        self.failed += not holds

    def equal(self, sentence, got, wanted):
        self.that(sentence, got == wanted, got if got == wanted else f"{got}, not {wanted}")

    def close(self):
        """Print the closing line; the exit status."""
        print(f"\n{self.passed} passed, {self.failed} failed")
        return 1 if self.failed or not self.passed else 0


def until(condition, limit_s, pause_s=0.05):
    """Seconds until condition() held; None when it did not within the limit."""
    start = time.monotonic()
    while not condition():
        if time.monotonic() - start > limit_s:
            return None
        time.sleep(pause_s)
    return time.monotonic() - start


def table(rows):
    """Print rows (the first is the head) in columns."""
    widths = [max(len(str(row[column])) for row in rows) for column in range(len(rows[0]))]
    print()
    for row in rows:
        print("  ".join(str(cell).ljust(width) for cell, width in zip(row, widths)).rstrip())
