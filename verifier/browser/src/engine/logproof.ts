/** Proofs of the operator's log (C2SP tlog-proof), and policies on who must have witnessed it (C2SP tlog-policy). */

import { equalBytes, fromUtf8, hex, isWellFormed, unbase64, utf8 } from "./bytes.ts";
import { rootFromInclusion } from "./merkle.ts";
import { CONTROL, isLineOf, parseNote, parseSize, parseVerifierKey, verifyLine, type Note, type VerifierKey } from "./note.ts";
import { quoted } from "./quoted.ts";

export interface LogProof {
  readonly index: bigint;
  readonly hashes: readonly Uint8Array[];
  readonly note: Note;
  readonly log: string;
  readonly size: bigint;
  readonly root: Uint8Array;
}

const MAX_PROOF = 2 ** 20;

export function parseLogProof(text: string): LogProof | null {
  if (CONTROL.test(text) || !isWellFormed(text) || utf8(text).length > MAX_PROOF) return null;
  const split = text.indexOf("\n\n");
  if (split < 0) return null;
  const rows = text.slice(0, split).split("\n");
  if (rows.shift() !== "c2sp.org/tlog-proof@v1") return null;
  if (rows[0]?.startsWith("extra ") && unbase64(rows.shift()!.slice(6)) === null) return null;
  const indexRow = rows.shift();
  if (indexRow === undefined || !indexRow.startsWith("index ")) return null;
  const index = parseSize(indexRow.slice(6));
  if (index === null || rows.length > 63) return null;
  const hashes: Uint8Array[] = [];
  for (const row of rows) {
    const hash = unbase64(row);
    if (hash === null || hash.length !== 32) return null;
    hashes.push(hash);
  }
  const note = parseNote(text.slice(split + 2));
  if (note === null) return null;
  const lines = note.text.slice(0, -1).split("\n");
  const [log, sizeText, rootText] = lines;
  if (log === undefined || sizeText === undefined || rootText === undefined || lines.some((line) => line === "")) return null;
  const size = parseSize(sizeText);
  const root = unbase64(rootText);
  if (size === null || root === null || root.length !== 32) return null;
  return { index, hashes, note, log, size, root };
}

/** Whether the proof shows that the log of this key (of type 1) has the leaf. */
export async function verifyLogProof(proof: LogProof, key: VerifierKey, leaf: Uint8Array): Promise<boolean> {
  if (key.type !== 1 || key.name !== proof.log) return false;
  const lines = proof.note.lines.filter((line) => isLineOf(line, key.name, key.id));
  if (lines.length !== 1 || !(await verifyLine(key, proof.note.text, lines[0]!))) return false;
  const root = rootFromInclusion(leaf, proof.index, proof.size, proof.hashes);
  return root !== null && equalBytes(root, proof.root);
}

interface Group {
  readonly least: number;
  readonly members: readonly string[];
}
export interface Policy {
  readonly logs: readonly VerifierKey[];
  readonly witnesses: ReadonlyMap<string, VerifierKey>;
  readonly groups: ReadonlyMap<string, Group>;
  readonly quorum: string;
}

