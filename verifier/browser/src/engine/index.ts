/** Everything that the page and the command use of the engine. */

import { CopyVerifier } from "./engine.ts";
import { pour, type Chunks } from "./source.ts";
import type { Verdict, VerifyOptions } from "./verdict.ts";

/** Verifies a copy from the chunks of its file, compressed or not. */
export async function verifyCopy(chunks: Chunks, options: VerifyOptions = {}): Promise<Verdict> {
  const verifier = new CopyVerifier(options);
  await pour(chunks, verifier);
  return verifier.finish();
}

export * from "./verdict.ts";
export * from "./bytes.ts";
export { sha256, Sha256 } from "./sha256.ts";
export { H, commitment, entryHash, fingerprint, noteHash, openingsHash, statementHash, wordsHash } from "./hash.ts";
export { depthOf, encode, isObject, parseCanonical, textOf, type Json, type JsonObject, type NotCanonical } from "./json.ts";
export { leafHash, merkleRoot, MerkleTree, nodeHash, rootFromInclusion, rootFromPath, verifyConsistency, verifyInclusion } from "./merkle.ts";
export { keyId, parseCheckpoint, parseNote, parseVerifierKey, verifyCosignature, verifyNoteLine, type Checkpoint, type Note, type NoteLine } from "./note.ts";
export { parseLogProof, parsePolicy, policySatisfied, verifyLogProof } from "./logproof.ts";
export { acceptableKey, useWebCrypto, verifySignature, verifyTagged } from "./ed25519.ts";
export { documentLeaf, leafOf, openParts, readPath, readProof, type DocumentProof } from "./documents.ts";
export { isBody, isFrame, isManifest, isStatement, openingsFault, saltsOf, type Body, type Manifest, type Openings, type Statement } from "./shapes.ts";
export { chunksOf, type Chunks } from "./source.ts";
export { compareCopies } from "./compare.ts";
export { parseTrust, readFingerprint } from "./trust.ts";
export { CopyVerifier } from "./engine.ts";
