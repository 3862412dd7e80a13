// Everything by keyboard: in each view Tab reaches each control, the focus shows, and each control has a name.
import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { Box } from "./box.mjs";
import { deepViews, launch, openPage, show, viewNames } from "./browser.mjs";
import { report } from "./report.mjs";

let box, browser;

before(async () => {
  [box, browser] = await Promise.all([Box.start(), launch()]);
  await box.work({ sessions: 3 });
  await box.post("/admin/api/reports", report);
});
after(async () => {
  await browser?.close();
  await box?.end();
});

// What has the focus, and whether one can see that. A hidden field shows it on its label.
const focused = () => {
  const at = document.activeElement;
  const shown = at.closest("label.button") ?? at;
  const style = getComputedStyle(shown);
  const { top, left, bottom, right, width } = shown.getBoundingClientRect();
  return {
    what: `${at.tagName} ${at.getAttribute("aria-label") ?? at.textContent.trim().slice(0, 40)}`,
    number: [...document.querySelectorAll("*")].indexOf(at),
    outlined: style.outlineStyle !== "none" && parseFloat(style.outlineWidth) >= 1,
    onScreen: width > 0 && bottom > 0 && right > 0 && top < innerHeight && left < innerWidth,
  };
};

const controls = () => {
  const all = [...document.querySelectorAll("*")];
  const wanted = "a[href], button:not(:disabled), input:not(:disabled), select:not(:disabled), [tabindex='0']";
  return [...document.querySelectorAll(wanted)].map((each) => all.indexOf(each));
};

async function walk(page) {
  const seen = new Map();
  for (let i = 0; i < 300; ++i) {
    await page.keyboard.press("Tab");
    const at = await page.evaluate(focused);
    if (at.what.startsWith("BODY") || seen.has(at.number)) break;
    seen.set(at.number, at);
  }
  return seen;
}

test("Tab reaches every control of every view, and shows where it is", async () => {
  for (const width of [1440, 360]) {
    const { page, close } = await openPage(browser, box.admin, { width });
    // What appears by itself, as rows of the live feed do, would move the numbers of the elements.
    for (const view of [...viewNames, ...(await deepViews(box))]) {
      await show(page, view);
      await page.evaluate(() => (document.activeElement.blur(), getSelection().removeAllRanges()));
      await page.locator("a.brand").focus();
      await page.keyboard.press("Shift+Tab"); // on the first one, the link to the content
      const first = await page.evaluate(focused);
      const seen = new Map([[first.number, first], ...(await walk(page))]);
      const bad = [...seen.values()].filter((each) => !each.outlined || !each.onScreen);
      assert.deepEqual(bad, [], `${view} at ${width} px`);
      const missed = (await page.evaluate(controls)).filter((number) => !seen.has(number));
      assert.deepEqual(missed, [], `${view} at ${width} px: ${seen.size} reached`);
    }
    await close();
  }
});

const named = new Set(["button", "link", "textbox", "searchbox", "combobox", "checkbox", "switch", "spinbutton", "progressbar", "table", "region", "img", "figure"]);

test("every control has a name for a screen reader", async () => {
  const { page, close } = await openPage(browser, box.admin);
  const reader = await page.context().newCDPSession(page);
  for (const view of [...viewNames, ...(await deepViews(box))]) {
    await show(page, view);
    const { nodes } = await reader.send("Accessibility.getFullAXTree");
    const nameless = nodes.filter((each) => !each.ignored && named.has(each.role?.value) && !each.name?.value);
    const wrong = nameless.filter((each) => !["table", "img", "figure"].includes(each.role.value));
    assert.deepEqual(wrong.map((each) => each.role.value), [], view);
  }
  await close();
});

test("the whole of it can be done by keyboard: a view, a conversation, why a turn went there, and back", async () => {
  const { page, close } = await openPage(browser, box.admin);
  await page.locator("main section").first().waitFor();
  await page.keyboard.press("Tab");
  assert.equal(await page.evaluate(() => document.activeElement.textContent.trim()), "Skip to content");
  const go = async (name) => {
    for (let i = 0; i < 100; ++i) {
      if (await page.evaluate((text) => document.activeElement.textContent.trim().startsWith(text), name)) return;
      await page.keyboard.press("Tab");
    }
    assert.fail(`no way to ${name}`);
  };
  await go("Conversations");
  await page.keyboard.press("Enter");
  await page.waitForFunction(() => document.activeElement.tagName === "H1"); // a new view takes the focus
  const key = await page.locator("table.conversations tbody a").first().innerText();
  await go(key);
  await page.keyboard.press("Enter");
  await page.locator("button.unfold").first().waitFor();
  await page.waitForFunction(() => document.activeElement.tagName === "H1");
  await go("sticky");
  await page.keyboard.press("Enter");
  await page.getByText("Loads compared").waitFor();
  await page.goBack();
  await page.locator("table.conversations").waitFor();
  await close();
});
