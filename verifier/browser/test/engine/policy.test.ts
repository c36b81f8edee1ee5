/** A reader's policy decides who must have signed a log's note: by itself, of a copy (V33), and of an exhibit. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { gunzipSync } from "node:zlib";
import { verifyCopy } from "../../src/engine/index.ts";
import { type Policy, parsePolicy, policySatisfied } from "../../src/engine/logproof.ts";
import type { Note } from "../../src/engine/note.ts";
import { checkExhibit } from "../../src/files/exhibit.ts";
import { filesBelow } from "../support/disk.ts";
import { logKeyOf, noteOf, witnessKeyOf } from "../support/policy.ts";
import { vectorFile, vectorPath } from "./vectors.ts";

const LOG = "log.example";
const WITNESSES = ["a", "b", "c"].map((name) => `witness ${name} ${witnessKeyOf(name)}\n`).join("");
const own = { log: LOG };
const [a, b, c] = [{ witness: "a" }, { witness: "b" }, { witness: "c" }];

const satisfies = (note: Note, text: string): Promise<boolean> => {
  const policy = parsePolicy(text);
  assert.ok(!("error" in policy), "error" in policy ? policy.error : "");
  return policySatisfied(policy as Policy, note);
};

for (const [words, note, rows, expected] of [
  ["a listed log has signed, and nobody else must", noteOf(LOG, own), "quorum none", true],
  ["the witness of the quorum has signed", noteOf(LOG, own, a), "quorum a", true],
  ["the witness of the quorum has not signed", noteOf(LOG, own, b), "quorum a", false],
  ["the log itself has not signed", noteOf(LOG, a), "quorum a", false],
  ["two of three suffice, and two have signed", noteOf(LOG, own, a, c), "group g 2 a b c\nquorum g", true],
  ["two of three suffice, and one has signed", noteOf(LOG, own, b), "group g 2 a b c\nquorum g", false],
  ["any suffices", noteOf(LOG, own, b), "group g any a b c\nquorum g", true],
  ["any suffices, and none has signed", noteOf(LOG, own), "group g any a b c\nquorum g", false],
  ["all must sign, and one is missing", noteOf(LOG, own, a, b), "group g all a b c\nquorum g", false],
  ["a group counts in another group", noteOf(LOG, own, b, c), "group g any a b\ngroup h all g c\nquorum h", true],
  ["a group that is not reached does not count in another", noteOf(LOG, own, c), "group g any a b\ngroup h all g c\nquorum h", false],
  ["a witness that nobody needs has signed wrongly", noteOf(LOG, own, { ...a, isFalse: true }), "quorum none", false],
  ["the log has signed wrongly", noteOf(LOG, { ...own, isFalse: true }), "quorum none", false],
  ["a witness has signed twice", noteOf(LOG, own, a, a), "quorum a", false],
  ["the log has signed twice", noteOf(LOG, own, own), "quorum none", false],
] as const) {
  test(`a note and a policy: ${words}`, async () => {
    assert.equal(await satisfies(note, `log ${logKeyOf(LOG)}\n${WITNESSES}${rows}\n`), expected);
  });
}

test("a log that is not listed does not count, nor does one that signs another log's note", async () => {
  assert.equal(await satisfies(noteOf(LOG, own), `log ${logKeyOf("other.example")}\nquorum none\n`), false);
  assert.equal(await satisfies(noteOf(LOG, own), `log ${logKeyOf(LOG, "another key")}\nquorum none\n`), false);
  assert.equal(await satisfies(noteOf(LOG, { log: "other.example" }), `log ${logKeyOf("other.example")}\nquorum none\n`), false);
  assert.equal(await satisfies(noteOf(LOG, own, { log: "other.example" }), `log ${logKeyOf("other.example")}\nlog ${logKeyOf(LOG)}\nquorum none\n`), true);
});

const logIn = (bytes: Uint8Array): string => /"log":"([^"]+)"/.exec(new TextDecoder().decode(bytes))![1]!;
/** Policies that the notes of a matter do not satisfy. */
const wanting = (log: string): string[] => [`log ${logKeyOf(LOG)}\nquorum none\n`, `log ${log}\n${WITNESSES}quorum a\n`, "log broken\n"];

test("V33 passes where every note of a copy satisfies the policy, and there alone", async () => {
  const copy = vectorFile("transcripts/valid-witnessed-bob.jsonl.gz");
  const log = logIn(gunzipSync(copy));
  const outcome = async (policy: string): Promise<string> => (await verifyCopy([copy], { policy })).checks.find(({ id }) => id === "V33")!.outcome;
  assert.equal(await outcome(`log ${log}\nquorum none\n`), "pass");
  for (const policy of wanting(log)) assert.equal(await outcome(policy), "not checked", policy);
});

test("an exhibit says who has seen the record where every note satisfies the policy, and there alone", async () => {
  const files = filesBelow(vectorPath("exhibits/witnessed"));
  const log = logIn(await files.find(({ path }) => path === "exhibit.json")!.read());
  const told = async (policy: string | null): Promise<number[]> => {
    const { story, notChecked } = await checkExhibit(files, {}, policy);
    return [story.filter((one) => one.startsWith("Seen from outside")).length, notChecked.filter((one) => one.startsWith("who has cosigned")).length];
  };
  assert.deepEqual(await told(`log ${log}\nquorum none\n`), [2, 0]);
  for (const policy of [null, ...wanting(log)]) assert.deepEqual(await told(policy), [0, 2], String(policy));
});
