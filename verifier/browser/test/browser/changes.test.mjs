/**
 * A report speaks of what lies open, and of nothing else: whatever a reader opens, removes, types, cancels or changes
 * on disk while the page reads or after it has answered.
 */
import assert from "node:assert/strict";
import { cpSync, readFileSync, rmSync, utimesSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { SAMPLES, opened, sampled, scratch, test, vector, verified } from "../support/page.mjs";

const LOG = Buffer.from(`{"format":1,"matter":"${"0".repeat(64)}","numbers":[],"path":""}\n`);
const WRONG = "trent 00000 00000 00000 00000 00000 00000 00000 00000";

/** Runs code in the page when the n-th worker has ended, before the page goes on. */
function whenWorkerEnds(page, nth, code) {
  return page.evaluate(([nth, code]) => {
    const terminate = Worker.prototype.terminate;
    let count = 0;
    Worker.prototype.terminate = function () {
      terminate.call(this);
      count += 1;
      if (count === nth) setTimeout(() => (0, eval)(code), 5);
    };
  }, [nth, code]);
}

/** Every pair of an answer and a file that the page ever shows. */
async function watchAnswers(page) {
  await page.evaluate(() => {
    window.shown = new Set();
    new MutationObserver(() => {
      const answer = document.getElementById("answer");
      if (answer !== null) window.shown.add(`${answer.textContent} ${document.querySelector(".kicker bdi").textContent}`);
    }).observe(document.getElementById("result"), { childList: true, subtree: true });
  });
  return () => page.evaluate(() => [...window.shown]);
}

const quiet = (page) => page.waitForFunction(() => document.getElementById("progress").hidden);

async function typed(page, text) {
  await page.evaluate(() => (document.getElementById("trust-box").open = true));
  await page.fill("#trust", text);
}

test("a verdict never stands under the name of another file", async () => {
  const page = await opened({ bypassCSP: true });
  const answers = await watchAnswers(page);
  // Between the verdict of the first copy and its story, the reader removes that copy.
  await whenWorkerEnds(page, 1, 'document.querySelector("#opened button").click()');
  await verified(page, vector("valid-label-bob.jsonl"), vector("trent-skips-a-sampled-document.jsonl"));
  await quiet(page);
  assert.deepEqual(await answers(), ["REJECTED trent-skips-a-sampled-document.jsonl"]);
  assert.deepEqual(page.troubles, []);
});

test("a file that is opened while another one is read does not end its verification", async () => {
  const page = await opened({ bypassCSP: true });
  await page.evaluate(() => {
    const original = Worker.prototype.postMessage;
    Worker.prototype.postMessage = function (job) {
      // The first job begins late, so that the second file comes in between.
      setTimeout(() => original.call(this, job), 400);
    };
  });
  await page.setInputFiles("#file-input", vector("valid-label-bob.jsonl"));
  await page.waitForTimeout(100);
  await page.setInputFiles("#file-input", vector("valid-label-court.jsonl"));
  await page.waitForSelector("#compare");
  assert.equal(await page.textContent("#answer"), "VERIFIED");
  assert.match(await page.textContent(".others"), /Two copies: SAME HISTORY \('valid-label-court\.jsonl' itself was not verified\)/);
});

test("the second copy can be verified instead of the first", async () => {
  const page = await opened();
  await verified(page, vector("valid-label-bob.jsonl"), vector("trent-skips-a-sampled-document.jsonl"));
  await page.click("#compare button");
  await page.locator("#answer", { hasText: "REJECTED" }).waitFor();
  assert.match(await page.textContent(".kicker"), /trent-skips-a-sampled-document/);
});

test("a file that cannot be read any more leaves no old verdict, whatever happens next", async () => {
  for (const name of ["valid-label-bob.jsonl", "valid-validated-court.jsonl.gz"]) {
    const page = await opened();
    const path = join(scratch, name);
    writeFileSync(path, readFileSync(vector(name)));
    await verified(page, path, vector("valid-label-court.jsonl"));
    await page.waitForSelector("#compare");
    writeFileSync(path, "something else");
    await page.evaluate(() => (document.getElementById("trust-box").open = true));
    await page.click("#trust-apply");
    await page.waitForSelector(".notes");
    assert.match(await page.textContent("#result"), /^The file could not be read\. It may have been moved or changed/);
    await page.click("#opened li:nth-child(2) button");
    await page.waitForTimeout(200);
    await quiet(page);
    assert.equal(await page.$("#answer"), null);
    assert.equal(await page.title(), "Tallystick: verify a copy");
  }
});

for (const [what, spoilt, again, answer] of [
  ["is damaged", (bytes) => bytes.subarray(0, bytes.length / 2), "other.jsonl", "UNDECIDED"],
  ["was changed on disk", (bytes) => bytes, "lost.jsonl", "VERIFIED"],
]) {
  test(`a copy that ${what} gives way to the one that is opened again`, async () => {
    const page = await opened();
    const bytes = readFileSync(vector("valid-label-bob.jsonl"));
    const path = join(scratch, "lost.jsonl");
    writeFileSync(path, spoilt(bytes));
    assert.equal(await verified(page, path), answer);
    await page.evaluate(() => (document.getElementById("answer").dataset.old = "yes"));
    writeFileSync(path, "");
    writeFileSync(join(scratch, again), bytes);
    await page.setInputFiles("#file-input", join(scratch, again));
    await page.waitForSelector("#answer:not([data-old])");
    assert.deepEqual([await page.textContent("#answer"), await page.locator("#opened li").count(), await page.$("#compare")], ["VERIFIED", 1, null]);
    assert.match(await page.textContent("#opened"), new RegExp(again));
    if (again !== "lost.jsonl") assert.match(await page.textContent(".notes"), /lost\.jsonl was removed: it is damaged, or cannot be read any more/);
  });
}

test("listeners hear that nothing is open any more", async () => {
  for (const button of ["#opened button", "#actions button:last-child"]) {
    const page = await opened();
    await verified(page, vector("valid-label-bob.jsonl"));
    assert.match(await page.textContent("#live"), /^VERIFIED\./);
    await page.click(button);
    await page.waitForFunction(() => document.getElementById("live").textContent === "Nothing is open.");
  }
});

test("fingerprints with a slip put the verdict aside with a word, and an empty field brings it back", async () => {
  const page = await opened();
  await typed(page, "alice 12345");
  await page.click("#trust-apply");
  await page.locator("#trust-error").waitFor();
  assert.equal(await page.textContent("#result"), "");
  await typed(page, "");
  await verified(page, vector("valid-label-bob.jsonl"));
  await typed(page, "\nalice 12345");
  await page.click("#trust-apply");
  await page.locator(".notes").waitFor();
  assert.equal(await page.textContent(".notes"), "The verdict is put aside until the fingerprints can be read: correct line 2, or empty the field, and press Use these fingerprints.");
  assert.match(await page.textContent("#live"), /The verdict is put aside/);
  assert.equal(await page.$("#answer"), null);
  await typed(page, "");
  await page.click("#trust-apply");
  await page.waitForSelector("#answer");
  assert.deepEqual([await page.textContent("#answer"), await page.locator(".notes").count()], ["VERIFIED", 0]);
});

test("a wrong file that is opened after Cancel leaves the way to go on", async () => {
  const page = await opened({ bypassCSP: true });
  await verified(page, vector("valid-label-bob.jsonl"));
  await page.evaluate(() => {
    document.getElementById("trust-box").open = true;
    document.getElementById("trust-apply").click();
    setTimeout(() => document.querySelector("#cancel").click(), 30);
  });
  await page.locator("#result", { hasText: "Cancelled." }).waitFor();
  await page.setInputFiles("#file-input", { name: "letter.docx", mimeType: "application/x", buffer: Buffer.from("hello") });
  await page.locator(".notes", { hasText: "letter.docx is none of the files" }).waitFor();
  await page.click(".notes button");
  await page.waitForSelector("#answer");
  assert.equal(await page.locator(".notes").count(), 0);
});

test("a copy that was found to be another file gives way, though the browser still reads it", async () => {
  const path = vector("valid-label-bob.jsonl");
  const page = await swapped(path, "#file-input", { name: "log.jsonl", mimeType: "text/plain", buffer: LOG });
  await page.setInputFiles("#file-input", path);
  await page.locator(".kicker", { hasText: "valid-label-bob.jsonl" }).waitFor({ timeout: 20_000 });
  assert.deepEqual([await page.textContent("#answer"), await page.$("#compare")], ["VERIFIED", null]);
});

test("two copies of one name are told apart", async () => {
  const page = await opened();
  const file = (name) => ({ name: "matter.jsonl", mimeType: "text/plain", buffer: readFileSync(vector(name)) });
  await verified(page, file("valid-label-bob.jsonl"));
  await page.setInputFiles("#file-input", file("valid-label-court.jsonl"));
  await page.waitForSelector("#compare");
  assert.deepEqual(await page.locator("#opened bdi").allTextContents(), ["matter.jsonl", "matter.jsonl, the second copy"]);
  assert.match(await page.textContent("#compare"), /Compared: matter\.jsonl and matter\.jsonl, the second copy\.Verify matter\.jsonl, the second copy instead/);
});

test("a verification that is cancelled can go on, and Start over leaves nothing behind", async () => {
  const page = await opened({ bypassCSP: true });
  await verified(page, vector("valid-label-bob.jsonl"));
  await page.evaluate(() => (document.getElementById("trust-box").open = true));
  await page.evaluate(() => {
    document.getElementById("trust-apply").click();
    setTimeout(() => document.querySelector("#cancel").click(), 30);
  });
  await page.locator("#result", { hasText: "Cancelled. Nothing was decided." }).waitFor();
  await page.waitForTimeout(300);
  assert.equal(await page.$("#answer"), null);
  await page.click("#result button");
  await page.waitForSelector("#answer");
  await page.click("#actions button:last-child");
  await page.waitForTimeout(300);
  assert.equal(await page.textContent("#result"), "");
  assert.equal(await page.title(), "Tallystick: verify a copy");
});

test("fingerprints that were typed and not used yet count from the next verification on, for all of it", async () => {
  const page = await opened();
  await verified(page, vector("valid-label-bob.jsonl"));
  await typed(page, WRONG);
  await page.setInputFiles("#file-input", vector("valid-label-court.jsonl"));
  await page.waitForSelector("#compare");
  assert.equal(await page.textContent("#answer"), "REJECTED");
  assert.match(await page.textContent("#repeat"), /Given with it: fingerprints/);
});

test("a policy that is removed no longer decides", async () => {
  const page = await opened();
  const policy = join(scratch, "policy.txt");
  writeFileSync(policy, "quorum none\n");
  await verified(page, vector("valid-label-bob.jsonl"), policy);
  const of = async () => [(await page.textContent("#repeat")).includes("Given with it: a policy"), await page.locator("#opened li").count()];
  assert.deepEqual(await of(), [true, 2]);
  const begun = page.waitForEvent("worker");
  await page.click("#opened button[aria-label='Remove policy.txt']");
  await begun;
  await page.locator("#repeat", { hasText: "Nothing was given with it" }).waitFor();
  assert.deepEqual(await of(), [false, 1]);
});

sampled("a volume that lacks files is not completed by one of the same name", async () => {
  const page = await opened();
  const whole = join(SAMPLES, "production/volume1");
  const lacking = join(scratch, "lacking/volume1");
  cpSync(whole, lacking, { recursive: true });
  rmSync(join(lacking, "TEXT"), { recursive: true });
  await verified(page, join(SAMPLES, "copies/spot-bob.jsonl"));
  await page.setInputFiles("#folder-input", whole);
  await page.locator("#production", { hasText: "VERIFIED" }).waitFor();
  await page.setInputFiles("#folder-input", lacking);
  await page.locator("#production", { hasText: "REJECTED" }).waitFor();
  // The copy is still in order; that the volume is not stands on the first screen, in the title, and is said.
  assert.equal(await page.textContent("#answer"), "VERIFIED");
  assert.match(await page.textContent(".others.bad"), /Production volume 1: REJECTED/);
  assert.match(await page.title(), /^VERIFIED, Production volume 1: REJECTED: spot-bob/);
  assert.match(await page.textContent("#live"), /Production volume 1: REJECTED/);
});

test("no file is handed to the worker, which could not read it in every browser", async () => {
  const page = await opened();
  await page.evaluate(() => {
    window.handed = [];
    const original = Worker.prototype.postMessage;
    const look = (value) => {
      if (value instanceof Blob) window.handed.push(value.name);
      else if (typeof value === "object" && value !== null) Object.values(value).forEach(look);
    };
    Worker.prototype.postMessage = function (message, ...rest) {
      look(message);
      return original.call(this, message, ...rest);
    };
  });
  assert.equal(await verified(page, vector("valid-label-bob.jsonl"), vector("valid-label-court.jsonl")), "VERIFIED");
  await page.waitForSelector("#compare");
  assert.deepEqual(await page.evaluate(() => window.handed), []);
});

test("a file that became shorter while it was read is no damaged copy", async () => {
  const page = await opened();
  await page.evaluate(() => {
    const original = File.prototype.slice;
    File.prototype.slice = function (from, to) {
      return original.call(this, from, from);
    };
  });
  await page.setInputFiles("#file-input", vector("valid-label-bob.jsonl"));
  await page.waitForSelector(".notes");
  assert.match(await page.textContent(".notes"), /^The file could not be read\./);
  assert.equal(await page.$("#answer"), null);
});

test("opening a zip can be cancelled: what was known stays, and the page goes on", async () => {
  const page = await opened({ bypassCSP: true });
  await verified(page, vector("valid-label-bob.jsonl"));
  await page.evaluate(() => {
    const read = Blob.prototype.arrayBuffer;
    // The zip is never read to its end until the test says so.
    Blob.prototype.arrayBuffer = function () {
      return String(this.name).endsWith(".zip") ? new Promise((resolve) => (window.goOn = () => resolve(read.call(this)))) : read.call(this);
    };
  });
  await page.setInputFiles("#file-input", { name: "mail.zip", mimeType: "application/zip", buffer: stored("documents/memo.txt", "a memo") });
  await page.locator("#cancel").waitFor();
  assert.equal(await page.textContent("#progress-title"), "Opening");
  await page.click("#cancel");
  await page.locator(".notes").waitFor();
  assert.match(await page.textContent(".notes"), /Cancelled\. Nothing was opened\./);
  assert.equal(await page.isVisible("#progress"), false);
  assert.equal(await page.textContent("#answer"), "VERIFIED");
  await page.evaluate(() => window.goOn());
  await page.waitForTimeout(200);
  assert.match(await page.textContent(".notes"), /Cancelled\. Nothing was opened\./);
  await page.setInputFiles("#file-input", vector("trent-skips-a-sampled-document.jsonl"));
  await page.waitForSelector("#compare");
  assert.doesNotMatch(await page.textContent("#desk"), /mail\.zip/);
  assert.deepEqual(page.troubles, []);
});

test("a zip that is still being opened when the reader starts over is not opened", async () => {
  const page = await opened({ bypassCSP: true });
  await verified(page, vector("valid-label-bob.jsonl"));
  await page.evaluate(() => {
    const read = Blob.prototype.arrayBuffer;
    Blob.prototype.arrayBuffer = function () {
      return String(this.name).endsWith(".zip") ? new Promise((resolve) => (window.goOn = () => resolve(read.call(this)))) : read.call(this);
    };
  });
  await page.setInputFiles("#file-input", { name: "mail.zip", mimeType: "application/zip", buffer: stored("documents/memo.txt", "a memo") });
  await page.waitForFunction(() => window.goOn !== undefined);
  await page.click("#actions button:last-child");
  await page.evaluate(() => window.goOn());
  await page.waitForTimeout(200);
  assert.equal(await page.textContent("#opened"), "");
  assert.match(await page.textContent("#result"), /^Cancelled\. Nothing was opened\.$/);
});

test("what is opened while another file is verified leaves the progress of that in sight", async () => {
  const page = await opened({ bypassCSP: true });
  await verified(page, vector("valid-label-bob.jsonl"));
  await typed(page, WRONG);
  await page.evaluate(() => {
    const read = Blob.prototype.arrayBuffer;
    Blob.prototype.arrayBuffer = function () {
      return String(this.name).endsWith(".zip") ? new Promise((resolve) => (window.goOn = () => resolve(new ArrayBuffer(4)))) : read.call(this);
    };
    // The work that begins now never ends by itself.
    Worker.prototype.postMessage = () => undefined;
  });
  await page.setInputFiles("#file-input", { name: "mail.zip", mimeType: "application/zip", buffer: stored("documents/memo.txt", "a memo") });
  await page.waitForFunction(() => window.goOn !== undefined);
  await page.click("#trust-apply");
  await page.locator("#progress-title", { hasText: "Verifying" }).waitFor();
  await page.evaluate(() => window.goOn());
  await page.locator(".notes").waitFor();
  assert.equal(await page.isVisible("#cancel"), true);
});

test("a line of fingerprints that cannot be read ends what is verified, and its bar", async () => {
  const page = await opened({ bypassCSP: true });
  await page.evaluate(() => (Worker.prototype.postMessage = () => undefined));
  await page.setInputFiles("#file-input", vector("valid-label-bob.jsonl"));
  await page.locator("#progress-title", { hasText: "Verifying" }).waitFor();
  await typed(page, "alice 12345");
  await page.click("#trust-apply");
  await page.locator("#trust-error").waitFor();
  assert.equal(await page.isVisible("#progress"), false);
});

test("fingerprints that cannot be read any more leave the desk and the verdict as they were", async () => {
  const page = await opened({ bypassCSP: true });
  await verified(page, vector("valid-label-bob.jsonl"));
  await page.evaluate(() => {
    const read = Blob.prototype.arrayBuffer;
    Blob.prototype.arrayBuffer = function () {
      return this.name === "told.txt" ? Promise.reject(new Error("it is gone")) : read.call(this);
    };
  });
  const file = (name, buffer) => ({ name, mimeType: "text/plain", buffer });
  await page.setInputFiles("#file-input", [file("court.jsonl", readFileSync(vector("valid-label-court.jsonl"))), file("told.txt", Buffer.from(`${WRONG}\n`))]);
  await page.locator(".notes", { hasText: "This could not be opened" }).waitFor();
  await page.setInputFiles("#file-input", file("a note", Buffer.from("hello")));
  await page.locator(".notes", { hasText: "is none of the files that this page knows" }).waitFor();
  assert.doesNotMatch(await page.textContent("#opened"), /court\.jsonl/);
  assert.equal(await page.textContent("#answer"), "VERIFIED");
});

sampled("an exhibit is judged anew by a policy, which then waits for no copy", async () => {
  const page = await opened();
  const policy = join(scratch, "exhibit-policy.txt");
  writeFileSync(policy, "quorum none\n");
  await page.setInputFiles("#folder-input", join(SAMPLES, "exhibits/reported"));
  await page.waitForSelector("#exhibit-answer");
  await page.evaluate(() => (document.getElementById("exhibit").dataset.old = "yes"));
  await page.setInputFiles("#file-input", policy);
  await page.waitForSelector("#exhibit:not([data-old])", { timeout: 20_000 });
  assert.equal(await page.locator(".notes").count(), 0);
});

/** A zip of one file, not packed. */
function stored(name, text) {
  const [path, content, local, listed, end] = [Buffer.from(name), Buffer.from(text), Buffer.alloc(30), Buffer.alloc(46), Buffer.alloc(22)];
  local.write("PK\u0003\u0004");
  local.writeUInt16LE(path.length, 26);
  listed.write("PK\u0001\u0002");
  listed.writeUInt32LE(content.length, 20);
  listed.writeUInt32LE(content.length, 24);
  listed.writeUInt16LE(path.length, 28);
  end.write("PK\u0005\u0006");
  end.writeUInt16LE(1, 10);
  end.writeUInt32LE(local.length + path.length + content.length, 16);
  return Buffer.concat([local, path, content, listed, path, end]);
}

test("a comparison rests on the fingerprints, and says whose key it is as far as that is known", async () => {
  const page = await opened();
  await verified(page, vector("valid-label-bob.jsonl"), vector("two-histories-alice.jsonl"));
  await page.waitForSelector("#compare");
  assert.match(await page.textContent("#compare"), /The key that both copies name as Trent's is 81041 19798 .*Whose it is was not checked/);
  await typed(page, WRONG);
  await page.click("#trust-apply");
  await page.waitForFunction(() => document.getElementById("compare")?.textContent.includes("is NOT the key that you were told, so nobody you know is blamed"));
  assert.doesNotMatch(await page.textContent("#compare"), /Trent signed/);
  assert.match(await page.textContent(".others"), /TWO HISTORIES \('two-histories-alice\.jsonl' itself was not verified\)/);
});

/** Verifies a copy, changes it on disk as no browser sees it, with its size and time, and opens something that reads it again. */
async function swapped(copy, input, further) {
  const bytes = readFileSync(copy);
  const path = join(scratch, "swapped.jsonl");
  const written = (content) => (writeFileSync(path, content), utimesSync(path, 1_700_000_000, 1_700_000_000));
  written(bytes);
  const page = await opened();
  assert.equal(await verified(page, path), "VERIFIED");
  const other = Buffer.from(bytes);
  other[other.length - 30] ^= 1;
  written(other);
  await page.setInputFiles(input, further);
  await page.waitForFunction(() => /It may have been moved or changed since you opened it/.test(document.getElementById("result").textContent), null, { timeout: 30_000 });
  return page;
}

test("a comparison and a privilege log notice that the copy is another file than the one that was verified", async () => {
  const log = { name: "log.jsonl", mimeType: "text/plain", buffer: LOG };
  for (const further of [vector("valid-label-court.jsonl"), log]) await swapped(vector("valid-label-bob.jsonl"), "#file-input", further);
});

sampled("a production volume notices that the copy is another file than the one that was verified", async () => {
  await swapped(join(SAMPLES, "copies/spot-bob.jsonl"), "#folder-input", join(SAMPLES, "production/volume1"));
});
