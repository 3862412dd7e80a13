// An engine that dies, disks that fail, charts to take away.
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { after, before, test } from "node:test";
import { Box } from "./box.mjs";
import { launch, openPage } from "./browser.mjs";

let browser;

before(async () => {
  browser = await launch();
});
after(() => browser?.close());

const hello = [{ role: "user", content: "hello" }];

test("an engine that is killed and comes back is shown without a reload", async () => {
  const box = await Box.start();
  const { page, complaints, close } = await openPage(browser, `${box.admin}/#/engines`);
  const state = page.locator("main .section-head .badge");
  await state.filter({ hasText: /^up$/ }).waitFor();
  const facts = page.locator("dl.facts");
  await facts.filter({ hasText: /Last scrape\s*[\d.]+\sm?s ago/ }).waitFor();
  assert.match(await facts.innerText(), /Version\s+\S+ from \/version\s+Replicas\s+4 from \/metrics/);
  await page.evaluate(() => (window.mark = "the same page"));
  await box.killEngine();
  await state.filter({ hasText: /^down$/ }).waitFor();
  await page.evaluate(() => void (location.hash = "#/routing"));
  await page.locator("table.replicas tr.down").first().waitFor();
  await box.restartEngine();
  await page.locator("table.replicas tr.down").first().waitFor({ state: "detached" });
  await box.turn("aaaaaaaa-aaaa-4bbb-8ccc-dddddddddddd", hello);
  await page.locator(".figure", { hasText: "In flight" }).waitFor();
  assert.equal(await page.evaluate(() => window.mark), "the same page");
  assert.deepEqual(complaints, []);
  await close();
  await box.end();
});

const disks = {
  "a disk that is full": { shell: "trap '' XFSZ; ulimit -f 0" },
  "a folder that can't be written": { flags: ["--data-dir", "/proc/lmwarden"] },
};

for (const [what, options] of Object.entries(disks)) {
  test(`${what} only costs the history and the reports, and is shown`, async () => {
    const box = await Box.start(options);
    await box.turn("aaaaaaaa-aaaa-4bbb-8ccc-dddddddddddd", hello);
    const { page, close } = await openPage(browser, box.admin);
    await page.getByText("This history does not outlive a restart of LM Warden").waitFor();
    await page.evaluate(() => void (location.hash = "#/bench"));
    for (const name of ["engine", "places"]) await page.getByLabel(name, { exact: true }).uncheck();
    await page.getByRole("button", { name: "Start" }).click();
    await page.locator(".run .error").filter({ hasText: /can't (write|make)/ }).waitFor();
    await box.turn("aaaaaaaa-aaaa-4bbb-8ccc-dddddddddddd", hello);
    await close();
    await box.end();
  });
}

test("the charts are saved as a picture and as a table", async () => {
  const box = await Box.start();
  await box.turn("aaaaaaaa-aaaa-4bbb-8ccc-dddddddddddd", hello);
  const { page, close } = await openPage(browser, box.admin);
  const save = async (name) => {
    const [download] = await Promise.all([
      page.waitForEvent("download"),
      page.getByRole("button", { name, exact: true }).click(),
    ]);
    return { name: download.suggestedFilename(), bytes: readFileSync(await download.path()) };
  };
  await page.locator("figure.chart canvas").first().waitFor();
  const picture = await save("PNG");
  assert.equal(picture.name, "lmwarden-all-1h.png");
  assert.equal(picture.bytes.subarray(1, 4).toString(), "PNG");
  assert.ok(picture.bytes.length > 10_000, `${picture.bytes.length} bytes`);
  if (process.env.SHOTS) await page.screenshot({ path: `${process.env.SHOTS}/charts.png` });
  const table = await save("CSV");
  assert.match(table.bytes.toString(), /^time,cached_per_s,/);
  await close();
  await box.end();
});
