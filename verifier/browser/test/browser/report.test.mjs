/** What a report says, and how it looks on paper, on a phone and with names that a stranger chose. */
import assert from "node:assert/strict";
import { join } from "node:path";
import { SAMPLES, opened, sampled, test, vector, verified } from "../support/page.mjs";

for (const [name, all] of [["valid-validated-court.jsonl.gz", 11], ["valid-eventful-label-court.jsonl", 24]]) {
  test(`revealing all is counted as the Python verifier's report does: ${name}`, async () => {
    const page = await opened();
    await verified(page, vector(name));
    assert.match(await page.textContent("#rounds"), new RegExp(`revealing all would have shown ${all}\\.`));
    assert.doesNotMatch(await page.textContent("#result"), /\.\.(?!\.)/);
  });
}

test("a rejected copy has no results, and its counts say so", async () => {
  const page = await opened();
  await verified(page, vector("trent-skips-a-sampled-document.jsonl"));
  assert.match(await page.textContent("#rounds"), /No result, since the record is not verified/);
  assert.match(await page.textContent("#words"), /That there is only this fault, since the replay ends at the first entry that breaks a rule/);
});

test("silence and unread documents stand in plain words", async () => {
  const page = await opened();
  await verified(page, vector("valid-eventful-label-court.jsonl"));
  const text = await page.textContent("#words");
  assert.match(text, /Bob left 9 documents unread in round 2\./);
  assert.match(text, /Alice did not report in round 3\./);
});

sampled("an error tells the coin that found it", async () => {
  const page = await opened();
  await verified(page, join(SAMPLES, "copies/spot-court.jsonl"));
  assert.match(await page.textContent("#errors"), /drawn by coin: coin 0\.\d{6}, drawn if below 0\.300000 \(a chance of 30\.0 %\)/);
});

test("what is folded up on the screen is printed, and folded up again", async () => {
  const page = await opened();
  await verified(page, vector("valid-eventful-label-court.jsonl"));
  await page.evaluate(() => {
    window.unfolded = [];
    addEventListener("beforeprint", () => window.unfolded.push(...[...document.querySelectorAll("#result details")].map((one) => one.open)));
  });
  await page.pdf();
  assert.deepEqual(await page.evaluate(() => window.unfolded), [true]);
  assert.equal(await page.evaluate(() => document.querySelector("#result details").open), false);
});

test("nothing is wider than a printed page", async () => {
  const page = await opened({ viewport: { width: 670, height: 900 } });
  await page.emulateMedia({ media: "print" });
  for (const name of ["valid-eventful-label-court.jsonl", "valid-validated-court.jsonl.gz"]) {
    await page.reload();
    await verified(page, vector(name));
    assert.deepEqual(await page.evaluate(() => [...document.querySelectorAll("#result *")].filter((one) => one.getBoundingClientRect().right > innerWidth + 1 && one.getBoundingClientRect().width > 1).map((one) => `${one.tagName} ${one.textContent.slice(0, 40)}`).slice(0, 5)), []);
  }
});

test("on a phone the answer and how much it covers are on the first screen", async () => {
  const page = await opened({ viewport: { width: 360, height: 740 }, hasTouch: true, isMobile: true });
  await verified(page, vector("valid-label-bob.jsonl"));
  await page.waitForTimeout(600);
  for (const selector of ["#answer", ".answer .says", ".answer .copy-line"]) {
    const box = await page.locator(selector).first().boundingBox();
    assert.ok(box !== null && box.y >= 0 && box.y + box.height <= 740, `${selector} ${JSON.stringify(box)}`);
  }
});

test("on a phone the progress and its Cancel come into view, and a cancelled reader can go on", async () => {
  const page = await opened({ viewport: { width: 360, height: 640 }, hasTouch: true, isMobile: true, bypassCSP: true });
  // The worker never begins: the page stays at its progress.
  await page.evaluate(() => (Worker.prototype.postMessage = () => undefined));
  await page.setInputFiles("#file-input", vector("valid-label-bob.jsonl"));
  await page.locator("#cancel").waitFor();
  await page.waitForTimeout(800);
  const box = await page.locator("#cancel").boundingBox();
  assert.ok(box.y >= 0 && box.y + box.height <= 640, JSON.stringify(box));
  await page.click("#cancel");
  assert.equal(await page.evaluate(() => document.activeElement.textContent), "Go on with it");
});
