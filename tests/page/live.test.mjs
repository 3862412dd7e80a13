// What changes under an open page.
import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { Box } from "./box.mjs";
import { launch, openPage, show } from "./browser.mjs";
import { Proxy } from "./proxy.mjs";

let box, browser;

before(async () => {
  [box, browser] = await Promise.all([Box.start(), launch()]);
});
after(async () => {
  await browser?.close();
  await box?.end();
});

const hello = [{ role: "user", content: "hello" }];

test("a new conversation appears by itself", async () => {
  const { page, close } = await openPage(browser, `${box.admin}/#/conversations`);
  await page.getByText("No conversation yet.").waitFor();
  await box.turn("aaaaaaaa-aaaa-4bbb-8ccc-dddddddddddd", hello);
  await page.locator("table.conversations tbody tr").waitFor();
  await close();
});

test("the ages of a conversation's turns go on while nothing happens", async () => {
  await box.turn("eeeeeeee-aaaa-4bbb-8ccc-dddddddddddd", hello);
  const { conversations } = await box.get(`/admin/api/models/${box.model}/conversations`);
  const { page, close } = await openPage(browser, `${box.admin}/#/conversation/${box.model}/${conversations[0].key}`);
  for (const of of ["main tbody th", ".axis span:nth-child(2)", ".axis span:nth-child(3)"]) {
    const before = await page.locator(of).first().innerText();
    await page.waitForFunction(([of, text]) => document.querySelector(of).innerText !== text, [of, before]);
  }
  await close();
});

test("affinity switched off in the page leaves the next turn to the engine", async () => {
  const { page, close } = await openPage(browser, `${box.admin}/#/routing`);
  const affinity = page.getByRole("switch", { name: "Affinity" });
  await affinity.click();
  await page.locator("[role=switch][aria-checked=false]").waitFor();
  await box.turn("bbbbbbbb-aaaa-4bbb-8ccc-dddddddddddd", hello);
  assert.equal((await box.routing()).totals.unrouted, 1);
  await affinity.click();
  await page.locator("[role=switch][aria-checked=true]").waitFor();
  assert.equal((await box.routing()).affinity, true);
  await close();
});

test("the spill threshold is set and made automatic again", async () => {
  const { page, close } = await openPage(browser, `${box.admin}/#/routing`);
  const field = page.getByLabel(/^Spill threshold/);
  await field.fill("3");
  await field.press("Enter");
  await page.getByText("set by hand").waitFor();
  assert.equal((await box.routing()).spill_threshold, 3);
  await page.getByRole("button", { name: "Auto", exact: true }).last().click();
  await page.getByText("automatic: a quarter of max_num_seqs").waitFor();
  assert.equal((await box.routing()).spill_threshold_source, "auto");
  await close();
});

test("a turn in flight is shown and can be cancelled", async () => {
  const { page, close } = await openPage(browser, `${box.admin}/#/in-flight`, { agree: true });
  const turn = box.turn("dddddddd-aaaa-4bbb-8ccc-dddddddddddd", hello, { max_tokens: 20_000 });
  const refused = assert.rejects(turn, /400: .*cancelled on the page/);
  assert.match(await page.locator("td[data-label='Prompt, estimate']").innerText(), /^[1-9]\d*$/);
  await page.getByRole("button", { name: "Cancel" }).click();
  await refused;
  await page.getByText("Nothing is running.").waitFor();
  assert.equal((await box.routing()).totals.cancelled, 1);
  await close();
});

test("a held turn shows its place in the queue, what it needs and what holds the room", async () => {
  const box = await Box.start({ replicas: 1, speed: 5, flags: ["--admission", "on"] });
  const { page, close } = await openPage(browser, `${box.admin}/#/in-flight`);
  const overview = await openPage(browser, box.admin);
  const heldThere = overview.page.locator(".figure", { hasText: "In flight" }).filter({ hasText: /and [12] held/ }).waitFor();
  const session = (i) => `0000000${i}-bbbb-4bbb-8ccc-dddddddddddd`;
  const long = [{ role: "user", content: "word ".repeat(15_000) }];
  const turns = Promise.all([1, 2, 3].map((i) => box.turn(session(i), long, { max_tokens: 300 })));
  const held = page.locator("main tbody tr", { hasText: /held · 1/ });
  assert.match(await held.innerText(), /Needs [\d.]+k, and [\d.k]+ are left beside \d conversations? that hold/);
  await heldThere;
  await overview.close();
  await turns;
  await page.getByText("Nothing is running.").waitFor();
  await close();
  await box.end();
});

test("a page whose gateway is gone says since when, and goes on with the next one", async () => {
  const { page, close } = await openPage(browser, box.admin);
  await page.getByText("Live", { exact: true }).waitFor();
  await box.killGateway();
  await page.getByText(/Stale since \d/).waitFor();
  await box.restartGateway();
  await page.getByText("Live", { exact: true }).waitFor();
  await close();
});

test("a gateway that ends does not wait for open pages", async () => {
  const { page, close } = await openPage(browser, box.admin);
  await page.getByText("Live", { exact: true }).waitFor();
  const begin = Date.now();
  await box.gateway.end();
  assert.ok(Date.now() - begin < 3000, `${Date.now() - begin} ms`);
  await box.restartGateway();
  await close();
});

test("a feed that has gone dead without an end is opened anew", async () => {
  const proxy = await Proxy.start(box.admin);
  const { page, close } = await openPage(browser, proxy.url);
  await page.getByText("Live", { exact: true }).waitFor();
  proxy.letFeedsGoDead();
  await page.getByText(/Stale since \d/).waitFor();
  await page.getByText("Live", { exact: true }).waitFor();
  await close();
  proxy.end();
});

// One more, as soon as there is one: the gateway may not have noticed yet that another page has gone.
async function feed(signal) {
  for (let tries = 0; tries < 50; tries += 1) {
    if ((await fetch(`${box.admin}/admin/api/live`, { signal })).status === 200) return;
    await new Promise((done) => setTimeout(done, 100));
  }
  assert.fail("there was no feed");
}

test("a page for which there is no feed left says so, and goes on when there is", async () => {
  const feeds = Array.from({ length: 32 }, () => new AbortController());
  for (const { signal } of feeds) await feed(signal);
  const { page, close } = await openPage(browser, box.admin);
  await page.getByRole("alert").filter({ hasText: "too many pages are open" }).waitFor();
  feeds.pop().abort();
  await page.getByText("Live", { exact: true }).waitFor();
  assert.equal(await page.getByRole("alert").count(), 0);
  for (const feed of feeds) feed.abort();
  await close();
});
