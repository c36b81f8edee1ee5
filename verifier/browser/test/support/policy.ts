/** Logs, witnesses and notes of the tests' own, and policies about them. */
import { base64, concat, hex, unhex, utf8 } from "../../src/engine/bytes.ts";
import { keyId, parseNote, type Note } from "../../src/engine/note.ts";
import { Ring, signBytes } from "../forge/keys.ts";

const LOG = 1;
const WITNESS = 4;
const ring = new Ring("policies");

function verifierKey(name: string, type: number, of: string): string {
  const key = unhex(ring.pair(of).key)!;
  return `${name}+${hex(keyId(name, type as 1 | 4, key))}+${base64(concat(new Uint8Array([type]), key))}`;
}

/** `of` tells two keys of one name apart. */
export const logKeyOf = (name: string, of = name): string => verifierKey(name, LOG, of);
export const witnessKeyOf = (name: string): string => verifierKey(name, WITNESS, name);

function lineOf(name: string, type: number, of: string, signature: Uint8Array): string {
  return `\u2014 ${name} ${base64(concat(keyId(name, type as 1 | 4, unhex(ring.pair(of).key)!), signature))}\n`;
}

export interface Signer {
  readonly log?: string;
  readonly witness?: string;
  /** Signs another text. */
  readonly isFalse?: boolean;
}

/** A checkpoint of a log, signed by these. */
export function noteOf(log: string, ...signers: readonly Signer[]): Note {
  const text = `${log}\n5\n${base64(new Uint8Array(32))}\n`;
  const lines = signers.map((signer) => {
    const signed = signer.isFalse === true ? `${text}x` : text;
    if (signer.log !== undefined) return lineOf(signer.log, LOG, signer.log, signBytes(ring.pair(signer.log), utf8(signed)));
    const time = new Uint8Array(8);
    return lineOf(signer.witness!, WITNESS, signer.witness!, concat(time, signBytes(ring.pair(signer.witness!), utf8(`cosignature/v1\ntime 0\n${signed}`))));
  });
  return parseNote(`${text}\n${lines.join("")}`)!;
}
