/** What the certificates rest on is said in the words of docs/reading-a-verdict.md, whatever orders gave links. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { verifyCopy } from "../../src/engine/index.ts";
import { restsOn } from "../../src/page/sentences.ts";
import { vectorFile } from "../engine/vectors.ts";

const RESTS_ON =
  "What this rests on: Bob recognises every responsive document that he is shown, and the court rules rightly, on privilege too. " +
  "Before Alice reported in a round, the court disclosed none of the secrets that make its coins, so she could not know them.";

for (const [copy, orders] of [
  ["valid-label-bob.jsonl", "no order gives a link"],
  ["valid-eventful-label-bob.jsonl", "orders give links before a report and after one"],
  ["valid-eventful-one-stage-bob.jsonl.gz", "an order gives a link after a second look"],
] as const) {
  test(`what the certificates rest on, where ${orders}`, async () => {
    assert.equal(restsOn(await verifyCopy([vectorFile(`transcripts/${copy}`)])), RESTS_ON);
  });
}
