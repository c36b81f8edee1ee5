/** That the page's report says what the report of the Python program says: the facts, not the wording. */
import assert from "node:assert/strict";
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { opened, scratch, searched, test, vector, verified } from "../support/page.mjs";

/** Opens a vector, or a file of a test, and gives the texts of its report by section. */
async function report(name) {
  const page = await opened();
  await verified(page, name.includes("/") ? name : vector(name));
  const text = async (section) => (await page.textContent(`#${section}`)).replace(/\s+/g, " ");
  /** The rows of a section's table, each as its cells joined by a bar. */
  const rows = (section, table = 0) =>
    page.$$eval(`#${section} table`, (tables, at) => [...(tables[at]?.rows ?? [])].map((row) => [...row.cells].map((cell) => cell.textContent).join("|")), table);
  /** What the first screen says beside a name. */
  const fact = async (name) => (await page.$$eval("#verdict dt", (all) => all.map((one) => [one.textContent, one.nextElementSibling.textContent]))).find(([one]) => one === name)?.[1];
  return { page, text, rows, fact };
}

test("the first screen counts silence, skipped draws, what Bob left unread, and what of it can be hidden", async () => {
  const { fact } = await report("valid-eventful-label-court.jsonl");
  assert.equal(await fact("Silence"), "4 orders of the court to go on without an answer");
  assert.match(await fact("Skipped draws"), /^1, /);
  assert.equal(await fact("Left unread by Bob"), "9 documents, in 1 of 4 rounds");
  assert.match(await fact("Hidden among the reviewed"), /^at most 11, with a confidence of 95 %, 3 of them among what Bob left unread.*\. A limit, not an estimate: the coins cannot rule out that many\.$/);
  assert.equal(await fact("In camera"), undefined);
});

test("the first screen counts what was clawed back, and what the court found not responsive", async () => {
  assert.equal(await (await report("valid-clawback-bob.jsonl.gz")).fact("Clawed back"), "2, still counted as shown");
  assert.equal(await (await report("valid-classed-court.jsonl.gz")).fact("In camera"), "6 documents that the court found not responsive, not shown");
});

