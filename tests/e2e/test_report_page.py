"""The HTML report in a real browser: every figure is drawn, and nothing is fetched. Skipped where there is no Chromium."""

import json
import re
import shutil
import subprocess
import tempfile
import unittest
from pathlib import Path

from harness.gateway import BINARY

CHROMIUM = shutil.which("chromium") or shutil.which("chromium-browser") or shutil.which("google-chrome")
# Writes what the browser made of the page where --dump-dom shows it.
PROBE = """<script>addEventListener("load", () => {
  const boxes = [...document.querySelectorAll("figure svg")].map(svg => {
    const drawn = [...svg.querySelectorAll(".series .line, .timeline rect")].filter(e => e.getBBox().width > 0);
    const box = svg.getBoundingClientRect();
    return {width: box.width, height: box.height, drawn: drawn.length};
  });
  const loaded = performance.getEntriesByType("resource").length;
  document.title = JSON.stringify({boxes, loaded, wide: document.documentElement.scrollWidth > innerWidth});
})</script>"""


@unittest.skipUnless(CHROMIUM, "no Chromium")
class ReportPage(unittest.TestCase):
    def test_all_figures_are_drawn_and_nothing_is_fetched(self):
        with tempfile.TemporaryDirectory() as folder:
            page = Path(folder) / "report.html"
            subprocess.run([BINARY, "lab", "published", "--arms", "engine-0.26,engine,affinity", "--html", page],
                           check=True, capture_output=True, timeout=60)
            page.write_text(page.read_text().replace("</body>", PROBE + "</body>"))
            dom = subprocess.run([CHROMIUM, "--headless", "--no-sandbox", "--disable-gpu", f"--user-data-dir={folder}/u",
                                  "--window-size=1100,900", "--dump-dom", page.as_uri()],
                                 check=True, capture_output=True, text=True, timeout=120).stdout
        seen = json.loads(re.search(r"<title>(.*?)</title>", dom)[1].replace("&quot;", '"').replace("&gt;", ">"))
        self.assertEqual(len(seen["boxes"]), 5 + 3)
        for box in seen["boxes"][:5]:
            self.assertEqual(box["drawn"], 3)
            self.assertGreater(box["height"], 100)
        for box in seen["boxes"][5:]:
            self.assertGreater(box["drawn"], 100)
        self.assertEqual(seen["loaded"], 0)
        self.assertFalse(seen["wide"])


if __name__ == "__main__":
    unittest.main()
