/**
 * How long the page takes to verify a copy, in this machine's Chromium.
 *
 *     node bench/in-chromium.mjs COPY...
 *
 * Prints one line of JSON for each copy. The time runs inside the page, from the moment it gets the file to the moment its
 * verdict is on the screen; starting the browser does not count. `mebibytes` is the browser's memory at its highest, all
 * its processes together, less what it used before the file was opened.
 */
import { readFileSync, readdirSync, statSync } from "node:fs";
import { resolve } from "node:path";
import { PAGE_URL, startChromium } from "../test/support/chromium.mjs";

const LONGEST_MS = 600_000;
const copies = process.argv.slice(2);
if (copies.length === 0) {
  console.error("Usage: node bench/in-chromium.mjs COPY...");
  process.exit(2);
}
for (const copy of copies) console.log(JSON.stringify(await measure(resolve(copy))));

async function measure(copy) {
  // A fresh browser each time: the first verification is the one that a reader waits for.
  const browser = await startChromium();
  try {
    const page = await browser.newPage();
    await page.goto(PAGE_URL);
    await page.evaluate(() => {
      document.getElementById("file-input").addEventListener("change", () => (window.begun = performance.now()), { capture: true });
      new MutationObserver(() => {
        if (window.ended === undefined && document.getElementById("answer") !== null) window.ended = performance.now();
      }).observe(document.getElementById("result"), { childList: true });
    });
    const memory = watchMemory();
    await page.setInputFiles("#file-input", copy);
    await page.waitForFunction(() => window.ended !== undefined, undefined, { timeout: LONGEST_MS });
    const mebibytes = memory.stop();
    const [milliseconds, verdict] = await page.evaluate(() => [window.ended - window.begun, document.getElementById("answer").textContent]);
    return { copy, bytes: statSync(copy).size, milliseconds: Math.round(milliseconds), mebibytes, verdict };
  } finally {
    await browser.close();
  }
}

/** Samples the resident memory of all processes below this one; null where there is no /proc. */
function watchMemory() {
  const before = residentBelow(process.pid);
  let highest = before ?? 0;
  const timer = setInterval(() => (highest = Math.max(highest, residentBelow(process.pid) ?? 0)), 100);
  return {
    stop() {
      clearInterval(timer);
      return before === null ? null : Math.round((Math.max(highest, residentBelow(process.pid) ?? 0) - before) / 1024);
    },
  };
}

/** Kibibytes of memory of their own (RssAnon) of the descendants of a process. */
function residentBelow(root) {
  let names;
  try {
    names = readdirSync("/proc").filter((name) => /^\d+$/.test(name));
  } catch {
    return null;
  }
  const parents = new Map();
  const sizes = new Map();
  for (const name of names) {
    try {
      const status = readFileSync(`/proc/${name}/status`, "utf8");
      parents.set(Number(name), Number(/^PPid:\s+(\d+)/m.exec(status)?.[1] ?? 0));
      sizes.set(Number(name), Number(/^RssAnon:\s+(\d+)/m.exec(status)?.[1] ?? 0));
    } catch {
      // The process has ended in the meantime.
    }
  }
  let sum = 0;
  for (const [id, size] of sizes) {
    for (let up = parents.get(id); up !== undefined && up !== 0; up = parents.get(up)) {
      if (up !== root) continue;
      sum += size;
      break;
    }
  }
  return sum;
}
