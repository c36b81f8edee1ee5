/** Every hash, rule and formula gives the result that functions.json states. */
import assert from "node:assert/strict";
import { createHmac } from "node:crypto";
import { test } from "node:test";
import { bound, evidenceOf } from "../../src/engine/bound.ts";
import { hex, u64, utf8 } from "../../src/engine/bytes.ts";
import { Boundary, certify, chanceNeeded, withinLimit } from "../../src/engine/certificate.ts";
import { documentLeaf, readPath } from "../../src/engine/documents.ts";
import { chanceByHits, missingAfterTwoStages, most, shareOfDoubt } from "../../src/engine/estimate.ts";
import { coin, commitment, fingerprint, H, openingsHash, wordsHash } from "../../src/engine/hash.ts";
import { oneStage } from "../../src/engine/intervals.ts";
import { encode, type Json, type JsonObject } from "../../src/engine/json.ts";
import { rootFromPath } from "../../src/engine/merkle.ts";
import { ceilLn, cost, decimal, floorLn, threshold, type Fraction } from "../../src/engine/numbers.ts";
import { applyRule, type RuleTerms } from "../../src/engine/rules.ts";
import { bytes, vectors } from "./vectors.ts";

const file = vectors("functions.json");
const number = (text: string): Fraction => decimal(text)!;

test("tagged hashes are those of the vectors", () => {
  for (const vector of file.hashes) {
    if (vector.tag === undefined) continue;
    assert.equal(hex(H(vector.tag, ...vector.arguments.map(bytes))), vector.result, vector.comment);
  }
});

/* eslint-disable @typescript-eslint/no-explicit-any */
const json = (value: Json): Uint8Array => encode(value);
/** Columns in 4 bytes, values in 2. */
const ROW = bytes("000000010002" + "000111708000");
/** How each hash comes about that is no tagged hash of given bytes, by its comment. */
const WAYS: Readonly<Record<string, (given: any) => Uint8Array | string>> = {
  "commitment to true with this salt": (salt) => commitment(bytes(salt), utf8("true")),
  "hash of one opening": (openings) => openingsHash(json(openings)),
  "hash of openings of two fields, one with a common salt": (openings) => openingsHash(json(openings)),
  "words of a statement": (statement) => wordsHash(statement as JsonObject),
  "salt under the purpose `row`, index 9, from this secret": (secret) => createHmac("sha256", bytes(secret)).update(H("salt", utf8("row"), u64(9))).digest("hex"),
  "log salt of a part with this salt": (salt) => H("log-salt", bytes(salt)),
  "rest salt of a part with this salt": (salt) => H("rest-salt", bytes(salt)),
  "body salt of a part with this salt": (salt) => H("body-salt", bytes(salt)),
  "rest node of this `rest` with this rest salt": ([rest, salt]) => H("rest", bytes(salt), json(rest)),
  "body node of these hashes of content and text with this body salt": ([content, text, salt]) => H("body", bytes(salt), bytes(content), bytes(text)),
  "log node of this `log` with this log salt": ([log, salt]) => H("log", bytes(salt), json(log)),
  "part of these nodes": (nodes) => H("part", ...nodes.map(bytes)),
  "first half of document 5 with these two parts": (parts) => H("document", u64(5), ...parts.map(bytes)),
  "second half of a row with the entries (1, 2), (70000, 32768)": (salt) => H("row", bytes(salt), ROW),
  "leaf of these halves": (halves) => H("leaf", ...halves.map(bytes)),
  "fingerprint of this key": (key) => fingerprint(bytes(key)),
};

test("every other hash is that of the vectors, and nothing is left out", () => {
  const named = file.hashes.filter(({ tag }: { tag?: string }) => tag === undefined);
  for (const { comment, given, result, ...rest } of named) {
    assert.deepEqual(Object.keys(rest), [], comment);
    const found = WAYS[comment]?.(given);
    assert.equal(found instanceof Uint8Array ? hex(found) : found, result, comment);
  }
  assert.deepEqual(named.map(({ comment }: { comment: string }) => comment).sort(), Object.keys(WAYS).sort());
});

test("logarithms are rounded from their exact values", () => {
  for (const { numerator, denominator, bits, floor, ceil } of file.logarithms) {
    assert.equal(String(floorLn(BigInt(numerator), BigInt(denominator), bits)), floor);
    assert.equal(String(ceilLn(BigInt(numerator), BigInt(denominator), bits)), ceil);
  }
});

