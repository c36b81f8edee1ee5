/** Every hash, rule and formula gives the result that functions.json states. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { bound, evidenceOf } from "../../src/engine/bound.ts";
import { hex, utf8 } from "../../src/engine/bytes.ts";
import { Boundary, certify, chanceNeeded, withinLimit } from "../../src/engine/certificate.ts";
import { documentLeaf, readPath } from "../../src/engine/documents.ts";
import { chanceByHits, missingAfterTwoStages, most, shareOfDoubt } from "../../src/engine/estimate.ts";
import { coin, commitment, fingerprint, H, openingsHash, wordsHash } from "../../src/engine/hash.ts";
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

test("commitments, hashes of openings, words and fingerprints are those of the vectors", () => {
  const ways: Record<string, (given: never) => Uint8Array | string> = {
    "commitment to true with this salt": (given) => commitment(bytes(given), utf8("true")),
    "hash of one opening": (given) => openingsHash(encode(given as Json)),
    "hash of openings of two fields, one with a common salt": (given) => openingsHash(encode(given as Json)),
    "words of a statement": (given) => wordsHash(given as JsonObject),
    "log salt of a part with this salt": (given) => H("log-salt", bytes(given)),
    "leaf of these halves": (given: never) => H("leaf", ...(given as string[]).map(bytes)),
    "part of these nodes": (given: never) => H("part", ...(given as string[]).map(bytes)),
    "fingerprint of this key": (given) => fingerprint(bytes(given)),
  };
  let tried = 0;
  for (const vector of file.hashes) {
    const way = ways[vector.comment];
    if (way === undefined || vector.given === undefined) continue;
    const result = way(vector.given as never);
    assert.equal(typeof result === "string" ? result : hex(result), vector.result, vector.comment);
    tried++;
  }
  assert.ok(tried >= 6, `only ${tried} vectors were tried`);
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
