/** The real file, opened from disk in Chromium, with real copies. */
import assert from "node:assert/strict";
import { cpSync, readFileSync, writeFileSync } from "node:fs";
import { createRequire } from "node:module";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { PAGE } from "../support/chromium.mjs";
import { VECTORS } from "../support/expected.mjs";
import { SAMPLES, opened, sampled, scratch, searched, test, vector, verified } from "../support/page.mjs";

const axe = readFileSync(createRequire(import.meta.url).resolve("axe-core/axe.min.js"), "utf8");

test("a copy that is in order is verified, and the answer has the focus", async () => {
  const page = await opened();
  assert.equal(await verified(page, vector("valid-label-bob.jsonl")), "VERIFIED");
  assert.equal(await page.evaluate(() => document.activeElement.id), "answer");
  assert.match(await page.textContent("#live"), /^VERIFIED\./);
  assert.match(await page.textContent("#verdict"), /This is the copy for Bob, 24 entries\. 22 of 30 checks passed, 8 could not be made and are listed below\./);
  assert.match(await page.title(), /^VERIFIED/);
  assert.deepEqual(page.troubles, []);
});

test("the page asks nobody for anything", async () => {
  const page = await opened();
  await verified(page, vector("valid-label-bob.jsonl"));
  assert.deepEqual(page.requests.filter((url) => !url.startsWith("file:") && !url.startsWith("blob:")), []);
});

test("a compressed copy is read as well", async () => {
  const page = await opened();
  assert.equal(await verified(page, vector("valid-validated-court.jsonl.gz")), "VERIFIED");
});

test("a copy that is not at its end is not closed", async () => {
  const page = await opened();
  assert.equal(await verified(page, vector("valid-not-closed-bob.jsonl")), "NOT CLOSED");
  assert.match(await page.textContent("#verdict"), /But the end of the record is not signed by Alice, Bob or the court: there may be more, or a later version\. The matter waits for Bob\./);
});

test("a broken rule is rejected, with the rule, the entry and the key", async () => {
  const page = await opened();
  assert.equal(await verified(page, vector("trent-skips-a-sampled-document.jsonl")), "REJECTED");
  const text = await page.textContent("#verdict");
  assert.match(text, /V13 disclosures, entry 18/);
  assert.match(text, /78135 70444 32552 51197 05476 51120 58200 81310, which the copy names as that of Trent/);
});

test("a damaged copy is undecided, and nobody is blamed", async () => {
  const page = await opened();
  assert.equal(await verified(page, vector("damage-a-changed-byte.jsonl")), "UNDECIDED");
  assert.match(await page.textContent("#verdict"), /Nobody is blamed for this\. Get the file again from where it came\./);
});

test("a file that is nothing the page knows gets a plain answer", async () => {
  const page = await opened();
  const path = join(scratch, "photo.png");
  writeFileSync(path, "\u0089PNG nothing");
  await page.setInputFiles("#file-input", path);
  await page.waitForSelector("#result .notice");
  assert.match(await page.textContent("#result"), /photo\.png is none of the files that this page knows: look for a copy, whose name ends in \.jsonl/);
});

test("cancel in the middle of a large copy ends its worker, and nothing is decided", async () => {
  const page = await opened();
  const [first, ...rest] = readFileSync(vector("valid-label-bob.jsonl"), "utf8").split("\n");
  // A real beginning, and then lines that take long to read: they are within the limits, and no entry.
  const path = join(scratch, "large.jsonl");
  writeFileSync(path, [first, ...rest.slice(0, 6), ...Array.from({ length: 6 }, () => `{"attachment":"${"0".repeat(64)}","chunk":0,"data":"${"A".repeat(8_000_000)}"}`)].join("\n"));
  await page.evaluate(() => {
    // Not while the file is opened: then its worker has no job yet, and waits for the next file.
    const title = document.getElementById("progress-title");
    new MutationObserver(() => title.textContent === "Verifying" && setTimeout(() => document.getElementById("cancel").click(), 1)).observe(title, { childList: true });
  });
  await page.setInputFiles("#file-input", path);
  await page.waitForFunction(() => document.getElementById("result").textContent.includes("Cancelled"));
  assert.equal(await page.$("#answer"), null);
  assert.equal(await page.isHidden("#progress"), true);
  await page.waitForTimeout(300);
  assert.equal(page.workers().length, 0);
});

