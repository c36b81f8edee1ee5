/** The rules of `clawback`, `reclaim` and `returned`. */

import type { Entry } from "./chain.ts";
import { need, needFrom, type Matter } from "./matter.ts";
import { readReasons } from "./step-waves.ts";
import { openedValues, readClaim, sealedCount } from "./values.ts";

interface Shown {
  readonly round: number;
  readonly position: number;
}

export function clawback(_: Matter, entry: Entry): void {
  need(entry.statement.round === 0, "V05", "`round` is 0."); // 1
}

function wasShown(m: Matter, { round, position }: Shown): boolean {
  if (m.round?.number === round) return position <= m.round.size && m.round.sheet.isShown(position);
  return m.alone !== null || m.shownAt.get(round)?.[position] === 1;
}

const nameOf = ({ round, position }: Shown): string => `${round}:${position}`;

export function reclaim(m: Matter, entry: Entry): void {
  const documents = entry.statement.content["documents"] as unknown as readonly Shown[];
  const fits = documents.every((shown, i) => {
    const before = documents[i - 1];
    const follows = before === undefined || before.round < shown.round || (before.round === shown.round && before.position < shown.position);
    return follows && wasShown(m, shown) && !m.askedBack.has(nameOf(shown));
  });
  needFrom(fits, "V25", "alice", "The documents are ascending by round and position. Bob was shown each of them, and none was asked back before."); // 1
  needFrom(sealedCount(entry, "privilege") === documents.length, "V25", "alice", "It seals a basis for each document."); // 2
  const bases = new Map<number, string>();
  for (const [index, value] of openedValues(entry, "privilege")) {
    const claim = readClaim(value, { classes: null, parts: false });
    needFrom(claim !== null, "V25", "alice", "Each is a basis; no class may stand here."); // 3
    bases.set(index, claim.basis!);
  }
  documents.forEach((shown, i) => {
    m.askedBack.add(nameOf(shown));
    m.clawbacks.push({ entry: entry.body.sequence, round: shown.round, position: shown.position, basis: bases.get(i) ?? null, upheld: null, ruledIn: null });
  });
  m.pendingReclaim = documents;
}

export function returned(m: Matter, entry: Entry): void {
  const upheld = entry.statement.content["upheld"] as boolean[];
  const asked = m.pendingReclaim;
  needFrom(upheld.length === asked.length, "V25", "court", "There is a ruling for each document.", `${asked.length}`, `${upheld.length}`); // 1
  readReasons(entry, asked.length, "V25", "court"); // 2, 3
  const first = m.clawbacks.length - asked.length;
  asked.forEach((_, i) => {
    if (upheld[i]!) m.clawedBack++;
    m.clawbacks[first + i] = { ...m.clawbacks[first + i]!, upheld: upheld[i]!, ruledIn: entry.body.sequence };
  });
  m.pendingReclaim = [];
}
