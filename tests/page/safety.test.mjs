// Names that want to be more than names, the admin token, and pages of other sites.
import assert from "node:assert/strict";
import { createServer } from "node:http";
import { after, before, test } from "node:test";
import { Box } from "./box.mjs";
import { deepViews, launch, openPage, show, viewNames } from "./browser.mjs";
import { report } from "./report.mjs";

const hostile = `<img src=x onerror=alert(1)>"'\`--></script><script>alert(2)</script>`;
const token = "correct-horse-battery";
let browser;

before(async () => {
  browser = await launch();
});
after(() => browser?.close());

test("hostile names are shown as they are and do nothing", async () => {
  const box = await Box.start({ model: hostile });
  const session = "cccccccc-aaaa-4bbb-8ccc-dddddddddddd";
  const userAgent = "agent/1'onerror=alert(1)`>--&lt;script&gt;"; // what may be shown of one
  const messages = await box.turn(session, [{ role: "user", content: "word ".repeat(3000) }], { userAgent });
  await box.turn(session, [...messages, { role: "user", content: "on" }], { userAgent, system: "Another." });
  const arms = report.arms.map((arm) => ({ ...arm, name: hostile + arm.name, what: hostile }));
  const stored = await box.post("/admin/api/reports", { title: hostile, provenance: { [hostile]: hostile }, arms });
  assert.equal(stored.status, 201);
  const { page, complaints, close } = await openPage(browser, box.admin);
  const ofModel = viewNames.filter((view) => view !== "bench").map((view) => `${view}/${encodeURIComponent(hostile)}`);
  for (const view of [...viewNames, ...ofModel, ...(await deepViews(box))]) {
    await show(page, view);
    assert.equal(await page.locator("main img, main script").count(), 0, view);
  }
  await show(page, "routing");
  assert.ok((await page.locator("main").innerText()).includes(hostile));
  await show(page, "prompt-breaks");
  assert.ok((await page.locator("main").innerText()).includes(userAgent));
  assert.deepEqual(complaints, []);
  await close();
  await box.end();
});

test("where a token is set the page asks for it once", async () => {
  const box = await Box.start({ flags: ["--admin-token", token] });
  assert.equal((await fetch(`${box.admin}/admin/api/models`)).status, 401);
  assert.equal((await fetch(`${box.admin}/metrics`)).status, 401);
  assert.equal((await fetch(`${box.admin}/metrics`, { headers: { Authorization: `Bearer ${token}` } })).status, 200);
  const { page, close } = await openPage(browser, box.admin);
  const field = page.getByLabel("Admin token");
  await field.fill("wrong-wrong-wrong");
  await page.getByRole("button", { name: "Open" }).click();
  await page.getByText("that is not the token").waitFor();
  await field.fill(token);
  await page.getByRole("button", { name: "Open" }).click();
  await page.getByText("Live", { exact: true }).waitFor();
  assert.equal(await page.evaluate(() => document.cookie), "", "scripts don't see the cookie");
  await page.reload();
  await page.getByText("Live", { exact: true }).waitFor();
  await close();
  await box.end();
});

test("a page of another site can neither read nor change anything", async () => {
  const box = await Box.start();
  const site = createServer((_, answer) => answer.setHeader("Content-Type", "text/html").end("<title>evil</title>"));
  await new Promise((done) => site.listen(0, "127.0.0.1", done));
  const context = await browser.newContext();
  const page = await context.newPage();
  await page.goto(`http://127.0.0.1:${site.address().port}/`);
  const routing = `${box.admin}/admin/api/models/${box.model}/routing`;
  const tries = await page.evaluate(async (url) => {
    const send = (init) => fetch(url, init).then(() => "read", () => "refused");
    const body = JSON.stringify({ affinity: false });
    return [
      await send({}),
      await send({ method: "PUT", body, headers: { "Content-Type": "application/json" } }),
      await send({ method: "PUT", body }),
      await send({ method: "POST", mode: "no-cors", body }),
    ];
  }, routing);
  assert.deepEqual(tries.slice(0, 3), ["refused", "refused", "refused"]);
  assert.equal((await box.routing()).affinity, true);
  await context.close();
  site.close();
  await box.end();
});
