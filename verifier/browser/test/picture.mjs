/**
 * Takes the picture of docs/verify-in-the-browser.md: the built page with a sample copy, as a reader sees it first.
 *
 *     TALLYSTICK_SAMPLES=/tmp/samples node test/picture.mjs
 */
import { statSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { PAGE_URL, startChromium } from "./support/chromium.mjs";

const LARGEST = 150_000;
const picture = fileURLToPath(new URL("../../../docs/figures/verify-in-the-browser.png", import.meta.url));
const browser = await startChromium();
// Else the page still scrolls smoothly while the picture is taken.
const page = await browser.newPage({ viewport: { width: 1000, height: 860 }, reducedMotion: "reduce" });
await page.goto(PAGE_URL);
await page.setInputFiles("#file-input", join(process.env.TALLYSTICK_SAMPLES ?? "", "copies/spot-bob.jsonl"));
await page.waitForSelector("#answer", { timeout: 120_000 });
await page.evaluate(() => window.scrollTo({ top: 0, behavior: "instant" }));
await page.screenshot({ path: picture });
await browser.close();
const { size } = statSync(picture);
if (size >= LARGEST) throw new Error(`the picture has ${size} bytes, and may have fewer than ${LARGEST}`);
