/** Rules that the vectors break in no copy: each is broken here by the forger, above valid signatures of its own. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { base64, fromUtf8, hex, unbase64, utf8 } from "../../src/engine/bytes.ts";
import { Boundary, chanceNeeded } from "../../src/engine/certificate.ts";
import { verifyCopy, type Verdict } from "../../src/engine/index.ts";
import { Matter as Replayed } from "../../src/engine/matter.ts";
import { cost, TWO64 } from "../../src/engine/numbers.ts";
import { sha256 } from "../../src/engine/sha256.ts";
import type { Terms } from "../../src/engine/verdict.ts";
import { type Entry, type Matter, renew } from "../forge/matter.ts";
import { Random } from "../forge/random.ts";
import { matterOf } from "../forge/sources.ts";
import { contentOf, ofKind, openedIn, remove, seal, statementOf } from "../forge/tools.ts";
import { vectorFile } from "./vectors.ts";

/** A copy of the vectors with some change: what is found, as check, party and entry; or the damage. */
async function judged(name: string, change: (matter: Matter, entry: (number: number) => Entry) => void): Promise<Verdict> {
  const matter = matterOf(`transcripts/${name}`)!;
  change(matter, (number) => matter.entries.find((one) => one.number === number)!);
  return verifyCopy([renew(matter, name)]);
}
const found = ({ findings }: Verdict): unknown => findings.map(({ check, blamed, entry }) => [check, blamed, entry]);

const ACCOUNTED = "valid-label-court.jsonl";

/** The model of a batch refers to the list of the account. */
function referAgain(more: number) {
  return (_: Matter, entry: (number: number) => Entry): void => {
    const { attachment, size } = openedIn(entry(0), "account")[0]!.value as { attachment: string; size: number };
    const batch = entry(15);
    openedIn(batch, "model")[0]!.value = { attachment, size: size + more };
    batch.tail = batch.tail.filter((one) => one.kind !== "line" || !("chunk" in one.value));
  };
}

test("two references to one attachment state one size", async () => {
  assert.equal((await judged(ACCOUNTED, referAgain(0))).verdict, "verified");
  const verdict = await judged(ACCOUNTED, referAgain(1));
  assert.deepEqual(found(verdict), [["V06", "trent", null]]);
  assert.match(verdict.findings[0]!.found!, /two sizes/);
});

test("each piece of an attachment but the last is whole", async () => {
  const lines = fromUtf8(vectorFile(`transcripts/${ACCOUNTED}`))!.trimEnd().split("\n");
  const at = lines.findIndex((line) => line.startsWith('{"attachment"'));
  const { attachment, data } = JSON.parse(lines[at]!) as { attachment: string; data: string };
  const bytes = unbase64(data)!;
  const pieces = (...ends: readonly number[]): string[] => ends.map((end, chunk) => JSON.stringify({ attachment, chunk, data: base64(bytes.subarray(ends[chunk - 1] ?? 0, end)) }));
  const verdictOf = (...ends: readonly number[]): Promise<Verdict> => verifyCopy([utf8([...lines.slice(0, at), ...pieces(...ends), ...lines.slice(at + 1), ""].join("\n"))]);
  assert.equal((await verdictOf(bytes.length)).verdict, "verified");
  for (const ends of [[bytes.length - 1, bytes.length], [0, bytes.length], [1]]) {
    const { verdict, damage } = await verdictOf(...ends);
    assert.deepEqual([verdict, damage?.line, damage?.what], ["undecided", at + 1, "this is not the piece that is due"]);
  }
});

test("a token has 1 to 2^16 bytes", async () => {
  const token = (length: number) => (matter: Matter): void => {
    const bytes = new Uint8Array(length).fill(1);
    const stamped = ofKind(matter, "stamped")[0]!;
    contentOf(stamped)["token"] = hex(sha256(bytes));
    stamped.tail = stamped.tail.map((one) => (one.kind === "line" && "token" in one.value ? { kind: "line", value: { token: base64(bytes) } } : one));
  };
  for (const length of [1, 2 ** 16]) assert.equal((await judged("valid-witnessed-bob.jsonl.gz", token(length))).verdict, "verified");
  for (const length of [0, 2 ** 16 + 1]) {
    const { verdict, damage } = await judged("valid-witnessed-bob.jsonl.gz", token(length));
    assert.deepEqual([verdict, damage?.what], ["undecided", "the token does not have its shape"]);
  }
});

