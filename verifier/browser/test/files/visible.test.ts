import assert from "node:assert/strict";
import { test } from "node:test";
import { responsiveAmong } from "../../src/page/interval.ts";
import { visible } from "../../src/page/visible.ts";
import { atLeast, confidence, ranges, share } from "../../src/page/words.ts";
import { fileOfBytes } from "../../src/files/named-files.ts";
import { recognise } from "../../src/files/recognise.ts";

test("characters that reorder, control or cannot be seen are shown as what they are", () => {
  assert.equal(visible("invoice\u202Efdp.exe"), "invoice⟨U+202E⟩fdp.exe");
  assert.equal(visible("a\u0000b\nc\u200Bd\u{E0041}"), "a⟨U+0000⟩b⟨U+000A⟩c⟨U+200B⟩d⟨U+E0041⟩");
  assert.equal(visible("\uD800"), "⟨U+D800⟩");
  assert.equal(visible("Übergröße — “ok” <b>"), "Übergröße — “ok” <b>");
});

test("a share that holds at least is rounded down", () => {
  assert.equal(atLeast(114, 126), "90.4 %");
  assert.equal(atLeast(114, 148), "77 %");
  assert.equal(confidence("0.05"), "95 %");
  assert.equal(share("0.9"), "90 %");
  assert.equal(ranges([1, 3, 4, 5, 9]), "1, 3–5, 9");
});

test("the estimates of a validation are those of the Python verifier", () => {
  assert.deepEqual(responsiveAmong(366, 77, 0, 0.2, 0.05), { point: 0, low: 0, high: 16 });
  assert.deepEqual(responsiveAmong(1020, 209, 3, 0.2, 0.05), { point: 15, low: 4, high: 40 });
});

test("what was opened is told by what is inside", async () => {
  const file = (path: string, text: string) => fileOfBytes(path, new TextEncoder().encode(text));
  const found = await recognise([
    file("a.txt", "alice 71931 93712 79461 86738 00949 48402 34418 57555\n"),
    file("copy", '{"manifest":{}}\n'),
    file("log.jsonl", '{"format":1,"matter":"00","numbers":[],"path":""}\n'),
    file("E/exhibit.json", "{}"),
    file("E/document/text.txt", "x"),
    file("VOL001/MANIFEST.json", "{}"),
    file("VOL001/DATA/VOL001.dat", ""),
    file("received/q/question.json", "{}"),
    file("picture.png", "nothing"),
  ]);
  assert.deepEqual(found.trust.map((one) => one.path), ["a.txt"]);
  assert.deepEqual(found.copies.map((one) => one.path), ["copy"]);
  assert.deepEqual(found.proofs.map((one) => one.path), ["log.jsonl"]);
  assert.deepEqual(found.exhibits.map((one) => one.files.length), [2]);
  assert.equal(found.volumes.length, 2);
  assert.deepEqual(found.handed.map((one) => one.path), ["received/q/question.json"]);
  assert.deepEqual(found.unknown.map((one) => one.path), ["picture.png"]);
});
