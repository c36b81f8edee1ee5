/** What every test of the page needs: a browser, the page opened from disk, and a reader's first steps. */
import { existsSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, before, test as anyTest } from "node:test";
import { PAGE_URL, SKIP, startChromium } from "./chromium.mjs";
import { VECTORS } from "./expected.mjs";

export const SAMPLES = process.env.TALLYSTICK_SAMPLES ?? "";
const WITHOUT_SAMPLES = SKIP || (existsSync(join(SAMPLES, "complete")) ? false : "needs samples: set TALLYSTICK_SAMPLES, and run node test/samples.mjs");
/** The machine may be busy. */
export const LONGEST_MS = 120_000;
/** For the files that a test writes; it is gone when the tests are over. */
export const scratch = mkdtempSync(join(tmpdir(), "tallystick-page-"));
let browser;

before(async () => {
  if (!SKIP) browser = await startChromium();
});
after(async () => {
  await browser?.close();
  rmSync(scratch, { recursive: true, force: true });
});

export const test = (name, body) => anyTest(name, { skip: SKIP }, body);
/** A test that needs files of the installed commands. */
export const sampled = (name, body) => anyTest(name, { skip: WITHOUT_SAMPLES }, body);
export const vector = (name) => join(VECTORS, "transcripts", name);

export async function opened(options = {}) {
  const context = await browser.newContext({ viewport: { width: 1200, height: 900 }, ...options });
  const page = await context.newPage();
  page.troubles = [];
  page.requests = [];
  page.on("pageerror", (error) => page.troubles.push(error.message));
  page.on("request", (request) => page.requests.push(request.url()));
  page.on("dialog", (dialog) => page.troubles.push(`dialog ${dialog.message()}`));
  page.setDefaultTimeout(LONGEST_MS);
  await page.goto(PAGE_URL);
  return page;
}

export async function verified(page, ...files) {
  await page.setInputFiles("#file-input", files);
  await page.waitForSelector("#answer");
  return page.textContent("#answer");
}

/** Asks for a document, and waits until the file was read again. */
export async function searched(page, text) {
  await page.fill("#search-text", text);
  await page.press("#search-text", "Enter");
  await page.waitForSelector("#search-results:not([aria-busy]) > *");
  return page.textContent("#search-results");
}
