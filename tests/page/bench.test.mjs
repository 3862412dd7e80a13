// The Bench view: reports, and runs of the lab.
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { after, before, test } from "node:test";
import { Box } from "./box.mjs";
import { launch, openPage } from "./browser.mjs";
import { report } from "./report.mjs";

let box, browser;

before(async () => {
  [box, browser] = await Promise.all([Box.start(), launch()]);
});
after(async () => {
  await browser?.close();
  await box?.end();
});

const lab = 90_000; // ms that a run may take where other work has the cores

const file = (content, name = "report.json") => ({ name, mimeType: "application/json", buffer: Buffer.from(content) });

test("a report is uploaded, compared, saved and deleted", async () => {
  const { page, complaints, close } = await openPage(browser, `${box.admin}/#/bench`, { agree: true });
  await page.getByText("No report is stored yet.").waitFor();
  await page.getByLabel("Upload a report").setInputFiles(file(JSON.stringify(report)));
  await page.getByRole("heading", { name: "Before and after" }).waitFor();
  const row = (name) => page.locator("table.compared tbody tr", { hasText: name });
  assert.match(await row("turns that ended").innerText(), /100\s±\s10\s+150\s±\s10\s*\+50\s%/);
  assert.match(await row("first content byte, median").innerText(), /2\.00\ss.*1\.33\ss.*−33\s%/s);
  assert.match(await row("by the engine's counters").innerText(), /50\.0\s%.*75\.0\s%.*\+25\.0\spt/s);
  assert.equal(await row("failed").count(), 0, "what is 0 throughout is left out");
  await page.getByRole("button", { name: "4", exact: true }).click();
  assert.match(await row("95th percentile").innerText(), /6\.00/);
  await page.getByLabel("Changes against").selectOption("on");
  assert.match(await row("turns that ended").innerText(), /−33\s%/);
  assert.equal(await page.locator("figure.chart canvas").count(), 5);
  const [download] = await Promise.all([page.waitForEvent("download"), page.getByRole("link", { name: "CSV" }).click()]);
  assert.match(readFileSync(await download.path(), "utf8"), /^arm,/);
  await page.getByRole("button", { name: "Delete" }).click();
  await page.getByText("No report is stored yet.").waitFor();
  assert.deepEqual(complaints, []);
  await close();
});

test("a file that is no report is refused with the reason", async () => {
  const { page, close } = await openPage(browser, `${box.admin}/#/bench`);
  const upload = page.getByLabel("Upload a report");
  for (const [content, why] of [["{", "it is not JSON"], ["{}", "no report of lmwarden"], ["x".repeat(600_000), "larger than 512 kB"]]) {
    await upload.setInputFiles(file(content));
    await page.getByRole("alert").filter({ hasText: why }).waitFor();
  }
  await close();
});

test("a lab run shows how far it is, and ends in a report", async () => {
  const { page, close } = await openPage(browser, `${box.admin}/#/bench`);
  await page.getByLabel("Runs of each arm").fill("2");
  for (const name of ["places"]) await page.getByLabel(name, { exact: true }).uncheck();
  await page.getByRole("button", { name: "Start" }).click();
  await page.getByRole("link", { name: "Open its report" }).click({ timeout: lab });
  await page.getByRole("heading", { name: "Lab: published" }).waitFor();
  assert.deepEqual(await page.locator("table.compared thead th.num").allInnerTexts(), ["engine", "affinity"]);
  assert.match(await page.locator("main").innerText(), /1 to 2; means/);
  await page.getByRole("link", { name: "All reports" }).click();
  await page.getByRole("link", { name: "Lab: published", exact: true }).waitFor();
  await close();
});

test("a lab run can be cancelled, also from another page", async () => {
  const { page, close } = await openPage(browser, `${box.admin}/#/bench`);
  await page.getByLabel("Workload").selectOption("think");
  await page.getByLabel("Runs of each arm").fill("20");
  await page.getByRole("button", { name: "Start" }).click();
  const other = await openPage(browser, `${box.admin}/#/bench`);
  await other.page.getByRole("progressbar", { name: "Progress of the lab run" }).waitFor();
  assert.ok(await other.page.getByRole("button", { name: "Start" }).isDisabled());
  await other.page.getByRole("button", { name: "Cancel" }).click();
  await page.locator(".run").getByText("cancelled").waitFor();
  assert.equal((await box.get("/admin/api/reports")).reports.length, 1, "nothing was stored");
  await other.close();
  await close();
});
