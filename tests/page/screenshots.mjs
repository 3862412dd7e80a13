// node screenshots.mjs FOLDER: the pictures of the README. LMWARDEN is the binary.
import { Box } from "./box.mjs";
import { launch, openPage, show } from "./browser.mjs";

const folder = process.argv[2];
const [box, browser] = await Promise.all([Box.start({ speed: 10 }), launch()]);
const routing = `/admin/api/models/${box.model}/routing`;
const set = (change) =>
  fetch(box.admin + routing, { method: "PUT", headers: { "Content-Type": "application/json" }, body: JSON.stringify(change) });

// Agents at work, at first as the engine balances them, then with affinity.
let round = 0;
const work = async (ms) => {
  for (const end = Date.now() + ms; Date.now() < end; ) await box.work({ sessions: 8, turns: 120, words: 6, round: round++ });
};
await set({ affinity: false });
await work(90_000);
await set({ affinity: true });
await work(120_000);

const { page } = await openPage(browser, box.admin, { width: 1440, height: 900 });
await show(page, "overview");
await page.getByRole("button", { name: "15 min" }).click();
await page.locator("figure.chart canvas").first().waitFor();
// Zoomed to where something was seen.
await page.locator("main section", { hasText: "Over time" }).scrollIntoViewIfNeeded();
const plot = await page.locator(".u-over").first().boundingBox();
const at = (share) => [plot.x + plot.width * share, plot.y + plot.height / 2];
await page.mouse.move(...at(1 - 225 / 900));
await page.mouse.down();
await page.mouse.move(...at(0.999), { steps: 5 });
await page.mouse.up();
await page.mouse.move(5, 5);
await page.waitForTimeout(500);
await page.locator("main section", { hasText: "Over time" }).screenshot({ path: `${folder}/page-stats.png` });
const agents = work(5000);
await show(page, "routing");
await page.waitForTimeout(3000);
await page.locator("main section").first().screenshot({ path: `${folder}/page-routing.png` });
await agents;
await browser.close();
await box.end();