test("of two answers either may name the other in `replaces`, and one of them must", async () => {
  const replaces = (recorded: boolean, other: boolean) => (_: Matter, entry: (number: number) => Entry): void => {
    const evidence = openedIn(entry(12), "evidence")[0]!.value as { statement: { replaces: string[] } };
    evidence.statement.replaces = other ? [entry(11).statementId] : [];
    statementOf(entry(11)).replaces = recorded ? [entry(12).evidence!.id] : [];
  };
  const verdictOf = (recorded: boolean, other: boolean): Promise<Verdict> => judged("valid-withdrawn-answer-bob.jsonl", replaces(recorded, other));
  assert.equal((await verdictOf(true, false)).verdict, "verified");
  assert.equal((await verdictOf(false, true)).verdict, "verified");
  assert.deepEqual(found(await verdictOf(false, false)), [["V19", "bob", 12]]);
});

test("after the claims, what was served is the claims or a later entry", async () => {
  const served = (number: number) => (_: Matter, entry: (number: number) => Entry): void => {
    for (const one of [entry(24), entry(25)]) contentOf(one)["served"] = entry(number).id;
  };
  assert.equal((await judged("valid-ended-without-bob-public.jsonl", served(23))).verdict, "verified");
  for (const number of [22, 0]) assert.deepEqual(found(await judged("valid-ended-without-bob-public.jsonl", served(number))), [["V26", "trent", 24]]);
});

/** A matter between two rounds, under terms with a validation. */
function between(terms: { review: string | null; window: number; draws: number }, brought: readonly number[]): Replayed {
  const m = new Replayed("court", {});
  const { review, window, draws } = terms;
  m.terms = { protocol: "label", draws, validation: { every: 1, hits: null, review, show: "0.5", target: "0.8", viewer: "bob", window, yield: "0.5" } } as unknown as Terms;
  m.numbers = { validation: { yield: { num: 1n, den: 2n } } } as unknown as Replayed["numbers"];
  m.documents = 100;
  m.T = 9;
  m.batchesBegun = m.batchesClosed = brought.length;
  m.putUp = 10 * brought.length;
  m.foundByBatch = [...brought];
  m.found = brought.reduce((sum, one) => sum + one, 0);
  return m;
}

test("the first validation by a yield waits for as many batches as its window has, though these brought nothing", () => {
  const isDue = (brought: readonly number[]): boolean => between({ review: null, window: 2, draws: 100 }, brought).isValidationDue;
  assert.deepEqual([[0], [0, 0], [4, 2], [6, 2, 1], [0, 0, 0]].map(isDue), [false, true, false, true, true]);
});

test("a validation in two stages is due only while two draws are free, and one in one stage while one is", () => {
  const isDue = (review: string | null, free: number): boolean => {
    // Two draws for each batch to come.
    const m = between({ review, window: 1, draws: 2 * (9 - 2) + free }, [0, 0]);
    assert.equal(m.freeDraws, free);
    return m.isValidationDue;
  };
  assert.deepEqual([0, 1, 2].map((free) => isDue("0.5", free)), [false, false, true]);
  assert.deepEqual([0, 1, 2].map((free) => isDue(null, free)), [false, true, true]);
});

test("an escalation adds at least 2^64 / 200 to each exposure, rounded down", () => {
  // One more than is allowed already fills the budget but for one unit.
  const boundary = new Boundary({ num: 1n, den: 20n });
  const budget = boundary.at(0) << 32n;
  const books = { found: 9, hits: 0, credit: 0n, exposures: new Map([[(budget - 1n) / 2n, 50]]) };
  const chance = chanceNeeded(books, { num: 9n, den: 10n }, boundary)!;
  const least = TWO64 / 200n;
  assert.ok(cost(chance) >= least && cost(chance - 1n) < least, `${chance}`);
});

// The specification calls both a claimed position that is not ruled on; the two verifiers agree on what follows.
test("a position of a class that Alice labels true needs no ruling in a wave that is wrong", async () => {
  const verdict = await judged("valid-classed-court.jsonl.gz", (matter, entry) => {
    const privilege = Array.from({ length: 10 }, (_, i) => (i === 7 ? { class: "medical" } : null));
    seal({ matter, random: new Random("a class") }, entry(8), "privilege", ["alice", "court"], privilege);
    for (const number of [10, 11]) remove(matter, entry(number));
    contentOf(entry(13))["labels"] = [false, false, true, true, true];
    contentOf(entry(16))["responsive"] = [8, 9, 10];
  });
  assert.deepEqual(found(verdict), [["V13", "trent", 14]]);
});

test("where the court looks first, a position that nobody claims needs its answer too", async () => {
  const verdict = await judged("valid-viewed-court.jsonl.gz", (matter, entry) => {
    for (const number of [32, 33]) remove(matter, entry(number));
    contentOf(entry(35))["labels"] = [false, false, false];
    contentOf(entry(36))["responsive"] = [];
  });
  assert.deepEqual(found(verdict), [["V25", "trent", 34]]);
});
