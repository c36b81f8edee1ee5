/** Keys and signatures at the edges of the rule, notes and trees that other programs made. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { hex, utf8 } from "../../src/engine/bytes.ts";
import { acceptableKey, refuseWebCrypto, tryWebCryptoAgain, useWebCrypto, verifySignature } from "../../src/engine/ed25519.ts";
import { merkleRoot, verifyConsistency, verifyInclusion } from "../../src/engine/merkle.ts";
import { isLineOf, parseCheckpoint, parseNote, parseVerifierKey, verifyLine, type VerifierKey } from "../../src/engine/note.ts";
import { bytes, vectors } from "./vectors.ts";

const { cases } = vectors("ed25519.json");

async function tryAll(): Promise<void> {
  for (const vector of cases) {
    const key = bytes(vector.public_key);
    assert.equal(acceptableKey(key) ? "valid" : "invalid", vector.key, vector.id);
    const valid = await verifySignature(key, bytes(vector.message), bytes(vector.signature));
    assert.equal(valid ? "valid" : "invalid", vector.result, vector.id);
  }
}

test("every key and signature is accepted or refused as the vectors say, with WebCrypto", async () => {
  assert.equal(await useWebCrypto(), true);
  await tryAll();
});

test("the same in exact integers, where WebCrypto is absent", async () => {
  refuseWebCrypto();
  try {
    await tryAll();
  } finally {
    tryWebCryptoAgain();
  }
});

const merkle = vectors("interop_merkle.json");

test("roots and proofs of trees are those of another program", () => {
  const at = (place: number): Uint8Array => bytes(merkle.hashes[place]);
  for (const tree of merkle.trees) {
    const leaves = Array.from({ length: tree.size }, (_, i) => utf8(`leaf ${i}`));
    const root = at(tree.root);
    assert.equal(hex(merkleRoot(leaves)), hex(root), tree.id);
    for (const [index, proof] of Object.entries(tree.inclusion as Record<string, number[]>)) {
      assert.ok(verifyInclusion(leaves[Number(index)]!, Number(index), tree.size, proof.map(at), root), tree.id);
    }
    for (const [size, proof] of Object.entries(tree.consistency as Record<string, number[]>)) {
      const before = merkleRoot(leaves.slice(0, Number(size)));
      assert.ok(verifyConsistency(Number(size), tree.size, proof.map(at), before, root), tree.id);
    }
  }
});

test("altered proofs are refused", () => {
  for (const vector of merkle.checks) {
    const proof = vector.proof.map(bytes);
    const valid =
      vector.kind === "inclusion"
        ? verifyInclusion(bytes(vector.leaf_hex), vector.index, vector.size, proof, bytes(vector.root))
        : verifyConsistency(vector.old_size, vector.new_size, proof, bytes(vector.old_root), bytes(vector.new_root));
    assert.equal(valid, vector.valid, vector.id);
  }
});

const notes = vectors("interop_notes.json");

async function openNote(text: string, keys: readonly VerifierKey[]): Promise<string> {
  const note = parseNote(text);
  if (note === null) return "malformed";
  let verified = 0;
  for (const key of keys) {
    const lines = note.lines.filter((line) => isLineOf(line, key.name, key.id));
    if (lines.length > 1) return "spoiled";
    for (const line of lines) {
      if (!(await verifyLine(key, note.text, line))) return "spoiled";
      verified++;
    }
  }
  return verified > 0 ? "opened" : "unverified";
}

test("notes of another program open as the vectors say", async () => {
  const keys = new Map<string, VerifierKey>();
  for (const { id, verifier_key } of notes.keys) {
    const key = parseVerifierKey(verifier_key);
    assert.ok(key !== null, id);
    keys.set(id, key);
  }
  for (const { id, known, note, tallystick } of notes.notes) {
    assert.equal(await openNote(note, known.map((name: string) => keys.get(name)!)), tallystick, id);
  }
});

test("a name on a note holds no white space of Unicode", () => {
  for (const code of notes.blanks_in_names) {
    assert.equal(parseNote(`x\n\n— a${String.fromCodePoint(code)}b AAAAAAA=\n`), null, `U+${code.toString(16)}`);
  }
  assert.notEqual(parseNote("x\n\n— ab AAAAAAA=\n"), null);
});

test("checkpoints state what the vectors say", () => {
  for (const vector of notes.checkpoints) {
    const checkpoint = parseCheckpoint(vector.note)!;
    const { matter, size, root, head } = checkpoint;
    assert.deepEqual([matter, Number(size), hex(root), head], [vector.matter, vector.size, vector.root, vector.head], vector.id);
  }
});