test("a proof leads to the leaf of its document, or is refused", () => {
  for (const { document, proof, leaf, comment } of file.proofs) {
    const found = documentLeaf(document, proof);
    assert.equal(found === null ? null : hex(found), leaf, comment);
  }
});

test("a path leads to the root of the corpus, or is refused", () => {
  for (const { size, leaves, path, root, comment } of file.paths) {
    const known = Object.entries(leaves as Record<string, string>).map(([n, leaf]) => [Number(n), bytes(leaf)] as const);
    const hashes = readPath(path);
    const found = hashes === null ? null : rootFromPath(size, known.sort((a, b) => a[0] - b[0]), hashes);
    assert.equal(found === null ? null : hex(found), root, comment);
  }
});

test("coins follow from the seed", () => {
  for (const { seed, items, coins } of file.draws) {
    assert.deepEqual(items.map((item: number) => String(coin(bytes(seed), item))), coins);
  }
});

function ruleTerms(vector: { protocol: RuleTerms["protocol"]; delta?: string; k?: number; rate?: string; penalty?: "none" | "batch" }): RuleTerms {
  return {
    protocol: vector.protocol,
    delta: vector.delta === undefined ? null : number(vector.delta),
    k: vector.k ?? null,
    rate: vector.rate === undefined ? null : threshold(number(vector.rate)),
    penalty: vector.penalty ?? null,
  };
}

const marked = (flags: Uint8Array): number[] => [...flags.keys()].filter((position) => flags[position] === 1);

test("each rule draws and compels as the vectors say", () => {
  for (const vector of file.rules) {
    const ruled = applyRule(
      ruleTerms(vector),
      vector.labels,
      vector.reported_threshold,
      (position) => BigInt(vector.coins[position - 1]),
      (position) => vector.settled[position] ?? null,
      new Set(vector.counted),
    );
    assert.deepEqual(
      {
        threshold: ruled.threshold,
        error: ruled.error,
        due: marked(ruled.due),
        drawn: marked(ruled.drawn),
        chances: Object.fromEntries([...ruled.chances].map(([position, chance]) => [position, String(chance)])),
        compelled_at: ruled.compelledAt,
      },
      {
        threshold: vector.threshold,
        error: vector.error,
        due: vector.due,
        drawn: vector.drawn,
        chances: vector.chances,
        compelled_at: vector.compelled_at,
      },
    );
  }
});

test("a round gives the evidence that the vectors list", () => {
  const texts = (chances: readonly bigint[]): string[] => chances.map(String).sort();
  for (const vector of file.evidence) {
    const terms = ruleTerms(vector);
    const settled = (position: number): boolean | null => vector.settled[position] ?? null;
    const coins = (position: number): bigint => BigInt(vector.coins[position - 1]);
    const counted = new Set<number>(vector.counted);
    const ruled = applyRule(terms, vector.labels, vector.reported_threshold, coins, settled, counted);
    const evidence = evidenceOf(terms, {
      labels: vector.labels,
      reportedThreshold: vector.reported_threshold,
      coins,
      settled,
      seen: (position) => settled(position) !== null,
      counted,
      privileged: new Set(vector.withheld),
      unread: new Set(vector.unread),
      output: (position) => settled(position) ?? vector.labels[position - 1] === true,
      ruled,
    });
    assert.equal(evidence.compelled, vector.compelled, vector.comment);
    assert.deepEqual(texts(evidence.missed), [...vector.missed].sort(), vector.comment);
    assert.deepEqual(texts(evidence.found), [...vector.found].sort(), vector.comment);
  }
});

test("the bound is that of the vectors", () => {
  for (const { protocol, doubt, rounds, at_most } of file.bounds) {
    const evidence = rounds.map((round: { compelled: boolean; missed: string[]; found: string[]; unproven: number }) => ({
      ...round,
      missed: round.missed.map(BigInt),
      found: round.found.map(BigInt),
    }));
    assert.equal(bound(protocol, number(doubt), evidence), at_most);
  }
});

