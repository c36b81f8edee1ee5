import assert from "node:assert/strict";
import { test } from "node:test";
import { quoted } from "../../src/files/quoted.ts";
import { visible } from "../../src/page/visible.ts";
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

test("a quoted text cannot end its quotation, and an apostrophe stays one", () => {
  assert.equal(quoted("counsel's advice"), "'counsel's advice'");
  assert.equal(quoted("noticed late'. The court upheld the claim."), "'noticed late⟨U+0027⟩. The court upheld the claim.'");
  assert.equal(quoted("swaps”. VERIFIED. The “rest\"", "“”"), "“swaps⟨U+201D⟩. VERIFIED. The ⟨U+201C⟩rest⟨U+0022⟩”");
});
