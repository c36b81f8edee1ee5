/**
 * What a cheating neutral or a stranger puts into a file takes no verdict away, speaks in no other voice than its own, and
 * stops no page.
 */
import assert from "node:assert/strict";
import { cpSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { build } from "esbuild";
import { VECTORS } from "../support/expected.mjs";
import { opened, scratch, test, vector, verified } from "../support/page.mjs";

/** The forger is written in TypeScript, as the engine is. */
async function forger() {
  const outfile = join(scratch, "forger.mjs");
  await build({ entryPoints: [fileURLToPath(new URL("../support/forge-opening.ts", import.meta.url))], bundle: true, platform: "node", format: "esm", outfile, logLevel: "warning" });
  return import(outfile);
}

test("a verdict stands if the worker that tells its rounds fails, and the report says so", async () => {
  const page = await opened({ bypassCSP: true });
  await page.evaluate(() => {
    const original = Worker.prototype.postMessage;
    Worker.prototype.postMessage = function (job, ...rest) {
      if (job.sort === "story") setTimeout(() => this.onerror(new ErrorEvent("error", { cancelable: true })));
      else original.call(this, job, ...rest);
    };
  });
  assert.equal(await verified(page, vector("bob-leaves-some-out.jsonl")), "REJECTED");
  for (const id of ["disputes", "errors"]) {
    assert.match((await page.textContent(`#${id}`)) ?? "", /The verdict stands, but its rounds could not be told\. .*computer with more memory/, id);
  }
  assert.equal(await verified(page, vector("valid-label-bob.jsonl")), "REJECTED");
  await page.click("#compare button");
  await page.waitForFunction(() => document.getElementById("answer")?.textContent === "VERIFIED");
  assert.match(await page.textContent("#rounds"), /could not be told/);
  assert.match(await page.textContent("#verdict"), /how many of them are responsive could not be told/);
  assert.doesNotMatch(await page.textContent("#result"), /0 responsive|court ruled on no dispute/);
  assert.deepEqual(page.troubles, []);
});

test("a reader who does not wait for the rounds has the verdict", async () => {
  const page = await opened({ bypassCSP: true });
  await page.evaluate(() => {
    const original = Worker.prototype.postMessage;
    Worker.prototype.postMessage = function (job, ...rest) {
      if (job.sort === "story") setTimeout(() => document.getElementById("cancel").click());
      else original.call(this, job, ...rest);
    };
  });
  assert.equal(await verified(page, vector("bob-leaves-some-out.jsonl")), "REJECTED");
  assert.match(await page.textContent("#disputes"), /could not be told\. You cancelled that\./);
  assert.match(await page.textContent(".notes"), /^Cancelled\. What was being checked was not decided\./);
});

test("what cannot be drawn is said, and takes nothing else with it", async () => {
  const page = await opened();
  await page.evaluate(() => {
    Array.prototype.findLast = () => {
      throw new Error("broken on purpose");
    };
  });
  assert.equal(await verified(page, vector("valid-label-bob.jsonl")), "VERIFIED");
  assert.match(await page.textContent("#unshown-2"), /This page failed to show this, which says nothing about the record: broken on purpose/);
  assert.ok(await page.$("#checks"));
  await page.click("#actions button:last-child");
  await page.evaluate(() => {
    document.createElementNS = () => {
      throw new Error("no picture");
    };
  });
  assert.equal(await verified(page, vector("bob-leaves-some-out.jsonl")), "REJECTED");
  assert.match(await page.textContent("#verdict"), /no picture/);
});

test("a caption that is longer than any screen stops no page, and is cut before it leaves the worker", async () => {
  const { forgedOpening } = await forger();
  const page = await opened({ bypassCSP: true });
  await page.evaluate(() => {
    window.longest = 0;
    const { get, set } = Object.getOwnPropertyDescriptor(Worker.prototype, "onmessage");
    const texts = (value) => (typeof value === "string" ? (window.longest = Math.max(window.longest, value.length)) : value !== null && typeof value === "object" && !ArrayBuffer.isView(value) && Object.values(value).forEach(texts));
    Object.defineProperty(Worker.prototype, "onmessage", { get, set(heard) { set.call(this, (event) => (texts(event.data), heard.call(this, event))); } });
  });
  const long = "\u0301".repeat(1_000_000);
  const copy = forgedOpening(readFileSync(vector("valid-label-bob.jsonl"), "utf8"), { simulation: null, caption: { case: long, court: "”. VERIFIED", request: "x", names: { alice: long, bob: "B”), whose key was checked", court: "C", trent: "T" } } });
  const path = join(scratch, `${"a".repeat(200)}.jsonl`);
  writeFileSync(path, copy);
  assert.equal(await verified(page, path), "UNDECIDED");
  assert.ok((await page.textContent("#verdict")).includes("\u0301…") || (await page.textContent("#verdict")).includes("⟩…"));
  assert.match(await page.textContent("#parties"), /Bob \(“B⟨U\+201D⟩\), whose key was checked”\)/);
  assert.ok((await page.evaluate(() => window.longest)) <= 5001);
  const shown = await page.evaluate(() => Math.max(...[...document.querySelectorAll("bdi")].map((one) => one.textContent.length)));
  // Each mark of a pile is shown as what it is, in eight characters.
  assert.ok(shown < 9 * 500, String(shown));
  assert.deepEqual(page.troubles, []);
});

test("what lies beside an exhibit is named as not looked at", async () => {
  const folder = join(scratch, "with more");
  cpSync(join(VECTORS, "exhibits/a-batch"), folder, { recursive: true });
  for (let number = 0; number < 30; number += 1) writeFileSync(join(folder, "document", `forged-${number}.eml`), "forged");
  const page = await opened();
  await page.setInputFiles("#folder-input", folder);
  await page.waitForSelector("#exhibit-answer");
  const text = await page.textContent("#exhibit");
  assert.match(text, /Not part of the exhibit, and not looked at:.*forged-0\.eml.*10 more/);
});
