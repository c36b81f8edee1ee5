/** The story of a copy takes no room by a number that an entry names. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { utf8 } from "../../src/engine/bytes.ts";
import { fileOfBytes } from "../../src/files/named-files.ts";
import { readStory } from "../../src/files/teller.ts";

test("a round of a size that no memory holds is told", async () => {
  const statement = { answers: null, author: "trent", content: { drawn: null, near_cut: null, size: Number.MAX_SAFE_INTEGER }, kind: "batch", matter: "", replaces: [], round: 1, sealed: {} };
  const line = { entry: { body: { asks: [], previous: "", releases: [], sequence: 0, statement } }, openings: { documents: { indices: [2], salts: "", values: [{ document: 7, name: "a" }] } } };
  const { rounds } = await readStory(fileOfBytes("copy.jsonl", utf8(`${JSON.stringify(line)}\n`)), () => undefined);
  assert.equal(rounds[0]?.size, Number.MAX_SAFE_INTEGER);
  assert.equal(rounds[0]?.names[2]?.name, "a");
});
