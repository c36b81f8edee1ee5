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
  assert.match(text, /Round 2: Bob left 9 documents unread\. There Alice's labels stand, and the coins prove nothing/);
  assert.match(text, /Round 3: Alice did not report\./);
  assert.match(text, /That a party was silent, or why/);
  assert.match(text, /That a new key is in the hands of the right party/);
  assert.match(text, /up to 3 rounds of up to 9 documents each, and later, with the signatures of all, on 4 rounds\. The first batch was found by searching for the words “prepay/);
  assert.match(await page.textContent("#orders"), /How silence weakens the proofRound 2: /);
});

test("where spot checks go on without Bob's labels, what coins drew counts as hits", async () => {
  const page = await opened();
  await verified(page, vector("valid-eventful-two-stages-court.jsonl.gz"));
  const words = await page.textContent("#words");
  assert.match(words, /Round 5: Bob left 3 documents unread\. There Alice's labels stand, and what a coin drew and nobody read counts as a hit/);
  assert.match(words, /Round 2: Alice did not report on the documents that were called\. Bob was shown them, and the validation proves nothing\./);
  assert.match(words, /Round 6: Alice did not look again\./);
  assert.match(words, /and what a coin drew of it counts as a hit\. It does not cover/);
  assert.match(words, /For 6 documents that were due to Bob, Alice claimed privilege and the court ruled: 5 withheld as privileged, 1 overruled\./);
  assert.match(words, /of the documents never reviewed, coins call 30 %; Alice labels them/);
  assert.match(words, /up to 3 rounds of up to 7 documents each\. The first batch/);
  assert.match(words, /Each of the two has its own doubt of 0\.5, so quote them separately: at least one is wrong with a probability of at most 1\./);
  assert.match(words, /So both certificates may be wrong\./);
});

const rowsOf = (page, section) =>
  page.$$eval(`#${section} table:first-of-type tr`, (rows) => rows.map((row) => [...row.children].map((cell) => cell.textContent)));

test("a pass of an escalation tells its hits, what can be hidden after it, and the target", async () => {
  const page = await opened();
  await verified(page, vector("valid-eventful-two-stages-court.jsonl.gz"));
  const [heads, ...rows] = await rowsOf(page, "escalations");
  assert.deepEqual(heads.slice(-2), ["Can be hidden after it, at most", "Target"]);
  const columns = (row) => [row[0], ...row.slice(5)];
  assert.deepEqual(rows.map(columns), [["3", "1", "1", "0", "reached"], ["6", "4", "0", "0", "reached"], ["9", "1", "2", "0", "reached"]]);
  assert.match(await page.textContent("#escalations"), /The limit was used up\./);
});

test("a table of the rounds has columns for privilege, unread documents and recall where there is any", async () => {
  const page = await opened();
  await verified(page, vector("valid-eventful-two-stages-court.jsonl.gz"));
  const [heads, ...rows] = await rowsOf(page, "rounds");
  assert.deepEqual(heads.slice(-4), ["Privileged", "Left unread", "Recall so far", "Recall, all batches"]);
  assert.deepEqual(rows.map((row) => row.slice(8, 10).join()), ["1,0", "0,0", "1,0", "1,0", "1,3", "0,4", "1,0", "0,0", "0,0"]);
  await page.reload();
  await verified(page, vector("valid-label-bob.jsonl"));
  assert.equal((await rowsOf(page, "rounds"))[0].includes("Left unread"), false);
});

test("that there is no escalation and no validation is said", async () => {
  const page = await opened();
  await verified(page, vector("valid-label-bob.jsonl"));
  assert.match(await page.textContent("#escalations"), /The rule of this matter has no escalations/);
  assert.match(await page.textContent("#validations"), /The terms of this matter ask for no validation\./);
  await page.reload();
  await verified(page, vector("valid-not-closed-call-bob.jsonl.gz"));
  assert.match(await page.textContent("#escalations"), /No escalation is closed in the part of the record that was read\./);
  assert.match(await page.textContent("#validations"), /No validation is closed in the part of the record that was read\./);
});

test("an error that an escalation found names the second look", async () => {
  const page = await opened();
  await verified(page, vector("valid-eventful-two-stages-court.jsonl.gz"));
  assert.match(await page.textContent("#errors"), /second look 98, disclosure 102, Bob's labels 103, ruling 105/);
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

test("on a phone the caption of a table that scrolls can be read without scrolling", async () => {
  const page = await opened({ viewport: { width: 360, height: 740 } });
  await verified(page, vector("valid-eventful-label-court.jsonl"));
  const cut = await page.$$eval("caption", (all) => all.filter((one) => one.offsetWidth > one.closest(".scroll").clientWidth).map((one) => one.textContent));
  assert.deepEqual(cut, []);
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
  assert.equal(await page.evaluate(() => document.activeElement.textContent), "Continue");
});
