/** How the reading of a copy or its replay can end. Only the engine's top level catches these. */

import type { Role } from "./verdict.ts";

/** The file is not what somebody signed. Nobody is blamed. */
export class DamageFound extends Error {
  constructor(
    readonly what: string,
    readonly line: number | null = null,
  ) {
    super(what);
  }
}

/** Ends the reading. */
export function damaged(what: string, line: number | null = null): never {
  throw new DamageFound(what, line);
}

/** Another verifier may know this version. Nobody is blamed. */
export class UnknownVersion extends Error {
  constructor(readonly what: string) {
    super(what);
  }
}

/** A rule is broken above the valid signature of the party that is blamed. */
export class FaultFound extends Error {
  constructor(
    readonly check: string,
    readonly blamed: Role,
    readonly rule: string,
    readonly expected: string | null = null,
    readonly found: string | null = null,
    /** False for a finding about a checkpoint or the manifest. */
    readonly atEntry: boolean = true,
  ) {
    super(rule);
  }
}

/** What is said of a file whose compression is not that of one whole member. */
export const TORN = "the file's compression is damaged, or something stands behind it";

/** What a file holds cannot be unpacked. That it cannot be read is another failure. */
export class Torn extends Error {
  constructor() {
    super(TORN);
  }
}
