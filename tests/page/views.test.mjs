// Each view with data, as people see it.
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { createRequire } from "node:module";
import { after, before, test } from "node:test";
import { gzipSync } from "node:zlib";
import { Box } from "./box.mjs";
import { deepViews, launch, openPage, show, viewNames } from "./browser.mjs";
import { report } from "./report.mjs";

const axe = readFileSync(createRequire(import.meta.url).resolve("axe-core/axe.min.js"), "utf8");
let box, browser;

before(async () => {
  [box, browser] = await Promise.all([Box.start(), launch()]);
  await box.work();
  await box.post("/admin/api/reports", report);
});
after(async () => {
  await browser?.close();
  await box?.end();
});

async function check(page, where) {
  const wide = await page.evaluate(() => document.scrollingElement.scrollWidth - innerWidth);
  assert.ok(wide <= 0, `${where} is ${wide} px wider than the screen`);
  await page.evaluate(axe);
  const { violations } = await page.evaluate(() => axe.run());
  const found = violations.map((each) => `${each.id}: ${each.nodes.map((node) => node.html).slice(0, 3).join(" ")}`);
  assert.deepEqual(found, [], where);
}

for (const width of [360, 1440]) {
  for (const dark of [false, true]) {
    test(`every view is sound at ${width} px, ${dark ? "dark" : "light"}`, async () => {
      const { page, complaints, close } = await openPage(browser, box.admin, { width, dark });
      for (const view of [...viewNames, ...(await deepViews(box))]) {
        await show(page, view);
        if (view.startsWith("conversation/")) await page.locator("button.unfold").first().click();
        if (process.env.SHOTS) {
          await page.waitForTimeout(500); // for bars that move
          await page.screenshot({ path: `${process.env.SHOTS}/${view.split("/")[0]}${view.includes("/") ? "-one" : ""}-${width}${dark ? "-dark" : ""}.png`, fullPage: true });
        }
        await check(page, `${view} at ${width} px`);
      }
      assert.deepEqual(complaints, []);
      await close();
    });
  }
}

test("the views show what the admin API tells", async () => {
  const { page, close } = await openPage(browser, `${box.admin}/#/routing`);
  const { totals, replicas } = await box.routing();
  const rows = page.locator("table.replicas tbody tr");
  await rows.first().waitFor();
  assert.equal(await rows.count(), replicas.length);
  const figure = (label) => page.locator(".figure", { hasText: label }).locator("dd");
  assert.match(await figure("Sticky").innerText(), new RegExp(`^${(totals.sticky_share * 100).toFixed(1)}\\s%`));
  await show(page, "conversations");
  assert.equal(await page.locator("table.conversations tbody tr").count(), totals.conversations);
  assert.equal(await page.locator("table.conversations .child").count(), 1, "the sub-agent stands under its parent");
  await page.getByLabel("Show").selectOption("missed");
  assert.match(await page.locator("table.conversations tbody").innerText(), /prompt changed/);
  await page.locator("table.conversations tbody a").first().click();
  const turns = page.getByRole("region", { name: "Turns, the latest first" }).locator("tbody tr");
  assert.match(await turns.first().innerText(), /prompt changed/);
  assert.match(await turns.last().innerText(), /placed/);
  await page.locator("button.unfold").last().click();
  const why = page.locator(".why");
  assert.match(await why.innerText(), /A new conversation: placed.*Loads compared, before this turn/s);
  assert.equal(await why.locator("tbody tr").count(), replicas.length);
  assert.match(await page.locator(".figure", { hasText: "Saved, estimate" }).locator("dd").innerText(), /^[\d−]/);
  await show(page, "prompt-breaks");
  assert.match(await page.locator("main table").innerText(), /system prompt, character \d+\s+claude-cli\/2.1.332/);
  await show(page, "connect");
  assert.match(await page.locator("main").innerText(), new RegExp(`ANTHROPIC_BASE_URL=${box.url}`));
  await close();
});

test("the page is small, current and of one origin", async () => {
  let size = 0;
  for (const file of ["", "app.js", "app.css", "icon.svg"]) {
    const answer = await fetch(`${box.admin}/${file}`);
    assert.equal(answer.status, 200);
    assert.match(answer.headers.get("content-security-policy"), /default-src 'none'; script-src 'self';/);
    const bytes = Buffer.from(await answer.arrayBuffer());
    size += gzipSync(bytes).length;
    const again = await fetch(`${box.admin}/${file}`, { headers: { "If-None-Match": answer.headers.get("etag") } });
    assert.equal(again.status, 304);
  }
  assert.ok(size < 200 * 1024, `${size} bytes gzipped`);
});
