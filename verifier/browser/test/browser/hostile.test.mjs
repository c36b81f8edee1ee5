/**
 * What a cheating neutral or a stranger puts into a file takes no verdict away, speaks in no other voice than its own, and
 * stops no page.
 */
import assert from "node:assert/strict";
import { opened, test, vector, verified } from "../support/page.mjs";

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
