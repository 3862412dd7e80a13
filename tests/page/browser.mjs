// Pages in Debian's Chromium, with all that the browser complains about.
import { chromium } from "playwright-core";

export const viewNames = ["overview", "routing", "in-flight", "conversations", "prompt-breaks", "bench", "engines", "connect"];

// Views that show one thing: the conversation with the most turns, a report.
export async function deepViews(box) {
  const { conversations } = await box.get(`/admin/api/models/${encodeURIComponent(box.model)}/conversations`);
  const [most] = conversations.sort((a, b) => b.turns - a.turns);
  const { reports } = await box.get("/admin/api/reports");
  return [`conversation/${encodeURIComponent(box.model)}/${most.key}`, ...reports.slice(0, 1).map((each) => `bench/${each.id}`)];
}

export async function launch() {
  return chromium.launch({ executablePath: process.env.CHROMIUM ?? "/usr/bin/chromium", args: ["--no-sandbox"] });
}

// `agree`: questions are answered with yes; else a question is a complaint.
// `complaints`: errors of scripts and of the content security policy, failed loads, and requests to elsewhere.
export async function openPage(browser, url, { width = 1440, height = 900, dark = false, agree = false } = {}) {
  const context = await browser.newContext({ viewport: { width, height }, colorScheme: dark ? "dark" : "light" });
  const page = await context.newPage();
  const complaints = [];
  page.on("pageerror", (error) => complaints.push(`error: ${error.message}`));
  page.on("dialog", (dialog) => {
    if (agree) return dialog.accept();
    complaints.push(`dialog: ${dialog.message()}`);
    return dialog.dismiss();
  });
  page.on("console", (message) => message.type() === "error" && complaints.push(`console: ${message.text()}`));
  page.on("request", (request) => {
    const { origin, protocol } = new URL(request.url());
    if (origin !== new URL(url).origin && protocol.startsWith("http")) complaints.push(`elsewhere: ${request.url()}`);
  });
  await page.goto(url);
  return { page, complaints, close: () => context.close() };
}

export async function show(page, view) {
  await page.evaluate((hash) => void (location.hash = hash), `#/${view}`);
  await page.locator(`nav.side a[href="#/${view.split("/")[0].replace(/^conversation$/, "conversations")}"][aria-current=page]`).waitFor();
  await page.locator("main section").first().waitFor();
  await page.locator("main h2", { hasText: "Opening…" }).waitFor({ state: "detached" });
}
