// node screenshots.mjs FOLDER: the pictures of the README. LMWARDEN is the binary.
import { Box } from "./box.mjs";
import { launch, openPage, show } from "./browser.mjs";

const folder = process.argv[2];
const [box, browser] = await Promise.all([Box.start(), launch()]);
const begin = Date.now();
// Work for a minute, so that the charts have something to show.
for (let round = 0; Date.now() - begin < 60_000; ++round) await box.work({ sessions: 6, turns: 10, words: 150, round });
const { page } = await openPage(browser, box.admin, { width: 1280, height: 800 });
for (const view of ["overview", "routing"]) {
  await show(page, view);
  if (view === "overview") await page.getByRole("button", { name: "15 min" }).click();
  await page.waitForTimeout(1500); // for bars that move
  await page.screenshot({ path: `${folder}/page-${view}.png`, fullPage: true });
}
await browser.close();
await box.end();