test("the policy blocks every connection, in the page and in its worker", async () => {
  const page = await opened();
  // The worker that waits for the first file.
  const worker = page.workers()[0] ?? (await page.waitForEvent("worker"));
  // Chromium's debugger now and then ends the page if it speaks to a worker that is only starting.
  await page.waitForTimeout(300);
  const inWorker = await worker.evaluate(() => fetch("https://example.com/").then(() => "sent", () => "blocked"));
  const blocked = await page.evaluate(async () => {
    const seen = [];
    document.addEventListener("securitypolicyviolation", (event) => seen.push(event.effectiveDirective));
    const answer = await fetch("https://example.com/").then(() => "sent", () => "blocked");
    const image = new Image();
    image.src = "https://example.com/x.png";
    const script = document.createElement("script");
    let evaluated = "ran";
    try {
      script.text = "window.ran = true";
      document.body.append(script);
    } catch {
      evaluated = "refused";
    }
    await new Promise((done) => setTimeout(done, 200));
    return { answer, seen, ran: window.ran === true, evaluated };
  });
  assert.equal(blocked.answer, "blocked");
  assert.ok(blocked.seen.includes("connect-src"));
  assert.ok(blocked.seen.includes("img-src"));
  assert.equal(blocked.ran, false);
  assert.equal(inWorker, "blocked");
});

