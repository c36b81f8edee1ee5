/** V14: each document that is disclosed, or shown to the court alone, is one of the committed corpus. */

import { equalBytes } from "./bytes.ts";
import type { Entry } from "./chain.ts";
import { leafOf, readPath, readProof, type DocumentProof } from "./documents.ts";
import { FaultFound } from "./failures.ts";
import { need, type Matter } from "./matter.ts";
import { rootFromPath } from "./merkle.ts";
import type { Claim, Doc, Round } from "./round.ts";
import { openedValue, openedValues, sealedCount } from "./values.ts";

/** Claims for parts are judged once, by the first proof that tells how many parts there are. */
const judged = new WeakSet<Claim>();

export function followProofs(m: Matter, entry: Entry, round: Round, positions: readonly number[], kind: "camera" | "disclosure"): void {
  need(sealedCount(entry, "proofs") === positions.length, "V14", "It seals a proof for each position.");
  need(sealedCount(entry, "path") === 1, "V14", "It seals one `path`.");
  const opened = openedValues(entry, "proofs");
  const shown: { position: number; doc: Doc; proof: DocumentProof; index: number }[] = [];
  for (const [index, value] of opened) {
    const doc = round.docs[positions[index]! - 1] ?? null;
    if (doc === null || doc.number === null) continue;
    const proof = readProof(value);
    need(proof !== null, "V14", "Each proof has its shape.");
    shown.push({ position: positions[index]!, doc, proof, index });
  }
  for (const { doc, proof } of shown) {
    const first = proof.parts[0]!.open;
    if (first === null || doc.name === null) continue;
    need(first.name === doc.name, "V14", "Part 0 of each proof has the document's name as `rest.name`, unless that part is withheld.", doc.name, first.name);
  }
  const text = openedValue(entry, "path");
  if (text !== undefined) {
    const path = readPath(text);
    need(path !== null, "V14", "The path is hashes in hex, one after the other.");
    if (shown.length === positions.length) needRoot(m, shown, path);
  }
  for (const { position, proof } of shown) {
    const withheld = kind === "camera" ? [] : (round.sheet.withheldParts.get(position) ?? []);
    const fits = proof.parts.every((part, j) => (part.open === null) === withheld.includes(j));
    const rule = kind === "camera" ? "Each proof opens all parts." : "Each proof withholds the parts that the court upheld, as far as the document has them, and opens all others.";
    need(fits, "V14", rule);
  }
  for (const { position, proof } of shown) judgeParts(m, entry, round, position, proof.parts.length);
  if (text === undefined || shown.length !== positions.length) return;
  m.proofsFollowed += shown.length;
  for (const { position, doc, proof, index } of shown) {
    m.options.onDocument?.({
      kind,
      round: round.number,
      position,
      name: doc.name ?? "",
      proof: opened.get(index),
      parts: proof.parts.map(({ open }) => (open === null ? null : { content: open.content, text: open.text, name: open.name })),
    });
  }
}

function needRoot(m: Matter, shown: readonly { doc: Doc; proof: DocumentProof }[], path: readonly Uint8Array[]): void {
  const leaves = shown.map(({ doc, proof }) => [doc.number!, leafOf(doc.number!, proof)] as const).sort((a, b) => a[0] - b[0]);
  const distinct = leaves.every((leaf, i) => i === 0 || leaves[i - 1]![0] < leaf[0]);
  const root = distinct ? rootFromPath(m.documents, leaves, path) : null;
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
