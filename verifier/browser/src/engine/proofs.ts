/** V14: each document that is disclosed, or shown to the court alone, is one of the committed corpus. */

import { equalBytes } from "./bytes.ts";
import type { Entry } from "./chain.ts";
import { leafOf, openParts, pathBytes, readProof, type DocumentProof } from "./documents.ts";
import { FaultFound } from "./failures.ts";
import { encode, locate, Unbuilt, type Located, type Values } from "./json.ts";
import { need, type Matter } from "./matter.ts";
import { leafHash, rootFromNodes } from "./merkle.ts";
import type { Claim, Round } from "./round.ts";
import { isAscending } from "./shapes.ts";
import { openedField, openedValue, sealedCount } from "./values.ts";

/** Claims for parts are judged once, by the first proof that tells how many parts there are. */
const judged = new WeakSet<Claim>();

/** What the conditions need of a proof. A wave has thousands of them, so each is read, and let go again. */
interface Followed {
  readonly index: number;
  readonly position: number;
  readonly number: number;
  readonly parts: number;
}

export function followProofs(m: Matter, entry: Entry, round: Round, positions: readonly number[], kind: "camera" | "disclosure"): void {
  need(sealedCount(entry, "proofs") === positions.length, "V14", "It seals a proof for each position.");
  need(sealedCount(entry, "path") === 1, "V14", "It seals one `path`.");
  const opened = openedField(entry, "proofs");
  const followed: Followed[] = [];
  /** The hashes of their leaves, one after the other. */
  const nodes = new Uint8Array(32 * positions.length);
  let misnamed: { readonly name: string; readonly found: string | null } | null = null;
  let fits = true;
  for (let i = 0; opened !== null && i < opened.values.length; i++) {
    const position = positions[opened.indices[i]!]!;
    const doc = round.docs[position - 1] ?? null;
    if (doc === null || doc.number === null) continue;
    const proof = proofAt(opened.values, i);
    need(proof !== null, "V14", "Each proof has its shape.");
    const first = proof.parts[0]!.open;
    if (first !== null && doc.name !== null && first.name !== doc.name) misnamed ??= { name: doc.name, found: first.name };
    fits &&= opensItsParts(round, position, proof, kind);
    nodes.set(leafHash(leafOf(doc.number, proof)), 32 * followed.length);
    followed.push({ index: i, position, number: doc.number, parts: proof.parts.length });
  }
  need(misnamed === null, "V14", "Part 0 of each proof has the document's name as `rest.name`, unless that part is withheld.", misnamed?.name, misnamed?.found);
  const isWhole = followed.length === positions.length;
  const text = openedValue(entry, "path");
  if (text !== undefined) {
    const path = pathBytes(text);
    need(path !== null, "V14", "The path is hashes in hex, one after the other.");
    if (isWhole) needRoot(m, followed, nodes, path);
  }
  const rule = kind === "camera" ? "Each proof opens all parts." : "Each proof withholds the parts that the court upheld, as far as the document has them, and opens all others.";
  need(fits, "V14", rule);
  for (const { position, parts } of followed) judgeParts(m, entry, round, position, parts);
  if (text === undefined || !isWhole) return;
  m.tally("V14", followed.length);
  const { onProven, onDocument } = m.options;
  for (const { index, position, parts } of followed) {
    onProven?.({ kind, round: round.number, position, parts });
    if (onDocument === undefined) continue;
    const proof = opened!.values.at(index)!;
    const name = round.docs[position - 1]!.name ?? "";
    const open = openParts(proof)!.map((part) => part && { content: part.content, text: part.text, name: part.name });
    onDocument({ kind, round: round.number, position, name, proof, parts: open });
  }
}

/** A proof; null if it does not have its shape. */
function proofAt(values: Values, index: number): DocumentProof | null {
  if (!(values instanceof Unbuilt)) return readProof(values.at(index)!);
  const bytes = values.bytesAt(index);
  // They were checked with their line.
  const { value, spans } = locate(bytes) as Located;
  return readProof(value, (object) => {
    const span = spans.get(object);
    return span === undefined ? encode(object) : bytes.subarray(...span);
  });
}

function opensItsParts(round: Round, position: number, proof: DocumentProof, kind: "camera" | "disclosure"): boolean {
  const withheld = kind === "camera" ? [] : (round.sheet.withheldParts.get(position) ?? []);
  return proof.parts.every((part, j) => (part.open === null) === withheld.includes(j));
}

function needRoot(m: Matter, followed: readonly Followed[], nodes: Uint8Array, path: Uint8Array): void {
  const order = followed.map((_, i) => i).sort((a, b) => followed[a]!.number - followed[b]!.number);
  const numbers = order.map((i) => followed[i]!.number);
  const sorted = new Uint8Array(nodes.length);
  order.forEach((from, to) => sorted.set(nodes.subarray(32 * from, 32 * from + 32), 32 * to));
  const root = isAscending(numbers) ? rootFromNodes(m.documents, numbers, sorted, path) : null;
  const leads = root !== null && equalBytes(root, m.corpusRoot);
  need(leads, "V14", "All proofs with the path lead from the named documents to the root of the corpus, and nothing of the path is left over.");
}

/** Alice's fault if it is one, and the replay goes on. */
function judgeParts(m: Matter, entry: Entry, round: Round, position: number, count: number): void {
  const claim = round.claim(position);
  if (claim?.parts == null || judged.has(claim)) return;
  judged.add(claim);
  if (claim.parts.length < count && claim.parts.every((part) => part < count)) return;
  const rule = "Each claim for parts names parts that the document has, and not all of them.";
  m.note(new FaultFound("V25", "alice", rule, `parts 0 to ${count - 1}`, `parts ${claim.parts.join(", ")}`), entry);
}
