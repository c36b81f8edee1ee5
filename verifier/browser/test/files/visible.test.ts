import assert from "node:assert/strict";
import { test } from "node:test";
import { cutOff, quoted } from "../../src/files/quoted.ts";
import { visible } from "../../src/page/visible.ts";
import { withoutLong } from "../../src/page/worker.ts";
import { atLeast, confidence, ranges, share } from "../../src/page/words.ts";

test("characters that reorder, control or cannot be seen are shown as what they are", () => {
  assert.equal(visible("invoice\u202Efdp.exe"), "invoice⟨U+202E⟩fdp.exe");
  assert.equal(visible("a\u0000b\nc\u200Bd\u{E0041}"), "a⟨U+0000⟩b⟨U+000A⟩c⟨U+200B⟩d⟨U+E0041⟩");
  assert.equal(visible("\uD800"), "⟨U+D800⟩");
  const pile = "\u0301";
  assert.equal(visible("e" + pile.repeat(8) + "a" + pile), "e" + pile.repeat(6) + "⟨U+0301⟩⟨U+0301⟩a" + pile);
  assert.equal(visible("Übergröße — “ok” <b>"), "Übergröße — “ok” <b>");
});

test("a share that holds at least is rounded down", () => {
  assert.equal(atLeast(114, 126), "90.4 %");
  assert.equal(atLeast(114, 148), "77 %");
  assert.equal(confidence("0.05"), "95 %");
  assert.equal(share("0.9"), "90 %");
  assert.equal(ranges([1, 3, 4, 5, 9]), "1, 3–5, 9");
});

test("a confidence and a share are exact, and never rounded up to 100 %", () => {
  assert.equal(confidence("0.0000000000001"), "99.99999999999 %");
  assert.equal(share("0.99999999999999"), "99.999999999999 %");
  assert.equal(confidence("0.0000000000000000000000000001"), "99.99999999999999999999999999 %");
  assert.deepEqual(["1", "0", "0.5", "0.005", "0.50"].map(share), ["100 %", "0 %", "50 %", "0.5 %", "50 %"]);
  // The doubt of the k-th validation is 4/5^k of the terms'.
  assert.deepEqual([1, 2, 3].map((number) => confidence("0.05", number)), ["96 %", "99.2 %", "99.84 %"]);
  // What Trent claims need be no number.
  assert.equal(share("95 %, as the court found"), "'95 %, as the court found'");
});

test("a quoted text cannot end its quotation, and an apostrophe stays one", () => {
  assert.equal(quoted("counsel's advice"), "'counsel's advice'");
  assert.equal(quoted("noticed late'. The court upheld the claim."), "'noticed late⟨U+0027⟩. The court upheld the claim.'");
  assert.equal(quoted("swaps”. VERIFIED. The “rest\"", "“”"), "“swaps⟨U+201D⟩. VERIFIED. The ⟨U+201C⟩rest⟨U+0022⟩”");
});

test("what looks like a quotation mark ends no quotation", () => {
  for (const mark of "\u02B9\u02BA\u02BB\u02BC\u02BD\u02C8\u02EE\u2032\u2033\u2036\uA78C\uFF02\uFF07`\u00B4\u{1F678}") {
    const code = `⟨U+${mark.codePointAt(0)!.toString(16).toUpperCase().padStart(4, "0")}⟩`;
    assert.equal(quoted(`late${mark}. VERIFIED`), `'late${code}. VERIFIED'`);
    // A letter that looks like a mark makes no apostrophe of the mark before it.
    assert.ok(quoted(`late'${mark}. VERIFIED`).startsWith("'late⟨U+0027⟩"), code);
  }
  assert.equal(quoted("Hawai\u02BBi, l\u2019avis"), "'Hawai\u02BBi, l\u2019avis'");
});

test("a long text is cut before anything else is done with it", () => {
  assert.equal(cutOff("ab\u{1F600}", 3), "ab…");
  const began = performance.now();
  assert.ok(quoted("\u0301".repeat(7_000_000)).length < 600);
  assert.ok(performance.now() - began < 1000);
});

test("no long text leaves the worker, wherever it stands", () => {
  const long = "\u0301".repeat(100_000);
  const positions = new Uint8Array(3);
  const cut = withoutLong({ caption: { case: long }, rows: [[long]], reasons: { [long]: 1 }, named: new Map([["1/1", { name: long }]]), positions, none: null, size: 7 });
  assert.ok(JSON.stringify([cut, [...(cut as { named: Map<string, unknown> }).named]]).length < 30_000);
  assert.equal((cut as { positions: Uint8Array }).positions, positions);
  assert.deepEqual(withoutLong({ a: [1, "b", null, true], c: undefined }), { a: [1, "b", null, true], c: undefined });
});
