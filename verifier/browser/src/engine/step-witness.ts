/** The rules of `stamped` and `logged`: what was seen from outside before a round. */

import { hex, utf8 } from "./bytes.ts";
import type { Entry } from "./chain.ts";
import { parseLogProof, verifyLogProof } from "./logproof.ts";
import { need, type Matter } from "./matter.ts";
import { checkpointText } from "./note.ts";
import { logKey } from "./terms.ts";

function needBetweenRounds(m: Matter, entry: Entry): void {
  need(entry.statement.round === 0, "V05", "`round` is 0."); // 1
  need(m.round === null && m.drawFor === null, "V05", "No round is open, and no draw is under way."); // 2
  const root = hex(entry.rootBefore());
  need(entry.statement.content["root"] === root, "V31", "`root` is the root over the hashes of all entries before this one.", root, String(entry.statement.content["root"])); // 3
}

export function stamped(m: Matter, entry: Entry): void {
  needBetweenRounds(m, entry);
  m.stampedSince = true;
  const { root, token } = entry.statement.content as { root: string; token: string };
  m.stamps.push({ entry: entry.body.sequence, size: entry.body.sequence, root, token, present: false });
}

export async function logged(m: Matter, entry: Entry): Promise<void> {
  needBetweenRounds(m, entry);
  const log = m.terms.witnesses?.log ?? null;
  need(log !== null, "V31", "`witnesses.log` of the terms is not null."); // 4
  const text = checkpointText(entry.body.matter, entry.body.sequence, entry.rootBefore(), entry.headBefore);
  const proof = parseLogProof(entry.statement.content["proof"] as string);
  const holds = proof !== null && (await verifyLogProof(proof, logKey(log)!, utf8(`${text}state open\n`)));
  need(holds, "V31", "`proof` is a proof that the log in the terms has the leaf of all entries before this one."); // 5
  m.loggedSince = true;
  m.logNotes.push(proof.note);
  m.logProofs.push({
    entry: entry.body.sequence,
    size: entry.body.sequence,
    log: proof.log,
    index: String(proof.index),
    treeSize: String(proof.size),
    signers: proof.note.lines.map((line) => line.name),
  });
}