test("the script uses none of the ways out that a policy cannot forbid", () => {
  const script = /<script>([^]*)<\/script>/.exec(readFileSync(PAGE, "utf8"))[1];
  for (const way of ["location", "RTCPeerConnection", "window.open", "navigator", "refresh", "download", "ping"]) assert.equal(new RegExp(`\\b${way.replace(".", "\\.")}\\b`).test(script), false, way);
  assert.deepEqual([...script.matchAll(/https?:\/\/[^\s"'`)]*/g)].map(String).filter((url) => url !== "http://www.w3.org/2000/svg"), []);
});

test("a page whose script was changed says that it does not run", async () => {
  const page = await opened();
  assert.equal(await page.$("#idle"), null);
  const path = join(scratch, "changed.html");
  writeFileSync(path, readFileSync(PAGE, "utf8").replace("<script>", "<script>0;"));
  await page.goto(pathToFileURL(path).href);
  assert.match(await page.textContent("#idle"), /its program is not running.*the file was changed on its way/);
});

test("the policy is shown on the page, and is the one that is in force", async () => {
  const page = await opened();
  const stated = await page.getAttribute("meta[http-equiv]", "content");
  assert.equal(await page.textContent("#policy"), stated);
  assert.match(stated, /default-src 'none'; connect-src 'none'/);
  assert.doesNotMatch(stated, /unsafe/);
});

sampled("a hostile name stays text, and what it hides is shown", async () => {
  const page = await opened();
  const folder = join(scratch, "hostile");
  cpSync(join(SAMPLES, "exhibits/reported"), folder, { recursive: true });
  const source = readFileSync(join(folder, "exhibit.json"), "utf8");
  const { name } = JSON.parse(readFileSync(join(SAMPLES, "exhibits/reported.json"), "utf8")).document;
  const [head, entries] = source.split('"entries":');
  writeFileSync(join(folder, "exhibit.json"), head.replaceAll(name, '<img src=x onerror=\\"document.title=1\\">\u202Efdp.exe') + '"entries":' + entries);
  await page.setInputFiles("#folder-input", folder);
  await page.waitForSelector("#exhibit-answer");
  assert.equal(await page.textContent("#exhibit-answer"), "UNDECIDED");
  const text = await page.textContent("#exhibit");
  assert.ok(text.includes('<img src=x onerror="document.title=1">⟨U+202E⟩fdp.exe'), text.slice(0, 800));
  assert.equal(await page.$("#exhibit img"), null);
  assert.deepEqual(page.troubles, []);
});

test("a hostile file name stays text", async () => {
  const page = await opened();
  await page.setInputFiles("#file-input", { name: "<b>\u202Elnosj.jsonl", mimeType: "text/plain", buffer: readFileSync(vector("valid-label-bob.jsonl")) });
  await page.waitForSelector("#answer");
  assert.match(await page.textContent(".kicker"), /<b>⟨U\+202E⟩lnosj\.jsonl/);
  assert.equal(await page.$("#result b"), null);
});

test("fingerprints that are typed decide V04, and a wrong one rejects", async () => {
  const page = await opened();
  await page.click("#trust-box summary");
  await page.fill("#trust", ["alice 61527 99609 20917 80456 62595 67959 35666 68392", "bob 77697 43089 88000 33936 57899 01261 09142 78424", "court 61216 63492 09298 35682 53483 15692 00596 46614", "trent 81041 19798 48596 29856 77174 46115 10844 61328"].join("\n"));
  assert.equal(await verified(page, vector("valid-label-bob.jsonl")), "VERIFIED");
  assert.match(await page.textContent("#checks"), /V04 identities\s*pass/);
  await page.fill("#trust", "trent 00000 00000 00000 00000 00000 00000 00000 00000");
  await page.click("#trust-apply");
  await page.locator("#answer", { hasText: "REJECTED" }).waitFor();
  // The key is signed with, but nobody knows by whom.
  const text = await page.textContent("#verdict");
  assert.match(text, /a key of Trent that is none of thoseBlamednobody/);
  assert.doesNotMatch(text, /Signed/);
});

test("a line of fingerprints that cannot be read says so", async () => {
  const page = await opened();
  await page.click("#trust-box summary");
  await page.fill("#trust", "alice 123");
  await page.click("#trust-apply");
  assert.equal(await page.isVisible("#trust-error"), true);
  assert.equal(await page.evaluate(() => document.activeElement.id), "trust");
});

test("a second copy is compared with the first", async () => {
  const page = await opened();
  await verified(page, vector("valid-label-bob.jsonl"), vector("valid-label-court.jsonl"));
  await page.waitForSelector("#compare");
  assert.match(await page.textContent("#compare"), /SAME HISTORY/);
});

test("two histories are told once, with the number of the entries that differ", async () => {
  const page = await opened();
  await verified(page, vector("valid-label-bob.jsonl"), vector("two-histories-alice.jsonl"));
  await page.waitForSelector("#compare");
  const told = (await page.textContent("#compare")).match(/The key that both copies name as Trent's signed two different entries under the number \d+ in one matter\./g);
  assert.equal(told?.length, 1);
});

sampled("a production volume is checked against the copy", async () => {
  const page = await opened();
  await verified(page, join(SAMPLES, "copies/spot-bob.jsonl"));
  await page.setInputFiles("#folder-input", join(SAMPLES, "production/volume1"));
  await page.waitForSelector("#production");
  assert.match(await page.textContent("#production"), /VERIFIEDIt is what the record says: \d+ documents, nothing missing, nothing added, each file the committed one\./);
  // Who only hears the page hears of all that was opened.
  assert.match(await page.textContent("#live"), /^VERIFIED\..* Production volume 1: VERIFIED\./);
});

sampled("files that Bob was not handed fail V23, and the verdict says so", async () => {
  const page = await opened();
  const folder = join(scratch, "handed");
  cpSync(join(SAMPLES, "production/volume1/NATIVES"), folder, { recursive: true });
  await verified(page, join(SAMPLES, "copies/spot-bob.jsonl"));
  await page.setInputFiles("#folder-input", folder);
  await page.waitForSelector("#handed");
  assert.match(await page.textContent("#handed"), /NOT CHECKED.* \d+ contents without a file: open the folders of all questions together/);
  assert.equal(await page.textContent("#answer"), "VERIFIED");
  writeFileSync(join(folder, "other.txt"), "nobody disclosed this");
  await page.setInputFiles("#folder-input", folder);
  await page.locator("#handed", { hasText: "FAIL" }).waitFor();
  assert.match(await page.textContent("#handed"), /1 file with other content/);
  assert.equal(await page.textContent("#answer"), "REJECTED");
});

sampled("an exhibit is checked on its own", async () => {
  const page = await opened();
  await page.setInputFiles("#folder-input", join(SAMPLES, "exhibits/withheld"));
  await page.waitForSelector("#exhibit-answer");
  assert.equal(await page.textContent("#exhibit-answer"), "VERIFIED");
  assert.match(await page.textContent("#exhibit"), /So it was not drawn\./);
});

test("exhibits of the vectors get their answers, with the check, the entry and the party of each finding", async () => {
  const { cases } = JSON.parse(readFileSync(join(VECTORS, "exhibits.json"), "utf8"));
  for (const id of ["a-call", "an-open-round", "commitment-only", "two-false-proofs", "an-unknown-kind-that-answers-a-rekey", "a-draw-that-the-terms-do-not-have"]) {
    const { exhibit, verdict, findings } = cases.find((one) => one.id === id);
    const page = await opened();
    await page.setInputFiles("#folder-input", join(VECTORS, exhibit));
    await page.waitForSelector("#exhibit-answer");
    assert.equal(await page.textContent("#exhibit-answer"), verdict.toUpperCase(), id);
    const text = await page.textContent("#exhibit");
    for (const { check, entry } of findings) assert.match(text, new RegExp(`${check}[^.]*entry ${entry}\\b`), id);
  }
});

test("what has passed of each check stands beside it", async () => {
  const page = await opened();
  await verified(page, vector("valid-clawback-court.jsonl.gz"));
  const text = await page.textContent("#checks");
  for (const counted of ["5 claimed documents", "0 escalations and second looks", "1 end"]) assert.ok(text.includes(counted), counted);
});

test("the proofs of a privilege log with a rejected copy send the reader to its verdict", async () => {
  const log = { name: "log.jsonl", mimeType: "text/plain", buffer: Buffer.from(`{"format":1,"matter":"${"0".repeat(64)}","numbers":[],"path":""}\n`) };
  for (const [name, says] of [["trent-skips-a-sampled-document.jsonl", /The copy is rejected: see its verdict\.The check/], ["valid-label-bob.jsonl", /of another matter than the copy\. Nobody signs this file, so nobody is blamed\./]]) {
    const page = await opened();
    await verified(page, { name, mimeType: "text/plain", buffer: readFileSync(vector(name)) }, log);
    await page.waitForSelector("#privilege-log");
    assert.match(await page.textContent("#privilege-log"), says);
  }
});

test("the search says that a class is one, and no claim", async () => {
  const page = await opened();
  await verified(page, vector("valid-classed-alice.jsonl.gz"));
  assert.match(await searched(page, "1/1"), /Class\. Alice put it into the sensitive class 'medical'\./);
  assert.match(await searched(page, "2/3"), /Privilege\. Alice claimed it as privileged after her report on the basis 'advice of counsel, 3'\./);
});

sampled("the search tells what the record says of one document", async () => {
  const page = await opened();
  await verified(page, join(SAMPLES, "copies/spot-bob.jsonl"));
  const { document } = JSON.parse(readFileSync(join(SAMPLES, "exhibits/ruled.json"), "utf8"));
  const ask = (text) => searched(page, text);
  const story = await ask(document.name);
  assert.match(story, new RegExp(`Document ${document.number}`));
  assert.match(story, /Batch\. In round .*Report\. Alice reported it as not responsive.*Coin\. .*So it was drawn.*Disclosure\. Bob was shown it in wave.*Label\. Bob.*Ruling\. The court held it to be responsive.*Outcome\. /s);
  const [, round, position] = /In round (\d+) it stood at position (\d+)/.exec(story);
  assert.match(await ask(`${round}/${position}`), new RegExp(`Document ${document.number}`));
  assert.match(await ask(String(document.number)), /1 document found/);
  assert.match(await ask(document.parts[0].content), /1 document found/);
  assert.match(await ask("no such name"), /says nothing of such a document/);
});

for (const name of ["valid-label-bob.jsonl", "valid-validated-court.jsonl.gz"]) {
  test(`a search after the verdict reads the file again, in a worker that ends with it: ${name}`, async () => {
    const page = await opened();
    await verified(page, vector(name));
    await page.waitForTimeout(100);
    assert.equal(page.workers().length, 0);
    const begun = page.waitForEvent("worker");
    const story = await searched(page, "1/1");
    await begun;
    assert.match(story, /1 document found\..*In round 1 it stood at position 1 of a batch/s);
    await page.waitForTimeout(100);
    assert.equal(page.workers().length, 0);
    assert.equal(await page.textContent("#search-progress"), "");
    assert.deepEqual(page.troubles, []);
  });
}

test("a search can be cancelled, and says that it was", async () => {
  const page = await opened();
  await verified(page, vector("valid-label-bob.jsonl"));
  await page.evaluate(() => {
    const progress = document.getElementById("search-progress");
    new MutationObserver(() => progress.querySelector("button")?.click()).observe(progress, { childList: true });
  });
  assert.equal(await searched(page, "1/1"), "The search was cancelled.");
  await page.waitForTimeout(100);
  assert.equal(page.workers().length, 0);
  assert.equal(await page.textContent("#answer"), "VERIFIED");
});

test("a search in a file that has changed since the verdict tells nothing of it", async () => {
  const page = await opened();
  const path = join(scratch, "changing.jsonl");
  const bytes = readFileSync(vector("valid-label-bob.jsonl"));
  writeFileSync(path, bytes);
  await verified(page, path);
  writeFileSync(path, Buffer.concat([bytes, Buffer.from("\n")]));
  assert.match(await searched(page, "1/1"), /It may have been moved or changed since you opened it/);
});

for (const width of [360, 768]) {
  test(`nothing scrolls sideways at ${width} pixels`, async () => {
    const page = await opened({ viewport: { width, height: 800 } });
    assert.equal(await page.evaluate(() => document.documentElement.scrollWidth), width);
    await verified(page, vector("valid-eventful-label-court.jsonl"));
    assert.equal(await page.evaluate(() => document.documentElement.scrollWidth), width);
  });
}

for (const [name, file] of [["an empty page"], ["a report with orders and privilege", "valid-eventful-label-court.jsonl"], ["a report with validations", "valid-validated-court.jsonl.gz"], ["a rejection", "trent-skips-a-sampled-document.jsonl"]]) {
  for (const colorScheme of file === undefined || file.startsWith("trent") ? ["light", "dark"] : ["light"]) {
    test(`axe finds nothing on ${name}, ${colorScheme}`, async () => {
      const page = await opened({ bypassCSP: true, colorScheme });
      if (file !== undefined) await verified(page, vector(file));
      await page.evaluate(axe);
      const found = await page.evaluate(() => axe.run(document, { resultTypes: ["violations"] }));
      assert.deepEqual(found.violations.map((one) => `${one.id}: ${one.nodes.slice(0, 3).map((node) => node.target.join(" ")).join("; ")}`), []);
    });
  }
}

test("axe finds nothing on notes, nor on a report with the answers for other files", async () => {
  const page = await opened({ bypassCSP: true });
  await page.evaluate(axe);
  const found = async () => (await page.evaluate(() => axe.run(document, { resultTypes: ["violations"] }))).violations.map((one) => `${one.id}: ${one.nodes[0].target}`);
  await page.setInputFiles("#file-input", { name: "keys.txt", mimeType: "text/plain", buffer: Buffer.from("alice 71931 93712 79461 86738 00949 48402 34418 57555") });
  await page.waitForSelector(".notes");
  assert.deepEqual(await found(), []);
  await page.fill("#trust", "");
  await verified(page, vector("valid-label-bob.jsonl"), vector("trent-skips-a-sampled-document.jsonl"));
  await page.waitForSelector("#compare");
  assert.deepEqual(await found(), []);
});

test("a printed report leaves out what only a screen needs", async () => {
  const page = await opened();
  await verified(page, vector("valid-eventful-label-court.jsonl"));
  await page.emulateMedia({ media: "print" });
  for (const selector of ["#desk", ".contents", ".actions", "#search"]) assert.equal(await page.isVisible(selector), false, selector);
  assert.equal(await page.isVisible("#answer"), true);
  await page.emulateMedia({ media: "screen" });
  assert.match(await searched(page, "1/1"), /Privilege\. Alice claimed it as privileged with her report on the basis 'advice of counsel'\./);
  await page.emulateMedia({ media: "print" });
  assert.equal(await page.isVisible("#search-results"), true);
});

test("the verdict, and what it covers, are on the first screen", async () => {
  const page = await opened();
  await verified(page, vector("valid-label-bob.jsonl"));
  for (const selector of ["#answer", ".answer .says", ".answer .copy-line"]) {
    const box = await page.locator(selector).first().boundingBox();
    assert.ok(box !== null && box.y >= 0 && box.y + box.height <= 900, selector);
  }
});

sampled("everything can be done with the keyboard alone", async () => {
  const page = await opened();
  // Asked for at once: the browser needs a moment until it hands its dialog over.
  const chooser = page.waitForEvent("filechooser");
  const reached = [];
  for (let step = 0; step < 4; step += 1) {
    await page.keyboard.press("Tab");
    reached.push(await page.evaluate(() => document.activeElement.id || document.activeElement.className || document.activeElement.tagName));
  }
  assert.deepEqual(reached, ["skip", "choose-file", "choose-folder", "SUMMARY"]);
  await page.focus("#choose-file");
  await page.keyboard.press("Enter");
  await (await chooser).setFiles(join(SAMPLES, "copies/spot-bob.jsonl"));
  await page.waitForSelector("#answer");
  await page.focus("#search-text");
  await page.keyboard.type("1/1");
  await page.keyboard.press("Enter");
  await page.locator("#search-results", { hasText: "1 document found" }).waitFor();
});
