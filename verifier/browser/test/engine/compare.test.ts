/** Whom two histories blame rests on whose key signed them. */
import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { test } from "node:test";
import { fileURLToPath } from "node:url";
import { type Comparison, compareCopies } from "../../src/engine/index.ts";
import { vectorFile, vectorPath } from "./vectors.ts";

const copy = (name: string): Uint8Array[] => [vectorFile(`transcripts/${name}.jsonl`)];
const compared = (other: string, ...trusted: string[]) => compareCopies(copy("valid-label-bob"), copy(other), trusted.length === 0 ? {} : { trust: { trent: trusted } });
const STRANGER = "00000 00000 00000 00000 00000 00000 00000 00000";

test("two histories blame Trent by the key that the copies name, and nobody by another key than his", async () => {
  const unchecked = await compared("two-histories-alice");
  assert.deepEqual([unchecked.blamed, unchecked.trent?.trusted], [["trent"], null]);
  assert.match(unchecked.reason, /^The key that both copies name as Trent's signed/);
  const { key } = unchecked.trent!;
  const told = await compared("two-histories-alice", key.replaceAll(" ", "-"));
  assert.deepEqual([told.blamed, told.trent], [["trent"], { key, trusted: true }]);
  assert.match(told.reason, /^Trent signed/);
  const strangers = await compared("two-histories-alice", STRANGER);
  assert.deepEqual([strangers.result, strangers.blamed, strangers.trent], ["two histories", [], { key, trusted: false }]);
  assert.match(strangers.reason, /^The key that both copies name as Trent's signed/);
  // One of several that he told.
  assert.deepEqual((await compared("two-histories-alice", STRANGER, key)).blamed, ["trent"]);
});

test("one history under another key than the one that was told decides nothing", async () => {
  const { result, blamed } = await compared("valid-label-court", STRANGER);
  assert.deepEqual([result, blamed], ["undecided", []]);
  assert.equal((await compared("valid-label-court")).result, "same history");
});

test("the command compares with fingerprints, in a batch too", () => {
  const command = fileURLToPath(new URL("../../../dist/verify.mjs", import.meta.url));
  const compare = ["valid-label-bob", "two-histories-alice"].map((name) => vectorPath(`transcripts/${name}.jsonl`));
  const input = [{ compare }, { compare, trust: { trent: [STRANGER] } }].map((request) => `${JSON.stringify(request)}\n`).join("");
  const answers = execFileSync(process.execPath, [command, "--batch"], { input, encoding: "utf8" }).trim().split("\n").map((line) => JSON.parse(line) as Comparison);
  assert.deepEqual(answers.map(({ blamed, trent }) => [blamed, trent?.trusted]), [[["trent"], null], [[], false]]);
});
