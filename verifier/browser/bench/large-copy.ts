/**
 * Writes a large copy to measure speed and memory with: Alice's copy of a made-up matter under `reveal-all`.
 *
 *     npm run bench -- [rounds] [documents a round]
 *
 * The engine's own functions put it together, so it proves nothing about agreement: the vectors do that.
 */
import { createHash, generateKeyPairSync, sign, type KeyObject } from "node:crypto";
import { closeSync, createReadStream, openSync, statSync, writeSync } from "node:fs";
import { base64, concat, hex, u64, unhex, utf8 } from "../src/engine/bytes.ts";
import { leafOf, readProof } from "../src/engine/documents.ts";
import { commitment, entryHash, linkBefore, noteHash, openedLeaf, openingsHash, tagBytes } from "../src/engine/hash.ts";
import { verifyCopy } from "../src/engine/index.ts";
import { encode, type Json } from "../src/engine/json.ts";
import { leafHash, MerkleTree, nodeHash } from "../src/engine/merkle.ts";
import { checkpointText, keyId } from "../src/engine/note.ts";
import { bestRank } from "../src/engine/rules.ts";
import { ASSUMES, GUARANTEES } from "../src/engine/step-claims.ts";

const ROUNDS = Number(process.argv[2] ?? 30);
const SIZE = Number(process.argv[3] ?? 1000);
const DOCUMENTS = ROUNDS * SIZE;
const PATH = process.argv[4] ?? "build/large-copy.jsonl";
const DRAWS = 2 * ROUNDS + 2;

type Who = "alice" | "bob" | "court" | "trent";
const keys = {} as Record<Who, { secret: KeyObject; bytes: Uint8Array }>;
for (const role of ["alice", "bob", "court", "trent"] as const) {
  const { privateKey, publicKey } = generateKeyPairSync("ed25519");
  keys[role] = { secret: privateKey, bytes: new Uint8Array(publicKey.export({ type: "spki", format: "der" }).subarray(-32)) };
}
const digest = (text: string): Uint8Array => new Uint8Array(createHash("sha256").update(text).digest());
const signed = (role: Who, tag: string, bytes: Uint8Array): string => hex(new Uint8Array(sign(null, concat(tagBytes(tag), bytes), keys[role].secret)));
const matter = digest("matter");

/** The coin chains, with link 0 as the anchor. */
const chains = {} as Record<"alice" | "bob" | "trent", Uint8Array[]>;
for (const role of ["alice", "bob", "trent"] as const) {
  const chain: Uint8Array[] = new Array<Uint8Array>(DRAWS + 1);
  chain[DRAWS] = digest(`root of ${role}`);
  for (let i = DRAWS; i > 0; i--) chain[i - 1] = linkBefore(matter, role, i, chain[i]!);
  chains[role] = chain;
}

const proofs: Json[] = [];
const leaves: Uint8Array[] = [];
for (let n = 0; n < DOCUMENTS; n++) {
  const proof: Json = {
    parts: [
      {
        content: hex(digest(`content ${n}`)),
        log: { author: `author${n % 50}@example.org`, date: "2001-05-04", recipients: "somebody@example.org", type: "mail" },
        rest: { custodians: ["one"], extraction: { options: "as it is", tool: "reader 1" }, name: `mail/${n}`, paths: [`box/${n}.eml`] },
        salt: hex(digest(`salt ${n}`)),
        text: hex(digest(`text ${n}`)),
      },
    ],
    row: hex(digest(`row ${n}`)),
  };
  proofs.push(proof);
  leaves.push(leafOf(n, readProof(proof)!));
}
const levels: Uint8Array[][] = [leaves.map(leafHash)];
while (levels.at(-1)!.length > 1) {
  const below = levels.at(-1)!;
  const above: Uint8Array[] = [];
  for (let i = 0; i < below.length; i += 2) above.push(i + 1 < below.length ? nodeHash(below[i]!, below[i + 1]!) : below[i]!);
  levels.push(above);
}
const corpusRoot = levels.at(-1)![0]!;

