/** Checkpoints, as a copy is read: each size once, found without a look at every checkpoint before. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { fromUtf8, utf8 } from "../../src/engine/bytes.ts";
import { DamageFound } from "../../src/engine/failures.ts";
import { Reading } from "../../src/engine/reading.ts";
import { vectorFile } from "./vectors.ts";

const LINES = fromUtf8(vectorFile("transcripts/edge-two-checkpoints.jsonl"))!.trimEnd().split("\n");
const isCheckpoint = (line: string): boolean => line.startsWith('{"checkpoint"');

/** Reads the lines, and counts how often a checkpoint that was read before is looked at. */
async function looksOf(lines: readonly string[]): Promise<number> {
  const reading = new Reading({ entry: async () => undefined, token: () => undefined });
  let looks = 0;
  const watched = new Proxy(reading.checkpoints, {
    get(kept, key, self) {
      if (/^\d+$/.test(String(key))) looks++;
      return Reflect.get(kept, key, self) as unknown;
    },
  });
  Object.defineProperty(reading, "checkpoints", { value: watched });
  for (const line of lines) await reading.line(utf8(line));
  assert.equal(watched.length, lines.filter(isCheckpoint).length);
  return looks;
}

test("a checkpoint is read without a look at those before it", async () => {
  assert.equal(LINES.filter(isCheckpoint).length, 2);
  assert.equal(await looksOf(LINES), 0);
});

test("a second checkpoint of a size is damage, also where another stands between", async () => {
  const [first, second] = LINES.filter(isCheckpoint) as [string, string];
  const isSecond = (error: unknown): boolean => error instanceof DamageFound && error.what === "this is the second checkpoint of its size";
  for (const again of [first, second]) await assert.rejects(looksOf([...LINES, again]), isSecond);
});