test("an order tells its round and what follows, a new key what it made void, a change what it replaced", async () => {
  const { rows, text } = await report("valid-eventful-label-court.jsonl");
  const told = await rows("orders");
  assert.ok(told.includes("6|Alice gave no link in round 1: by the court's order the link came from the deposit."), told.join("\n"));
  assert.ok(told.includes("27|Proposed: 4 rounds instead of 3; all accepted."), told.join("\n"));
  assert.ok(told.includes("53|Proposed: 5 rounds instead of 4; not all accepted."), told.join("\n"));
  assert.ok(told.includes("36|Bob gave no labels in round 2: the court ordered the matter to wait."), told.join("\n"));
  assert.match(told.find((row) => row.startsWith("30|")), /The report that entry 28 had asked for became void, and draw 3 was skipped\.$/);
  assert.match(await text("orders"), /1 question was asked again, since a new key answers no earlier question\..*Round 2: .*may all be hidden: 3 documents, counted in the certificate/);
  assert.match(await text("orders"), /it is no finding against anybody/);
  assert.match(await text("parties"), /58772 from entry 31 on.*A key was replaced by the court's order\./);
});

test("a change of the limit alone is the court's to accept, and a claw-back that nobody answers is told", async () => {
  assert.ok((await (await report("valid-eventful-two-stages-court.jsonl.gz")).rows("orders")).includes("42|Proposed: a limit of 0.9 instead of 0.3; the court accepted."));
  assert.match((await (await report("valid-clawback-court.jsonl.gz")).rows("orders"))[1], /^26\|Alice gave no answer about what to ask back: by the court's order nothing was asked back\.$/);
});

test("claims that were never due stand beside those that were ruled on, with when they were made", async () => {
  const { rows, text } = await report("valid-eventful-label-court.jsonl");
  assert.match(await text("privilege"), /8 claims: 5 upheld, 2 overruled, 1 not ruled on/);
  const told = await rows("privilege");
  assert.equal(told[8], "4 / 2|mail-0000003/original|work product|with the report|not asked: it was not due|none");
  assert.match(told[3], /^1 \/ 7\|.*\|noticed late: 7\|later\|upheld: withheld as privileged\|20$/);
});

test("what the court labelled in camera is no ruling on a claim", async () => {
  const classed = await report("valid-classed-court.jsonl.gz");
  assert.match(await classed.text("privilege"), /14 claims: 4 upheld, 2 overruled, 8 not ruled on; 8 more read by the court in camera/);
  assert.match(await classed.text("words"), /Documents of sensitive classes \(.*medical.*\), at most [\d.]+ % of all, go to the court first if coins draw them/);
  const viewed = await report("valid-claimed-before-court.jsonl.gz");
  assert.match(await viewed.text("privilege"), /5 claims: 4 upheld, 0 overruled, 1 not ruled on/);
  assert.ok((await viewed.rows("privilege")).some((row) => /\|none\|not claimed\|not responsive: not shown to Bob\|/.test(row)));
  assert.match(await viewed.text("words"), /Alice claimed privilege and the court ruled: 4 withheld as privileged, 0 overruled\./);
  assert.match(await viewed.text("words"), /with the same chance, 50 %, and shown to the court in camera, and Bob gets what is responsive/);
  const parted = await report("valid-parted-bob.jsonl.gz");
  assert.ok((await parted.rows("privilege")).some((row) => /^1 \/ 1\|.*part 2 withheld as privileged; responsive: goes to Bob\|11$/.test(row)));
});

test("the tables of rounds have a column of their own for what the court read in camera", async () => {
  const { rows } = await report("valid-classed-court.jsonl.gz");
  const [heads, , second] = await rows("rounds");
  assert.match(heads, /\|Against Alice\|Privileged\|In camera\|Recall so far/);
  assert.match(second, /^2, validation\|8\|6 \(11\)\|1 \(5\)\|5 \(6\)\|\(6\)\|3\|0\|1\|1\|/);
  const why = await rows("why");
  assert.equal(why[0], "Round|Documents|Certain|Coin decides|Drawn by coin|Chance|Privileged|In camera|Not shown");
  assert.equal(why[3], "7|10|3|7|2|50.0 %|1|1|3");
});

test("what was shown by order, or was left unread, is not called certain", async () => {
  const { rows, text } = await report("valid-eventful-label-court.jsonl");
  const why = await rows("why");
  assert.equal(why[0], "Round|Documents|Threshold|Certain|Coin decides|Drawn by coin|Chance|Compelled|By order|Unread|Privileged|Not shown");
  assert.equal(why[1], "1|9|0|3|6|2|84.3 % to 14.0 %|1|0|0|3|0");
  assert.equal(why[2], "2|9|9|0|0|0|none|0|0|9|0|0");
  assert.equal(why[3], "3|9|none|none|none|none|none|0|8|0|1|0");
  assert.match(await text("why"), /Round 3 — 8 by order, 1 withheld as privileged.*What Bob left unread can be hidden as well/);
});

test("in a copy that does not tell why the court kept a document, it is not called privileged, nor not shown by chance", async () => {
  const { rows, text } = await report("valid-classed-public.jsonl.gz");
  assert.match(await text("why"), /Round 7 — 5 shown, reason sealed, 2 kept by the court, 3 not shown/);
  assert.match((await rows("why"))[0], /Kept by the court/);
  assert.match(await text("privilege"), /0 claims: 0 upheld, 0 overruled, 0 not ruled on; 14 more read by the court in camera/);
  assert.ok((await rows("privilege")).some((row) => /sealed: goes to Bob\|/.test(row)));
});

test("in a public copy nobody guesses what Alice reported", async () => {
  const { rows } = await report("valid-classed-public.jsonl.gz");
  const told = await rows("disputes");
  assert.ok(told.includes("1 / 4|sealed in this copy|sealed in this copy|not responsive|not responsive|Bob|15"), told.join("\n"));
  assert.equal((await rows("errors")).find((row) => row.startsWith("3 / 3|")).split("|")[3], "by coin");
  assert.ok((await rows("escalations"))[2].startsWith("6|3|1|sealed|0|sealed|"));
});

test("a ruling tells where Alice's label comes from, and whether it agrees with anybody", async () => {
  const classed = await (await report("valid-classed-court.jsonl.gz")).rows("disputes");
  assert.match(classed.find((row) => row.startsWith("2 / 3|")), /\|nothing: nobody had reviewed it\|responsive\|not responsive\|neither\|27$/);
  assert.match(classed.find((row) => row.startsWith("3 / 3|")), /\|not responsive, as 1 \/ 6\|responsive\|responsive\|Bob\|37$/);
  const below = (await (await report("valid-classifier-court.jsonl")).rows("disputes")).find((row) => row.startsWith("1 / 7|"));
  assert.match(below, /\|nothing: below her threshold, so not responsive\|responsive\|responsive\|Bob\|13$/);
});

test("what was asked back, and what Alice had not labelled, stand in plain words", async () => {
  const words = async (name) => (await report(name)).text("words");
  assert.match(await words("valid-classed-court.jsonl.gz"), /The court ruled on 9 documents; 2 of them Alice had not labelled\. 6 rulings agree with Bob; 5 of them show an error in Alice's report\./);
  assert.match(await words("edge-a-caption.jsonl"), /The court ruled on 3 documents on which Alice and Bob disagreed; 2 of these rulings agree with Bob, and show an error in Alice's report\./);
  assert.match(await words("valid-clawback-bob.jsonl.gz"), /Alice asked for 3 documents back that Bob was shown: 2 clawed back, 1 overruled\. What is clawed back still counts as shown\./);
});

test("a check that was not asked says why", async () => {
  const rows = async (name) => (await (await report(name)).rows("checks")).filter((row) => row.includes("|not asked|"));
  const real = await rows("edge-a-caption.jsonl");
  assert.deepEqual(real.map((row) => row.slice(0, 3)), ["V24", "V31", "V32", "V33"]);
  assert.match(real[0], /— This is not a simulation: nobody knows the true labels\.$/);
  for (const row of real.slice(1)) assert.match(row, /— Nothing of this kind is on record\.$/);
  for (const row of await rows("damage-cut-short.jsonl")) assert.doesNotMatch(row, /on record\.$/);
});

test("of a copy that is cut off the number of entries is the manifest's", async () => {
  const { page } = await report("damage-cut-short.jsonl");
  assert.match(await page.textContent(".copy-line"), /^This is the copy for Bob, 24 entries by its manifest\.$/);
});

test("an error tells why Bob saw it: a late claim, a compelled batch, a rule that shows all", async () => {
  const late = await report("valid-claimed-late.jsonl.gz");
  assert.match((await late.rows("errors")).find((row) => row.startsWith("1 / 8|")), /\|counts as drawn: claimed as privileged after the coins were fixed\|/);
  assert.match(await late.text("why"), /Round 1 — 5 certain, 5 by coin/);
  assert.match((await (await report("valid-classifier-alice.jsonl")).rows("errors")).find((row) => row.startsWith("2 / 3|")), /\|compelled: the whole batch was due because of position 2\|/);
  assert.match((await (await report("valid-reveal-all-court.jsonl")).rows("errors"))[1], /\|certain: the rule shows every document\|/);
});

test("a second answer stands beside the first", async () => {
  assert.equal((await (await report("valid-withdrawn-answer-bob.jsonl")).rows("orders"))[1], "12|Besides the answer in entry 11, a second answer of Bob (labels) is on record.");
});

test("the reasons that Bob and the court gave stand beside the rulings", async () => {
  const { page, rows, text } = await report("valid-clawback-court.jsonl.gz");
  const disputes = await rows("disputes");
  assert.match(disputes[0], /\|Bob's reason\|Court's reason$/);
  assert.match(disputes[1], /\|18\|It is about the prepay swaps\.\|It is about the prepay swaps\.$/);
  assert.match(disputes[2], /\|18\|\|$/);
  assert.match((await rows("privilege"))[1], /\|11\|It is about the prepay swaps\.$/);
  assert.deepEqual((await rows("privilege", 1)).map((row) => row.split("|").slice(3).join("|")), [
    "Asked back in entry|The court|The court's reason",
    "15|upheld: CLAWED BACK (entry 16)|It is about the prepay swaps.",
    "15|overruled: Bob keeps it (entry 16)|",
    "31|upheld: CLAWED BACK (entry 32)|It is about the prepay swaps.",
  ]);
  assert.match(await text("privilege"), /3 documents asked back: 2 clawed back, 1 overruled/);
  assert.equal(await page.$$eval("#disputes tr", (all) => new Set(all.map((row) => row.cells.length)).size), 1);
  const bobs = await report("valid-clawback-bob.jsonl.gz");
  assert.equal((await bobs.rows("privilege"))[0], "Round / position|Document|Basis|Claimed|The court|Ruling in entry");
});

test("the guarantees of label, classifier and reveal-all stand in plain words, before the exact ones", async () => {
  assert.match(await (await report("valid-label-bob.jsonl")).text("words"), /Bob almost surely gets all responsive documents but for about as many as the best threshold would get wrong\. If Alice leaves out more, a coin almost surely finds one, and he gets the whole batch\. Exactly: In each round/);
  assert.match(await (await report("valid-classifier-bob.jsonl")).text("words"), /but for at most three times as many as the best threshold would get wrong\. Exactly: In each round/);
  assert.match(await (await report("valid-reveal-all-bob.jsonl")).text("words"), /Nothing that was reviewed can be hidden from him\./);
});

test("the terms are told with their witnesses", async () => {
  assert.match(await (await report("valid-witnessed-bob.jsonl.gz")).text("words"), /Before each round and before the claims the state of the record is fixed outside: an authority stamps its hash with the time and the operator's log takes the hash in\./);
});

test("before the claims the certificates are told as they stand so far", async () => {
  const { fact, text } = await report("valid-not-closed-bob.jsonl");
  assert.match(await text("verdict"), /The reviewed documents: proven, without a target\s*So far: No responsive document among the 7 reviewed is missing, with 95 % confidence\./);
  assert.match(await text("verdict"), /So far: Nothing is proven about the 33 documents that nobody has read\./);
  assert.equal(await fact("Reviewed"), "7 of 40 documents, in 1 closed round");
  assert.match(await fact("Hidden among the reviewed"), /^at most 0, /);
  const words = await text("words");
  assert.match(words, /Certificate of the reviewed: no responsive document among the 7 reviewed is missing/);
  assert.match(words, /Certificates count families, each as one document: the 40 documents of the collection have 40 parts\.What/);
  assert.match(words, /So the certificate may be wrong\./);
  const validated = await report("valid-not-closed-camera-court.jsonl.gz");
  assert.match(await validated.text("verdict"), /The whole collection: target of 50 % NOT reached\s*So far: Nothing is proven about the 26 documents/);
  assert.match(await (await report("valid-not-closed-look-public.jsonl.gz")).text("verdict"), /Nothing yet: the claims, which state it, have not been made\./);
});

test("what Bob left unread in a validation widens its intervals, and an estimate is the likeliest number", async () => {
  const unread = await report("valid-unread-validation.jsonl.gz");
  assert.equal((await unread.rows("validations"))[3], "Never reviewed|32|14|0|0|0 to 32");
  assert.equal((await unread.rows("validations", 1))[3], "Never reviewed|10|6|1|2|1 to 5");
  assert.match(await unread.text("validations"), /Recall \(estimate\)100\.0 %, 50 % interval from 13\.5 % to 100\.0 %/);
  const missed = await report("valid-missed-and-shown-later.jsonl.gz");
  assert.equal((await missed.rows("validations"))[3], "Never reviewed|32|14|7|17|14 to 22");
});

test("a validation in two stages tells the chance to be looked at, and why it proves nothing", async () => {
  const { text } = await report("valid-eventful-two-stages-court.jsonl.gz");
  assert.match(await text("validations"), /Validation 1, by part of the collection\. Chance to be looked at: 15\.0 %.*none, since Alice did not report on what was called/);
});

test("the estimates of a validation in two stages are those of docs/certificates.md", async () => {
  const { text, rows } = await report("valid-called-bob.jsonl.gz");
  const found = await rows("validations");
  assert.ok(found.includes("Never reviewed|32|12|7|22|12 to 27"), found.join("\n"));
  assert.match(await text("validations"), /68\.8 %, 50 % interval from 37\.5 % to 84\.4 %/);
  assert.match(await text("validations"), /42\.3 %, 50 % interval from 34\.4 % to 73\.3 %/);
});

test("what a validation in two stages finds of an earlier batch counts as found of that batch", async () => {
  const { text } = await report("valid-called-and-withheld.jsonl.gz");
  assert.match(await text("rounds"), /revealing all would have shown 14\./);
});

test("halves are rounded as the Python program does, so that numbers agree", async () => {
  const { rows, text } = await report("valid-eventful-label-court.jsonl");
  assert.match((await rows("rounds"))[2], /\|56\.2 %\|62\.5 %$/);
  assert.match(await text("rounds"), /would have shown 81\.2 %/);
});

test("no draw is told apart from one that drew nothing", async () => {
  assert.match((await (await report("valid-claimed-late.jsonl.gz")).rows("escalations"))[1], /^4\|11\|1\|no draw\|0\|/);
  assert.match((await (await report("valid-validated-court.jsonl.gz")).rows("escalations"))[1], /^7\|5\|0\|0\.5 %\|0\|/);
});

test("the glossary has the words that the report uses", async () => {
  const { page } = await report("valid-label-bob.jsonl");
  const words = await page.$$eval("#words-explained dt", (all) => all.map((one) => one.textContent));
  for (const word of ["Bound", "Checkpoint", "Copy", "Default, order", "Disclosure, wave", "Entry", "Head", "Item, container, exception, duplicate", "Key, signature", "Ruling", "Target"]) assert.ok(words.includes(word), word);
  assert.deepEqual(words, words.toSorted((a, b) => a.localeCompare(b)));
});

test("of a damaged copy the rounds that were read are counted, and whether all was in order stays open", async () => {
  const { rows, text } = await report("damage-cut-short.jsonl");
  assert.match((await rows("rounds"))[1], /^1, batch\|7\|7 \(7\)\|5 \(5\)\|2 \(2\)\|2 \(2\)\|2\|1\|/);
  assert.match(await text("verdict"), /Whether the record is in order stays open\./);
  assert.match(await text("parties"), /Head, read so far/);
});

test("nothing is told of what comes after the end of the replay, and all who signed a fault are named", async () => {
  assert.match(await (await report("edge-two-faults.jsonl")).text("disputes"), /the court ruled on no dispute/);
  assert.equal((await (await report("edge-a-conflict-that-asks-and-repeats.jsonl")).rows("disputes")).length, 3);
  assert.match(await (await report("edge-two-faults.jsonl")).text("verdict"), /as that of Bob and signed with the key .* as that of Trent\./);
});

test("where a public copy seals what the court withheld as privileged, that number is Trent's", async () => {
  assert.match(await (await report("valid-classed-public.jsonl.gz")).fact("Privilege"), /^4 withheld as privileged, .*, according to Trent: this copy seals the rulings$/);
  assert.doesNotMatch(await (await report("valid-classed-court.jsonl.gz")).fact("Privilege"), /claims/);
});

test("one is singular: one document, one ruling, one part, one escalation", async () => {
  const eventful = await report("valid-eventful-label-court.jsonl");
  assert.match(await eventful.text("words"), /; 1 of these rulings agrees with Bob, and shows an error/);
  const parted = await report("valid-parted-court.jsonl.gz");
  assert.match(await parted.text("privilege"), /\(parts 1 and 2\).*part 2 withheld as privileged/);
  const before = await report("valid-claimed-before-bob.jsonl.gz");
  assert.match(await before.text("rounds"), /1 document that is not responsive was shown;/);
  assert.ok(await before.page.$('[aria-label^="Round 5: 1 document. "]'));
  assert.match(await (await report("valid-limited-bob.jsonl.gz")).text("escalations"), /\b1 escalation(?!s)|[2-9] escalations/);
});

test("each check that was not made says what would show it, and parties have their names", async () => {
  const { rows, text } = await report("valid-eventful-label-bob.jsonl");
  const told = await rows("not-checked");
  assert.match(told.find((row) => row.startsWith("V25")), /\|Alice's or the court's copy\.$/);
  assert.deepEqual(told.filter((row) => row.endsWith("|")), []);
  assert.match(await text("not-checked"), /You gave no fingerprint for Alice, Bob, the court or Trent\./);
});

/** The lines of a vector, changed, as a file of this test. */
function changed(name, change) {
  const file = join(scratch, `changed-${name}`);
  writeFileSync(file, change(readFileSync(vector(name), "utf8").split("\n")).join("\n"));
  return file;
}

test("of a damaged copy the disputes, the errors, privilege and orders are told one by one, as far as it was replayed", async () => {
  const { rows, text, page } = await report("damage-cut-short.jsonl");
  assert.deepEqual((await rows("disputes")).slice(1), [
    "1 / 5|mail-0000017/duplicate|not responsive|responsive|responsive|Bob|13",
    "1 / 6|mail-0000004/original|responsive|not responsive|responsive|Alice|13",
  ]);
  assert.match((await rows("errors"))[1], /^1 \/ 5\|.*\|certain: it stands at or above the threshold \(position 7\)\|report 8, disclosure 10, Bob's labels 11, ruling 13$/);
  assert.match(await text("privilege"), /asked about no claim/);
  assert.match(await text("orders"), /everyone answered/);
  assert.match(await text("words"), /Nothing: the file could not be read to its end.*That somebody did something wrong, or that nobody did\./);
  assert.match(await searched(page, "1/5"), /mail-0000017\/duplicate/);
});

test("a copy that is cut in a round tells the claims and the silence of that round", async () => {
  const beforeTheRuling = await report(changed("valid-eventful-label-court.jsonl", (lines) => [...lines.slice(0, 63), ""]));
  assert.match(await beforeTheRuling.text("privilege"), /8 claims: 4 upheld, 2 overruled, 2 not ruled on/);
  assert.equal((await beforeTheRuling.rows("privilege")).at(-1), "4 / 2|mail-0000003/original|work product|with the report|not ruled on so far|none");
  const beforeTheClose = await report(changed("valid-eventful-label-court.jsonl", (lines) => [...lines.slice(0, 49), ""]));
  assert.match(await beforeTheClose.text("orders"), /Round 3: Alice did not report\./);
});

test("damage behind a broken rule takes no verdict away, and the story ends where the replay did", async () => {
  const { text, rows } = await report(changed("edge-a-conflict-that-asks-and-repeats.jsonl", (lines) => [...lines.slice(0, -1), "garbage{", ""]));
  assert.match(await text("verdict"), /REJECTED.*is damaged \(line \d+\)/);
  assert.equal((await rows("disputes")).length, 3);
});

test("each strip has the curve of the chances, which a listener hears of, and the threshold", async () => {
  const { page, text } = await report("valid-eventful-label-court.jsonl");
  const strips = await page.$$eval("#why .strip", (all) => all.map((one) => [one.getAttribute("aria-label"), ...[...one.querySelectorAll(".curve:not(.edge)")].map((path) => path.getAttribute("d"))]));
  assert.match(strips[0][0], /^Round 1: 9 documents\. .*\. Chance to be drawn: 84\.3 % to 14\.0 %$/);
  assert.match(strips[0][1], /^M0 4\.\d\dh4L4 /);
  assert.equal(strips[0][1].match(/h4/g).length, 6);
  assert.equal(strips[0][2], "M0 -5V33");
  assert.deepEqual(strips.map((strip) => strip.length), [3, 2, 1, 3]);
  assert.match(strips[1][0], /Chance to be drawn: none$/);
  assert.equal(strips[1][1], "M36 -5V33");
  assert.match(await text("why"), /the chance to be drawn, from 100 % at the top to 0 at the bottom/);
  assert.doesNotMatch(await (await report("valid-reveal-all-court.jsonl")).text("why"), /the chance to be drawn/);
});

test("a curve is seen on paper, without colours", async () => {
  const { page } = await report("valid-eventful-label-court.jsonl");
  await page.emulateMedia({ media: "print" });
  const strokes = await page.$$eval("#why .strip:first-of-type .curve", (all) => all.slice(0, 2).map((one) => getComputedStyle(one).stroke));
  assert.deepEqual(strokes, ["rgb(255, 255, 255)", "rgb(0, 0, 0)"]);
});

test("where its assumptions are broken, a simulation tells how many responsive documents its batches hide", async () => {
  const hidden = async (name) => /By the labels that it was given, (.*?) \(according to Trent/.exec(await (await report(name)).text("words"))?.[1];
  assert.equal(await hidden("valid-eventful-label-court.jsonl"), "1 of the reviewed is responsive and was not shown to Bob");
  assert.equal(await hidden("valid-not-closed-escalation-bob.jsonl.gz"), "3 of the reviewed are responsive and were not shown to Bob");
  assert.equal(await hidden("valid-escalated-bob.jsonl.gz"), undefined);
  assert.equal(await hidden("valid-eventful-label-public.jsonl"), undefined);
});

test("what Alice had not reported comes first among her errors, with the report that first labelled it", async () => {
  const { rows } = await report("valid-called-and-withheld.jsonl.gz");
  const errors = (await rows("errors")).slice(1).map((row) => row.split("|"));
  assert.deepEqual(errors.map(([place]) => place), ["2 / 15", "2 / 16", "1 / 1", "2 / 2", "2 / 10", "3 / 8", "4 / 3", "5 / 1", "5 / 2", "5 / 3"]);
  assert.equal(errors[0][4], "report 8 of round 1, disclosure 21, Bob's labels 22, ruling 24");
  const validated = await report("valid-validated-court.jsonl.gz");
  assert.match((await validated.rows("errors")).find((row) => row.startsWith("6 / 1|")), /\|report 44 of round 5, disclosure 56,/);
  assert.match((await validated.rows("disputes")).find((row) => row.startsWith("6 / 1|")), /\|not responsive, as 5 \/ 6\|/);
});

test("only a certain chance is 100 %", async () => {
  const { rows, text } = await report("valid-classifier-court.jsonl");
  assert.match((await rows("why"))[1], /\|100 %\|/);
  assert.match(await text("errors"), /\(a chance of 100 %\)/);
});

test("a check that is only asked of a simulation is not counted elsewhere, nor are those of outsiders where the copy is damaged", async () => {
  const real = await report("edge-a-caption.jsonl");
  assert.match(await real.text("verdict"), /of 29 checks passed/);
  assert.match(await real.text("checks"), /29 checks: .*; V24 is only asked of a simulation; V31/);
  assert.match(await (await report("damage-cut-short.jsonl")).text("checks"), /30 checks: 0 passed, 0 failed, 30 not checked; V31/);
});

test("a record that is not verified has no results of validations", async () => {
  assert.match(await (await report("trent-miscounts-the-hits-of-a-validation.jsonl.gz")).text("validations"), /^Validations of the whole collectionNo result, since the record is not verified\.$/);
});

test("a validation tells how many Bob left unread", async () => {
  assert.match(await (await report("valid-eventful-one-stage-bob.jsonl.gz")).text("validations"), /Left unread6 of 6 looked at, and each counts as responsive in the certificate/);
});

test("a public copy tells what Trent claims where it seals what the court kept", async () => {
  const { fact, rows, text } = await report("valid-classed-public.jsonl.gz");
  assert.match(await fact("In camera"), /^6 documents .*, according to Trent/);
  assert.match(await fact("Why the review ended"), /, according to Trent: this copy cannot check that$/);
  const [heads, , second] = await rows("rounds");
  assert.match(heads, /\|Privileged\|In camera\|Recall/);
  assert.match(second, /^2, validation\|8\|.*\|1\|1\|31\.2 %/);
  assert.match(await text("rounds"), /in camera not responsive, according to Trent/);
  assert.doesNotMatch(await (await report("valid-classed-court.jsonl.gz")).fact("Why the review ended"), /Trent/);
});

test("a public copy of a record that is not closed tells how many were reviewed", async () => {
  assert.equal(await (await report("valid-not-closed-look-public.jsonl.gz")).fact("Reviewed"), "10 of 40 documents, in 1 closed round");
});

test("parts that the court withheld are counted, and were claimed, in a public copy too", async () => {
  const { rows, text } = await report("valid-parted-public.jsonl.gz");
  assert.match(await text("privilege"), /; 8 parts of 8 documents withheld/);
  assert.match((await rows("privilege"))[1], /^1 \/ 1\|.*\|with the report\|part 2 withheld/);
});