/** A policy, or the reason why the text, or the file, is none. */
export function parsePolicy(given: string | Uint8Array): Policy | { readonly error: string } {
  const text = typeof given === "string" ? given : fromUtf8(given);
  if (text === null) return { error: "the policy is no text in UTF-8" };
  const refuse = (line: number, what: string): { error: string } => ({ error: `line ${line} of the policy: ${what}` });
  // eslint-disable-next-line no-control-regex
  if (utf8(text).length > MAX_PROOF || /[\x00-\x08\x0b-\x1f\x7f]/.test(text) || !isWellFormed(text)) {
    return { error: "the policy is too long, or holds a control character" };
  }
  if (text !== "" && !text.endsWith("\n")) return { error: "the policy's last line has no newline" };
  const logs: VerifierKey[] = [];
  const witnesses = new Map<string, VerifierKey>();
  const groups = new Map<string, Group>();
  const inGroup = new Set<string>();
  const listed = new Set<string>();
  let quorum: string | null = null;
  const rows = text.split("\n");
  for (let i = 0; i < rows.length - 1; i++) {
    const row = rows[i]!;
    if (row.startsWith("#")) continue;
    const words = row.split(/[ \t]+/).filter((word) => word !== "");
    const [kind, name, third] = words;
    if (kind === undefined) continue;
    const isNew = (): boolean => name !== undefined && name !== "none" && !witnesses.has(name) && !groups.has(name);
    if (kind === "log" && (words.length === 2 || words.length === 3)) {
      const key = parseVerifierKey(name!);
      if (key === null || key.type !== 1) return refuse(i + 1, "this is no key of a log");
      if (listed.has(`log ${hex(key.key)}`)) return refuse(i + 1, "this log is listed twice");
      listed.add(`log ${hex(key.key)}`);
      logs.push(key);
    } else if (kind === "witness" && (words.length === 3 || words.length === 4)) {
      const key = parseVerifierKey(third!);
      if (key === null || key.type !== 4) return refuse(i + 1, "this is no key of a witness");
      if (!isNew() || listed.has(`witness ${hex(key.key)}`)) return refuse(i + 1, "this witness is listed twice");
      listed.add(`witness ${hex(key.key)}`);
      witnesses.set(name!, key);
    } else if (kind === "group" && words.length >= 4) {
      const members = words.slice(3);
      if (!isNew()) return refuse(i + 1, "this name is taken");
      for (const member of members) {
        if (!witnesses.has(member) && !groups.has(member)) return refuse(i + 1, `${quoted(member)} is not defined before`);
        if (inGroup.has(member)) return refuse(i + 1, `${quoted(member)} is in two groups`);
        inGroup.add(member);
      }
      const least = third === "any" ? 1 : third === "all" ? members.length : /^[1-9][0-9]{0,3}$/.test(third!) ? Number(third) : 0;
      if (least < 1 || least > members.length) return refuse(i + 1, "the number of members is wrong");
      groups.set(name!, { least, members });
    } else if (kind === "quorum" && words.length === 2) {
      if (quorum !== null) return refuse(i + 1, "there are two quorums");
      if (name !== "none" && !witnesses.has(name!) && !groups.has(name!)) return refuse(i + 1, `${quoted(name!)} is not defined before`);
      quorum = name!;
    } else return refuse(i + 1, "this line is of no known form");
    if (logs.length + witnesses.size + groups.size > 1024) return refuse(i + 1, "there are too many lines");
  }
  return quorum === null ? { error: "the policy has no quorum" } : { logs, witnesses, groups, quorum };
}

/** Whether a note satisfies a policy. */
export async function policySatisfied(policy: Policy, note: Note): Promise<boolean> {
  const log = note.text.split("\n")[0]!;
  const signed = new Set<string>();
  let logged = false;
  for (const key of policy.logs) {
    const lines = note.lines.filter((line) => isLineOf(line, key.name, key.id));
    if (lines.length > 1 || (lines.length === 1 && !(await verifyLine(key, note.text, lines[0]!)))) return false;
    if (lines.length === 1 && key.name === log) logged = true;
  }
  for (const [name, key] of policy.witnesses) {
    const lines = note.lines.filter((line) => isLineOf(line, key.name, key.id));
    if (lines.length > 1 || (lines.length === 1 && !(await verifyLine(key, note.text, lines[0]!)))) return false;
    if (lines.length === 1) signed.add(name);
  }
  const reached = (name: string): boolean => {
    const group = policy.groups.get(name);
    if (group === undefined) return signed.has(name);
    return group.members.filter(reached).length >= group.least;
  };
  return logged && (policy.quorum === "none" || reached(policy.quorum));
}
