/** How much has passed of each check: the table "what a report counts" of the specification. */

import type { Ending } from "./outcomes.ts";

/** The checks that count entries of some kinds. */
const KINDS_COUNTED: Readonly<Record<string, readonly string[]>> = {
  V07: ["open", "agreed", "deposited"],
  V09: ["batch"],
  V15: ["labels", "dispute", "rulings"],
  V26: ["default", "order", "rekey", "rekeyed", "amend", "amended"],
  V27: ["escalation", "look"],
  V28: ["validation", "call"],
  V29: ["claims"],
  V31: ["stamped", "logged"],
};

export function countOf(id: string, { reading, replay, keys, policy }: Ending): number {
  const { chain } = reading;
  const m = replay?.m;
  const kinds = KINDS_COUNTED[id];
  if (kinds !== undefined) return kinds.reduce((sum, kind) => sum + (m?.entriesOf[kind] ?? 0), 0);
  switch (id) {
    case "V01":
      return reading.lines;
    case "V02":
    case "V05":
      return chain.size;
    case "V03":
      return reading.signatures;
    case "V04":
      return keys.filter((key) => key.trusted).length;
    case "V06":
      return reading.openings;
    case "V18":
      return m?.hasClaims === true ? m.closed.length : 0;
    case "V20": {
      const last = reading.checkpoints.at(-1);
      return last?.size === chain.size ? last.signed.length - 1 : 0;
    }
    case "V25":
      return (m?.items[id] ?? 0) + (m?.askedBack.size ?? 0);
    case "V33":
      return policy === "" ? m!.logProofs.length : 0;
    default:
      return m?.items[id] ?? 0;
  }
}
