/** What a reader opens by mistake, or a stranger makes her open: each gets an answer that says what to do next. */
import assert from "node:assert/strict";
import { cpSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { gzipSync } from "node:zlib";
import { SAMPLES, opened, sampled, scratch, test, vector, verified } from "../support/page.mjs";

const copy = readFileSync(vector("valid-label-bob.jsonl"));
const FINGERPRINTS = "alice 71931 93712 79461 86738 00949 48402 34418 57555\n";

async function told(page, ...files) {
  await page.setInputFiles("#file-input", files);
  await page.waitForSelector(".notes");
  return page.textContent("#result");
}

test("what says nothing without a copy asks for the copy", async () => {
  const page = await opened();
  const buffer = Buffer.from(FINGERPRINTS);
  assert.match(await told(page, { name: "keys.txt", mimeType: "text/plain", buffer }), /^Now open the copy of the record, a \.jsonl or \.jsonl\.gz file, or an exhibit: the fingerprints can only be used with one of these\.$/);
  assert.match(await page.textContent("#live"), /Now open the copy/);
});

sampled("an exhibit is announced with its document, which the title names, and beside a copy it says of which matter it is", async () => {
  for (const [name, which] of [["spot-bob.jsonl", "the same matter as"], ["real-bob.jsonl", "another matter than"]]) {
    const page = await opened();
    await page.setInputFiles("#folder-input", join(SAMPLES, "exhibits/ruled"));
    await page.waitForSelector("#exhibit-answer");
    const document = await page.textContent("#exhibit-document");
    assert.match(document, /^Document \d+, ./);
    assert.equal(await page.title(), `VERIFIED: ${document}`);
    assert.equal((await page.textContent("#live")).trim(), `VERIFIED. ${document}.`);
    await verified(page, join(SAMPLES, "copies", name));
    await page.waitForSelector(".others");
    for (const part of [".others", "#live"]) assert.match(await page.textContent(part), new RegExp(`exhibit ruled: VERIFIED \\(of ${which} the copy\\)`));
    assert.match(await page.title(), new RegExp(`^VERIFIED: .*${name}$`));
  }
});

sampled("a volume without a copy asks for the copy", async () => {
  const page = await opened();
  await page.setInputFiles("#folder-input", join(SAMPLES, "production/volume1"));
  await page.waitForSelector(".notes");
  assert.match(await page.textContent("#result"), /the production volume can only be used with it/);
});

test("a folder with a copy and fingerprints is opened as the copy, and its fingerprints are not believed", async () => {
  const page = await opened();
  const folder = join(scratch, "sent");
  mkdirSync(folder);
  writeFileSync(join(folder, "bob.jsonl"), copy);
  writeFileSync(join(folder, "fingerprints.txt"), FINGERPRINTS);
  await page.setInputFiles("#folder-input", folder);
  await page.waitForSelector("#answer");
  assert.equal(await page.textContent("#answer"), "VERIFIED");
  assert.match(await page.textContent(".notes"), /fingerprints\.txt came with the copy\. Fingerprints and policies count if you have them from elsewhere/);
  assert.equal(await page.inputValue("#trust"), "");
});

test("a folder with a copy and a letter is opened as the copy, and the letter is left aside by name", async () => {
  const page = await opened();
  const folder = join(scratch, "mailed");
  mkdirSync(folder);
  writeFileSync(join(folder, "bob.jsonl"), copy);
  writeFileSync(join(folder, "Cover letter.pdf"), "%PDF-1.7");
  await page.setInputFiles("#folder-input", folder);
  await page.waitForSelector("#answer");
  assert.equal(await page.textContent("#answer"), "VERIFIED");
  assert.match(await page.textContent(".notes"), /Cover letter\.pdf was left aside, since a copy lies beside it/);
  assert.equal(await page.locator("#opened li").count(), 1);
});

test("a file that is no policy is left aside, with the reason", async () => {
  const page = await opened();
  for (const text of ["log broken\n", "\uFEFFquorum none\n"]) {
    await verified(page, { name: "a.jsonl", mimeType: "text/plain", buffer: copy }, { name: "rules.txt", mimeType: "text/plain", buffer: Buffer.from(text) });
    assert.match(await page.textContent(".notes"), /rules\.txt is no policy, so nothing is judged by it: line 1 of the policy/);
    assert.doesNotMatch(await page.textContent("#repeat"), /Given with it: a policy/);
  }
});

sampled("each folder of a volume is named on the desk, and those that cannot be used in the answer", async () => {
  const page = await opened();
  await verified(page, join(SAMPLES, "copies/spot-bob.jsonl"));
  for (const name of ["first", "second"]) {
    const folder = join(scratch, name);
    cpSync(join(SAMPLES, "production/volume1"), folder, { recursive: true });
    await page.setInputFiles("#folder-input", folder);
    await page.locator("#production", { hasText: name === "first" ? "VERIFIED" : "UNDECIDED" }).waitFor();
  }
  assert.match(await page.textContent("#opened"), /first, second/);
  assert.match(await page.textContent("#production"), /(first|second) is none of the volumes before volume 1/);
});

test("what is left aside beside a copy is named", async () => {
  const page = await opened();
  const other = { name: "letter.docx", mimeType: "application/x", buffer: Buffer.from("PK\u0003\u0004 and so on") };
  const empty = { name: "empty.jsonl", mimeType: "text/plain", buffer: Buffer.alloc(0) };
  await verified(page, { name: "a.jsonl", mimeType: "text/plain", buffer: copy }, other, empty);
  const notes = await page.textContent(".notes");
  assert.match(notes, /letter\.docx is none of the files that this page knows/);
  assert.match(notes, /empty\.jsonl is empty\. Get it again/);
});

for (const [how, change, says] of [
  ["with a mark in front", (bytes) => Buffer.concat([Buffer.from([0xef, 0xbb, 0xbf]), bytes]), /saved with a mark in front/],
  ["as UTF-16", (bytes) => Buffer.from(`\uFEFF${bytes}`, "utf16le"), /saved as another kind of text \(UTF-16\)/],
  ["with the line ends of Windows", (bytes) => Buffer.from(String(bytes).replaceAll("\n", "\r\n")), /lines end as on Windows/],
]) {
  test(`a copy that came ${how} is undecided, with the reason and the way out`, async () => {
    const page = await opened();
    assert.equal(await verified(page, { name: "mailed.txt", mimeType: "text/plain", buffer: change(copy) }), "UNDECIDED");
    const text = await page.textContent("#verdict");
    assert.match(text, says);
    assert.match(text, /Ask for the file again, packed/);
    assert.match(text, /Nobody is blamed/);
  });
}

/** A page that answers must stay able to: a stranger chose how large a line or what is packed is. */
async function answersWithin(page, ms, action) {
  let longest = 0;
  const watch = setInterval(async () => {
    const begun = Date.now();
    await page.evaluate(() => 0).catch(() => 0);
    longest = Math.max(longest, Date.now() - begun);
  }, 50);
  await action();
  clearInterval(watch);
  assert.ok(longest < ms, `the page stood still for ${longest} ms`);
}

test("a line of fingerprints that is made to be slow to recognise is not", async () => {
  const page = await opened();
  const buffer = Buffer.from(`alice${" ".repeat(400_000)}x\n`);
  await answersWithin(page, 3000, () => told(page, { name: "keys.txt", mimeType: "text/plain", buffer }));
});

test("a small file that unpacks to much is recognised by its beginning alone", async () => {
  const page = await opened();
  const path = join(scratch, "bomb.gz");
  writeFileSync(path, gzipSync(Buffer.alloc(600_000_000, 32)));
  const begun = Date.now();
  assert.match(await told(page, path), /bomb\.gz is none of the files/);
  assert.ok(Date.now() - begun < 2000);
});

test("a title shows what a file name hides", async () => {
  const page = await opened();
  await verified(page, { name: "a\u202Elnosj.jsonl", mimeType: "text/plain", buffer: copy });
  assert.equal(await page.evaluate(() => document.title), "VERIFIED: a⟨U+202E⟩lnosj.jsonl");
});

test("a worker that was started in advance and failed is replaced by another one", async () => {
  const page = await opened();
  await page.addInitScript(() => {
    const Real = window.Worker;
    window.workers = 0;
    window.Worker = function (address) {
      window.workers += 1;
      const worker = new Real(address);
      if (window.workers === 1) setTimeout(() => (worker.terminate(), worker.dispatchEvent(new ErrorEvent("error"))));
      return worker;
    };
  });
  await page.reload();
  await page.waitForFunction(() => window.workers === 1);
  await page.waitForTimeout(300);
  await page.setInputFiles("#file-input", vector("valid-label-bob.jsonl"));
  await page.waitForSelector("#answer");
  assert.equal(await page.textContent("#answer"), "VERIFIED");
  assert.ok((await page.evaluate(() => window.workers)) >= 2);
});