function pathOf(numbers: readonly number[]): string {
  let known = new Set(numbers);
  let path = "";
  for (const level of levels.slice(0, -1)) {
    for (const number of [...known].sort((a, b) => a - b)) {
      const sibling = number % 2 === 0 ? number + 1 : number - 1;
      if (sibling < level.length && !known.has(sibling)) path += hex(level[sibling]!);
    }
    known = new Set([...known].map((number) => Math.floor(number / 2)));
  }
  return path;
}

const lines: Uint8Array[] = [];
const tree = new MerkleTree();
const opened = new MerkleTree();
let openings = 0;
let head = "0".repeat(64);
let sequence = 0;
let salts = 0;

interface Field {
  readonly audiences: readonly string[];
  readonly values: readonly Json[];
  readonly isOpened?: boolean;
}
interface Given {
  readonly author?: Who;
  readonly answers?: string;
  readonly asks?: readonly string[];
  readonly round?: number;
  readonly releases?: Json[];
  readonly fields?: Record<string, Field>;
  /** Completes the content once the hash of the openings is known. */
  readonly complete?: (content: Record<string, Json>, openingsHash: string) => void;
}

function append(kind: string, content: Record<string, Json>, given: Given = {}): { hash: string } {
  const author = given.author ?? "trent";
  const sealed: Record<string, Json> = {};
  const shown: Record<string, Json> = {};
  for (const [name, field] of Object.entries(given.fields ?? {})) {
    const used = field.values.map(() => digest(`salt of a value ${salts++}`));
    sealed[name] = { audiences: [...field.audiences], commitments: field.values.map((value, i) => hex(commitment(used[i]!, encode(value)))) };
    if (field.isOpened === false) continue;
    shown[name] = { indices: [...field.values.keys()], salts: used.map(hex).join(""), values: [...field.values] };
    openings += field.values.length;
  }
  const shownBytes = encode(shown);
  given.complete?.(content, hex(openingsHash(shownBytes)));
  const statement: Record<string, Json> = {
    answers: given.answers ?? null, author, content, kind, matter: hex(matter), replaces: [], round: given.round ?? 0, sealed,
  };
  const signature = author === "trent" ? null : signed(author, "statement", encode(statement));
  const body: Json = {
    asks: [...(given.asks ?? [])], matter: hex(matter), previous: head, releases: given.releases ?? [], sequence, signature, statement, time: 1600000000 + sequence,
  };
  const bytes = encode(body);
  if (Object.keys(shown).length > 0) opened.append(openedLeaf(sequence, openingsHash(shownBytes)));
  lines.push(concat(utf8('{"entry":{"body":'), bytes, utf8(`,"signature":"${signed("trent", "entry", bytes)}"},"openings":`), shownBytes, utf8("}\n")));
  head = hex(entryHash(bytes));
  tree.append(unhex(head)!);
  sequence++;
  return { hash: head };
}

