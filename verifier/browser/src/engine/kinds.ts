/** The kinds of entry: who may make each, whom it asks for what, and what it seals for whom. */

import type { Audience, Party, Role } from "./verdict.ts";

export interface SealRule {
  readonly audiences: readonly Audience[];
  /** False for a field that is sealed only where a rule asks for it. */
  readonly always: boolean;
}

export interface Kind {
  readonly authors: readonly Role[];
  /** For each role that it asks the kind of its answer. */
  readonly asks: Readonly<Partial<Record<Party, string>>>;
  readonly seals: Readonly<Record<string, SealRule>>;
  readonly releases: boolean;
}

const OWNERS: readonly Audience[] = ["alice", "court"];
const ALL: readonly Audience[] = ["alice", "bob", "court"];
const always = (audiences: readonly Audience[]): SealRule => ({ audiences, always: true });
const sometimes = (audiences: readonly Audience[]): SealRule => ({ audiences, always: false });

function kind(authors: readonly Role[], asks: Kind["asks"] = {}, seals: Kind["seals"] = {}, releases = false): Kind {
  return { authors, asks, seals, releases };
}

const TRENT: readonly Role[] = ["trent"];
const ALICE: readonly Role[] = ["alice"];
const BOB: readonly Role[] = ["bob"];
const COURT: readonly Role[] = ["court"];
const SIDES: readonly Role[] = ["alice", "bob"];
const REASONS_FOR_OWNERS = { reasons: sometimes(OWNERS) };
const REASONS_FOR_ALL = { reasons: sometimes(ALL) };

export const KINDS: ReadonlyMap<string, Kind> = new Map<string, Kind>([
  [
    "open",
    kind(TRENT, { alice: "agreed", bob: "agreed", court: "deposited" }, { account: always(OWNERS), vocabulary: always(["court"]) }),
  ],
  ["agreed", kind(SIDES, {}, { candidates: sometimes(["alice"]) })],
  ["deposited", kind(COURT)],
  ["draw", kind(TRENT, { alice: "link", bob: "link" })],
  ["link", kind(SIDES)],
  [
    "batch",
    kind(TRENT, { alice: "report" }, { documents: always(OWNERS), model: sometimes(["court"]), numbers: always(OWNERS) }),
  ],
  ["escalation", kind(TRENT, { alice: "look" })],
  ["look", kind(ALICE, { bob: "link" })],
  ["validation", kind(TRENT, { alice: "claim" }, { documents: sometimes(OWNERS) }, true)],
  ["call", kind(TRENT, { alice: "report" }, { documents: sometimes(OWNERS) }, true)],
  [
    "report",
    kind(
      ALICE,
      { bob: "link" },
      { labels: sometimes(OWNERS), privilege: sometimes(OWNERS), threshold: sometimes(OWNERS) },
    ),
  ],
  ["camera", kind(TRENT, { court: "privilege" }, { path: always(OWNERS), proofs: always(OWNERS) }, true)],
  ["privilege", kind(COURT, {}, REASONS_FOR_OWNERS)],
  ["late", kind(TRENT, { alice: "claim" })],
  ["claim", kind(ALICE, {}, { privilege: sometimes(OWNERS) })],
  ["clawback", kind(TRENT, { alice: "reclaim" })],
  ["reclaim", kind(ALICE, { court: "returned" }, { privilege: sometimes(ALL) })],
  ["returned", kind(COURT, {}, REASONS_FOR_OWNERS)],
  ["disclosure", kind(TRENT, { bob: "labels" }, { path: always(ALL), proofs: always(ALL) }, true)],
  ["labels", kind(BOB, {}, REASONS_FOR_ALL)],
  ["dispute", kind(TRENT, { court: "rulings" })],
  ["rulings", kind(COURT, {}, REASONS_FOR_ALL)],
  ["closed", kind(TRENT, {}, {}, true)],
  ["default", kind(TRENT, { court: "order" })],
  ["order", kind(COURT)],
  ["rekey", kind(TRENT, { court: "rekeyed" })],
  ["rekeyed", kind(COURT)],
  ["again", kind(TRENT)],
  ["amend", kind(TRENT, { alice: "amended", bob: "amended", court: "amended" })],
  ["amended", kind(["alice", "bob", "court"])],
  ["conflict", kind(TRENT, {}, { evidence: always(ALL) })],
  ["stamped", kind(TRENT)],
  ["logged", kind(TRENT)],
  ["claims", kind(TRENT)],
]);
