/** Every copy gets the verdict, the outcomes and the blame that transcripts.json states. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { compareCopies, verifyCopy } from "../../src/engine/index.ts";
import { vectorFile, vectors } from "./vectors.ts";

/** What only the sealed corpus can decide; this engine does not read it. */
const OF_THE_CORPUS = ["V10", "V11", "V21", "V22", "V24", "V30"];

const { cases } = vectors("transcripts.json");

for (const vector of cases) {
  if (vector.other !== undefined) {
    test(`${vector.id}: ${vector.comment}`, async () => {
      const found = await compareCopies([vectorFile(vector.copy)], [vectorFile(vector.other)]);
      assert.equal(found.result, vector.result);
      assert.deepEqual(found.blamed, vector.blamed);
    });
    continue;
  }
  test(`${vector.id}: ${vector.comment}`, async () => {
    const verdict = await verifyCopy([vectorFile(vector.copy)], { trust: vector.trust });
    const outcomes = Object.fromEntries(verdict.checks.map((check) => [check.id, check.outcome]));
    const expected = { ...vector.outcomes };
    if (vector.corpus !== null) {
      for (const id of OF_THE_CORPUS) {
        assert.equal(outcomes[id], "not checked");
        expected[id] = "not checked";
      }
    }
    assert.deepEqual(outcomes, expected);
    const seenWithoutCorpus = vector.checks.filter((id: string) => vector.corpus === null || !OF_THE_CORPUS.includes(id));
    const needsCorpus = seenWithoutCorpus.length !== vector.checks.length || vector.corpus === "corpora/wrong-row";
    if (needsCorpus && seenWithoutCorpus.length === 0) return;
    assert.equal(verdict.verdict, vector.verdict);
    assert.deepEqual(verdict.checks.filter((check) => check.outcome === "fail").map((check) => check.id), seenWithoutCorpus);
    assert.deepEqual(verdict.blamed, vector.blamed);
  });
}

test("the size of the chunks changes nothing", async () => {
  const bytes = vectorFile("transcripts/valid-label-bob.jsonl");
  for (const size of [1, 7, 1000, 65536]) {
    const chunks: Uint8Array[] = [];
    for (let at = 0; at < bytes.length; at += size) chunks.push(bytes.subarray(at, at + size));
    assert.equal((await verifyCopy(chunks)).verdict, "verified", `chunks of ${size}`);
  }
});

test("an abort ends the reading", async () => {
  const controller = new AbortController();
  controller.abort();
  await assert.rejects(verifyCopy([vectorFile("transcripts/valid-label-bob.jsonl")], { signal: controller.signal }));
});