const OWNERS = ["alice", "court"];
const ALL = ["alice", "bob", "court"];
const terms: Json = {
  batch: SIZE, classes: null, doubt: "0.05", draws: DRAWS, protocol: "reveal-all", query: "", rounds: ROUNDS, validation: null, witnesses: null,
};
const list = concat(...Array.from({ length: DOCUMENTS }, (_, n) => utf8(`{"documents":[${n}],"outcome":"entered","reason":"","where":"box/${n}.eml"}\n`)));
const listHash = hex(new Uint8Array(createHash("sha256").update(list).digest()));
const anchors = { alice: hex(chains.alice[0]!), bob: hex(chains.bob[0]!), trent: hex(chains.trent[0]!) };
const account: Json = {
  containers: 0, custodians: 1, duplicates: 0, entered: DOCUMENTS, exceptions: 0, families: DOCUMENTS, first: "2001-05-04", items: DOCUMENTS,
  last: "2001-05-04", list: listHash, parts: DOCUMENTS, protections: [], reasons: {}, unread: 0,
};
const opening = append(
  "open",
  {
    anchor: anchors.trent,
    caption: { case: "a made-up case", court: "a court", names: { alice: "A", bob: "B", court: "C", trent: "T" }, request: "all" },
    corpus: { account, documents: DOCUMENTS, root: hex(corpusRoot), unit: "family" },
    format: 1,
    keys: Object.fromEntries(Object.entries(keys).map(([role, key]) => [role, hex(key.bytes)])),
    method: 6,
    simulation: null,
    terms,
  },
  {
    asks: ALL,
    fields: {
      account: { audiences: OWNERS, values: [{ attachment: listHash, size: list.length }] },
      vocabulary: { audiences: ["court"], values: [hex(digest("vocabulary"))], isOpened: false },
    },
  },
);
for (let at = 0, chunk = 0; at < list.length; at += 2 ** 20, chunk++) {
  lines.push(utf8(`{"attachment":"${listHash}","chunk":${chunk},"data":"${base64(list.subarray(at, at + 2 ** 20))}"}\n`));
}
append("agreed", { anchor: anchors.alice }, { author: "alice", answers: opening.hash });
append("agreed", { anchor: anchors.bob }, { author: "bob", answers: opening.hash });
append("deposited", { anchors }, { author: "court", answers: opening.hash });

let draw = 0;
const rows: Json[] = [];
let found = 0;
for (let round = 1; round <= ROUNDS; round++) {
  const numbers = Array.from({ length: SIZE }, (_, i) => round * SIZE - 1 - i);
  let drawn: Json = null;
  if (round === 1) {
    draw++;
    const question = append("draw", { draw }, { asks: ["alice", "bob"], round });
    for (const role of ["alice", "bob"] as const) append("link", { draw, link: hex(chains[role][draw]!) }, { author: role, answers: question.hash, round });
    drawn = { draw, link: hex(chains.trent[draw]!) };
  }
  const documents = numbers.map((document) => ({ document, name: `mail/${document}` }));
  const fields: Record<string, Field> = { documents: { audiences: OWNERS, values: documents }, numbers: { audiences: OWNERS, values: [numbers] } };
  if (round > 1) fields["model"] = { audiences: ["court"], values: ["hidden"], isOpened: false };
  const batch = append("batch", { drawn, near_cut: round === 1 ? null : 0, size: SIZE }, { asks: ["alice"], round, fields });
  const batchEntry = sequence - 1;
  draw++;
  const labels = numbers.map((_, i) => i < SIZE / 5);
  const report = append("report", { draw, link: hex(chains.alice[draw]!), openings: "" }, {
    author: "alice", answers: batch.hash, asks: ["bob"], round,
    fields: { labels: { audiences: OWNERS, values: [labels] } },
    complete: (content, hash) => (content["openings"] = hash),
  });
  const reportEntry = sequence - 1;
  append("link", { draw, link: hex(chains.bob[draw]!) }, { author: "bob", answers: report.hash, round });
  const positions = Array.from({ length: SIZE }, (_, i) => i + 1);
  const wave = append("disclosure", { positions }, {
    asks: ["bob"], round,
    releases: [{ audience: "bob", entry: batchEntry, field: "documents", indices: positions.map((p) => p - 1) }],
    fields: { path: { audiences: ALL, values: [pathOf(numbers)] }, proofs: { audiences: ALL, values: numbers.map((n) => proofs[n]!) } },
  });
  append("labels", { labels }, { author: "bob", answers: wave.hash, round });
  const responsive = positions.filter((p) => labels[p - 1]);
  found += responsive.length;
  const { threshold, error } = bestRank(labels);
  append("closed", { compelled: false, draw, error, link: hex(chains.trent[draw]!), responsive, sampled: 0, threshold, truth: null }, {
    round, releases: [{ audience: "bob", entry: reportEntry, field: "labels", indices: null }],
  });
  rows.push({ compelled: false, error, near_cut: round === 1 ? null : 0, privileged: 0, round, sampled: 0, size: SIZE, sort: "batch", threshold, unread: 0 });
}
const certificate = { assumes: ASSUMES, at_most: 0, doubt: "0.05", found, reached: null, target: null };
append("claims", {
  alice_errors: 0, certificates: { collection: { ...certificate, unreviewed: 0 }, reviewed: certificate }, clawed_back: 0, compelled_rounds: 0,
  defaults: 0, disputes: 0, ended: "documents", found, guarantee: GUARANTEES["reveal-all"]!, in_camera: 0, nrd: DOCUMENTS - found, privileged: 0,
  revealed: DOCUMENTS, reviewed: DOCUMENTS, rounds: rows, truth: null, validations: [],
});