test("what is sure to be drawn has no cost, and in two stages leaves nothing missing", () => {
  const TWO64 = 2n ** 64n;
  assert.throws(() => cost(TWO64), RangeError);
  const alpha = shareOfDoubt(number("0.05"), 1);
  const missing = (R: bigint, S: bigint): bigint => missingAfterTwoStages(R, S, alpha, 3, 2, 1);
  assert.equal(missing(TWO64, TWO64), 0n);
  for (const [R, S] of [[TWO64 - 1n, TWO64], [TWO64, TWO64 - 1n], [TWO64 - 1n, TWO64 - 1n]] as const) assert.equal(missing(R, S), 0n);
});

const boundaries = new Map<string, Boundary>();
function boundary(doubt: string): Boundary {
  let found = boundaries.get(doubt);
  if (found === undefined) boundaries.set(doubt, (found = new Boundary(number(doubt))));
  return found;
}

test("the boundary of spot checks is that of the vectors, also beyond 500 hits", () => {
  for (const { doubt, hits, b } of file.certificates.boundary) assert.equal(String(boundary(doubt).at(hits)), b);
});

test("thresholds and costs are those of the vectors", () => {
  for (const vector of file.certificates.costs) {
    assert.equal(String(threshold(number(vector.rate))), vector.threshold);
    assert.equal(String(cost(BigInt(vector.threshold))), vector.cost);
  }
});

test("the certificate of the reviewed, and the chance that it asks for, are those of the vectors", () => {
  for (const vector of file.certificates.reviewed) {
    const exposures = new Map(Object.entries(vector.exposures as Record<string, number>).map(([c, count]) => [BigInt(c), count]));
    const books = { found: vector.found, hits: vector.hits, credit: BigInt(vector.credit), exposures };
    const certified = certify(books, number(vector.target), boundary(vector.doubt));
    assert.equal(String(certified.budget), vector.budget);
    assert.equal(certified.atMost, vector.at_most);
    assert.equal(certified.met, vector.met);
    const chance = chanceNeeded(books, number(vector.target), boundary(vector.doubt));
    assert.equal(chance === null ? null : String(chance), vector.chance);
    if (chance === null) continue;
    const limited = withinLimit(chance, certified.withheld, BigInt(vector.allowance));
    assert.deepEqual([String(limited.chance), limited.lowered], [vector.capped, vector.lowered]);
  }
});

test("the numbers of a stratum are those of the vectors, as a point between two ends", () => {
  const { intervals } = file.certificates;
  assert.equal(intervals.length, 8);
  for (const { hits, rate, doubt, low, estimate, high, ...rest } of intervals) {
    assert.deepEqual(rest, {});
    // So large that what is known of the stratum cuts nothing off.
    const stratum = { documents: 2 ** 32, shown: hits, hits };
    const { never } = oneStage({ never: stratum, withheld: { documents: 0, shown: 0, hits: 0 }, unread: 0 }, threshold(number(rate)), number(doubt));
    assert.deepEqual(never, { point: estimate, low, high }, `${hits} hits at ${rate}`);
  }
});

test("every list of the vectors is tried, or is of what this verifier leaves to the other", () => {
  const CORPUS = ["features", "models"];
  assert.deepEqual(Object.keys(file).sort(), ["about", "bounds", "certificates", "draws", "evidence", "hashes", "logarithms", "paths", "proofs", "rules", ...CORPUS].sort());
  assert.deepEqual(Object.keys(file.certificates).sort(), ["boundary", "costs", "intervals", "most", "rates", "reviewed", "two_stages"]);
});

test("what a validation proves is what the vectors say", () => {
  const { most: ones, rates, two_stages: twos } = file.certificates;
  const alpha = (vector: { doubt: string; number: number }): Fraction => shareOfDoubt(number(vector.doubt), vector.number);
  for (const vector of ones) assert.equal(most(vector.hits, threshold(number(vector.rate)), alpha(vector)), vector.most);
  for (const vector of rates) {
    const chance = chanceByHits(vector.found, vector.hits, number(vector.target), alpha(vector), threshold(number(vector.show)));
    assert.equal(String(chance), vector.chance);
  }
  for (const vector of twos) {
    const [R, S] = [threshold(number(vector.review)), threshold(number(vector.show))];
    const missing = missingAfterTwoStages(R, S, alpha(vector), vector.reported, vector.hits, vector.withheld_hits);
    assert.equal(Number(missing), vector.missing);
  }
});