const origin = `tallystick/${hex(matter)}`;
const text = checkpointText(hex(matter), sequence, tree.root(), head);
let note = `${text}\n— ${origin} ${base64(concat(keyId(origin, 1, keys.trent.bytes), new Uint8Array(sign(null, utf8(text), keys.trent.secret))))}\n`;
for (const role of ["alice", "bob", "court"] as const) {
  const name = `${origin}/${role}`;
  const cosigned = new Uint8Array(sign(null, utf8(`cosignature/v1\ntime 1600009999\n${text}`), keys[role].secret));
  note += `— ${name} ${base64(concat(keyId(name, 4, keys[role].bytes), u64(1600009999), cosigned))}\n`;
}
const manifest = encode({
  audience: "alice", checkpoints: [hex(noteHash(note))], format: 1, head, matter: hex(matter), openings, openings_root: hex(opened.root()),
  root: hex(tree.root()), size: sequence,
});
const file = openSync(PATH, "w");
writeSync(file, utf8(`{"manifest":${Buffer.from(manifest).toString()},"signature":"${signed("trent", "manifest", manifest)}"}\n`));
for (const line of lines) writeSync(file, line);
writeSync(file, concat(encode({ checkpoint: note }), utf8("\n")));
closeSync(file);
lines.length = 0;
proofs.length = 0;

/** What is in use after everything else was collected: objects, and the bytes of arrays. */
function inUse(): number {
  // The bytes of arrays are given back while the next collection begins.
  for (let i = 0; i < 3; i++) (globalThis as { gc?: () => void }).gc?.();
  const { heapUsed, arrayBuffers } = process.memoryUsage();
  return heapUsed + arrayBuffers;
}

for (let i = 0; i < 2; i++) {
  const cpu = process.cpuUsage();
  const verdict = await verifyCopy(createReadStream(PATH, { highWaterMark: 1 << 20 }), { withoutPositions: true });
  const used = process.cpuUsage(cpu);
  const megabytes = statSync(PATH).size / 1e6;
  console.log(
    `${megabytes.toFixed(1)} MB, ${verdict.entriesRead} entries: ${verdict.verdict} in ` +
      `${((used.user + used.system) / 1e6).toFixed(2)} s of processor time`,
    verdict.findings.map((finding) => `${finding.check} ${finding.rule} ${finding.expected} ${finding.found}`), verdict.damage?.what ?? "",
  );
}

// Each round is 6 entries. The first rounds fill caches, and the last chunk can hold several.
const [from, to] = [Math.floor(ROUNDS / 3), ROUNDS - 3].map((rounds) => 6 * rounds) as [number, number];
const seen: (readonly [entries: number, bytes: number])[] = [];
await verifyCopy(createReadStream(PATH, { highWaterMark: 1 << 16 }), {
  progress: ({ entries }) => {
    if (seen.length === 0 ? entries >= from : seen.length === 1 && entries >= to) seen.push([entries, inUse()]);
  },
});
const [first, last] = seen;
if (first !== undefined && last !== undefined) {
  const documents = ((last[0] - first[0]) / 6) * SIZE;
  console.log(`${((last[1] - first[1]) / documents).toFixed(1)} bytes of memory in use for each more document, with the report's rows`);
}
