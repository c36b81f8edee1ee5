/** The engine: bytes of a copy in, the verdict out. */

import { hex } from "./bytes.ts";
import type { Key } from "./chain.ts";
import { damaged, DamageFound, FaultFound, TORN, UnknownVersion } from "./failures.ts";
import { fingerprint } from "./hash.ts";
import { Lines } from "./lines.ts";
import { parsePolicy, policySatisfied } from "./logproof.ts";
import { Matter } from "./matter.ts";
import { CALLED, listing } from "./names.ts";
import { endChecks, unsignedEnd } from "./outcomes.ts";
import { Reading } from "./reading.ts";
import { Replay } from "./replay.ts";
import { reportOfRound } from "./round-report.ts";
import { claimsSoFar } from "./step-claims.ts";
import { claimsNotDue } from "./step-waves.ts";
import { isTrusted, normalTrust } from "./trust.ts";
import { type Damage, type Finding, type KeyInForce, ROLES, type RoundReport, type Trust, type Verdict, type VerdictWord, type VerifyOptions } from "./verdict.ts";

/** So many keys are named that the reader does not know. */
const MOST_KEYS = 8;


/** Verifies a copy that is pushed in pieces, uncompressed. */
export class CopyVerifier {
  private readonly lines = new Lines();
  private reading: Reading;
  private replay: Replay | null = null;
  private replayedLines = 0;
  private damage: Damage | null = null;
  private fault: { fault: FaultFound; entry: number | null } | null = null;
  private readonly trust: Trust;

  constructor(private readonly options: VerifyOptions = {}) {
    this.trust = normalTrust(options.trust ?? {});
    this.reading = this.begin();
  }

  private begin(): Reading {
    return new Reading({
      entry: async (entry, attachments) => {
        this.replay ??= new Replay(new Matter(this.reading.manifest!.audience, this.options), (role) => this.reading.chain.key(role));
        await this.replay.entry(entry, attachments);
        if (this.replay.stopped === null) this.replayedLines = this.reading.lines;
      },
      token: (sequence) => {
        const stamps = this.replay?.m.stamps ?? [];
        const at = stamps.findIndex((stamp) => stamp.entry === sequence);
        if (at >= 0) stamps[at] = { ...stamps[at]!, present: true };
      },
    });
  }

  /** Whether the reading has ended, so that further bytes change nothing. */
  get isOver(): boolean {
    return this.damage !== null || this.fault !== null;
  }

  async push(chunk: Uint8Array): Promise<void> {
    this.options.signal?.throwIfAborted();
    if (this.isOver) return;
    for (const line of this.lines.push(chunk)) {
      const next = this.reading.lines + 1;
      await this.attempt(async () => {
        if (line === null) damaged("the line is longer than 2^24 bytes", next);
        await this.reading.line(line);
      });
      if (this.isOver) break;
    }
    this.options.progress?.({
      entries: this.reading.chain.size,
      size: this.reading.manifest?.size ?? null,
    });
  }

  /** The compression is damaged: no line is judged, no key is read, and nothing is found. */
  torn(): void {
    this.reading = this.begin();
    this.replay = null;
    this.replayedLines = 0;
    this.fault = null;
    this.damage = { sort: "damage", line: null, what: TORN };
  }

  private async attempt(step: () => Promise<void>): Promise<void> {
    try {
      await step();
    } catch (error) {
      if (error instanceof DamageFound) this.damage = { sort: "damage", line: error.line, what: error.what };
      else if (error instanceof UnknownVersion) this.damage = { sort: "unknown version", line: this.reading.lines, what: error.what };
      else if (error instanceof FaultFound) {
        this.fault = { fault: error, entry: error.atEntry ? Math.max(0, this.faultyEntry(error)) : null };
      } else throw error;
    }
  }

  /** The number of the entry that is being read: it is in the chain already if its openings are at fault. */
  private faultyEntry(fault: FaultFound): number {
    return fault.check === "V12" ? this.reading.chain.size - 1 : this.reading.chain.size;
  }

  async finish(): Promise<Verdict> {
    this.options.signal?.throwIfAborted();
    if (!this.isOver) {
      await this.attempt(async () => {
        if (this.lines.unfinished) damaged("the last line has no newline", this.reading.lines + 1);
        this.reading.end();
      });
    }
    return this.verdict();
  }

  private keys(): KeyInForce[] {
    return this.reading.chain.keys.map((key) => {
      const print = fingerprint(key.bytes);
      return { role: key.role, fingerprint: print, since: key.since, until: key.until, trusted: isTrusted(this.trust, key.role, print) };
    });
  }

  /** A finding names the party's key that was in force at its entry, and nobody if the reader does not trust it. */
  private finding(fault: FaultFound, entry: number | null): Finding {
    const { keys } = this.reading.chain;
    const at = entry ?? Math.max(0, this.reading.chain.size - 1);
    const inForce = (key: Key): boolean => key.role === fault.blamed && (key.since === 0 || key.since < at) && (key.until === null || at <= key.until);
    const key = keys.find(inForce) ?? keys.find((any) => any.role === fault.blamed);
    const print = key === undefined ? null : fingerprint(key.bytes);
    const isBlamed = print !== null && isTrusted(this.trust, fault.blamed, print) !== false;
    return {
      check: fault.check,
      blamed: isBlamed ? fault.blamed : null,
      key: isBlamed ? print : null,
      entry,
      rule: fault.rule,
      expected: fault.expected,
      found: fault.found,
    };
  }

  private findings(keys: readonly KeyInForce[]): Finding[] {
    const findings: Finding[] = [];
    const replayed = [...(this.replay?.m.findings ?? [])];
    if (this.replay?.stopped != null) replayed.push(this.replay.stopped);
    for (const { fault, entry } of replayed) {
      findings.push(this.finding(fault, entry.body.sequence));
    }
    if (this.fault !== null) findings.push(this.finding(this.fault.fault, this.fault.entry));
    const strange = keys.filter((key) => key.trusted === false);
    if (strange.length > 0) {
      const replaced = ROLES.filter((role) => strange.some((key) => key.role === role) && keys.some((key) => key.role === role && key.until !== null)).map((role) => CALLED[role]);
      const further = replaced.length === 0 ? "" : `. The court has replaced a key of ${listing(replaced)}: write one line for each key that the party has had`;
      findings.push({
        check: "V04",
        blamed: null,
        key: null,
        entry: null,
        rule: "Every key that a role has or had is one of those that you trust for it.",
        expected: null,
        found: `${listing(strange.slice(0, MOST_KEYS).map((key) => `the key ${key.fingerprint} of ${CALLED[key.role]}`))}${strange.length > MOST_KEYS ? " and others" : ""}: none of those${further}`,
      });
    }
    return findings;
  }

  /** V33: whether all notes on record satisfy the reader's policy; null without a policy. */
  private async policy(): Promise<string | null> {
    const { policy: text } = this.options;
    if (text === undefined) return null;
    const policy = parsePolicy(text);
    if ("error" in policy) return policy.error;
    for (const note of this.replay?.m.logNotes ?? []) {
      if (!(await policySatisfied(policy, note))) return "A note of the log on record does not satisfy the policy.";
    }
    return "";
  }

  private async verdict(): Promise<Verdict> {
    const { reading, replay, damage } = this;
    const keys = this.keys();
    const findings = this.findings(keys);
    const endedEarly = this.isOver;
    const checks = endChecks({ reading, replay, findings, endedEarly, keys, trust: this.trust, policy: await this.policy() });
    const m = replay?.m ?? null;
    let verdict: VerdictWord = "not closed";
    const isSigned = checks.find((check) => check.id === "V20")!.outcome === "pass";
    if (findings.length > 0) verdict = "rejected";
    else if (damage !== null) verdict = "undecided";
    else if (m?.hasClaims === true && isSigned) verdict = "verified";
    const { manifest, chain } = reading;
    return {
      verdict,
      audience: manifest?.audience ?? null,
      size: manifest?.size ?? null,
      entriesRead: chain.size,
      replayedLines: this.replayedLines,
      reviewed: m?.reviewed ?? 0,
      matter: manifest?.matter ?? null,
      head: chain.size > 0 ? chain.head : null,
      root: chain.size > 0 ? hex(chain.tree.root()) : null,
      isSimulation: m === null || m.opening === null ? null : m.isSimulation,
      checks,
      findings,
      blamed: [...new Set(findings.flatMap((finding) => (finding.blamed === null ? [] : [finding.blamed])))].sort(),
      damage,
      endedWithout: m === null ? [] : [...m.endedWithout].sort(),
      keys,
      opening: m?.opening ?? null,
      rounds: m === null ? [] : roundsOf(m),
      privilege: m?.privilege.concat(m.round === null ? [] : claimsNotDue(m.round)).sort((a, b) => a.round - b.round || a.position - b.position) ?? [],
      clawbacks: m?.clawbacks ?? [],
      events: m?.events ?? [],
      askedAgain: m?.askedAgain ?? 0,
      validations: m?.validationReports ?? [],
      claims: m === null ? null : (m.claims ?? claimsSoFar(m)),
      checkpoints: reading.checkpoints,
      stamps: m?.stamps ?? [],
      logProofs: m?.logProofs ?? [],
      waitsFor: m === null ? [] : waitsFor(this.reading, m),
    };
  }
}

function roundsOf(m: Matter): RoundReport[] {
  return m.round === null ? m.rounds : [...m.rounds, reportOfRound(m, m.round, null, null)];
}

function waitsFor(reading: Reading, m: Matter): Verdict["waitsFor"] {
  if (m.hasClaims) {
    return unsignedEnd(reading, m) ?? [];
  }
  return [...m.owes].filter(([, question]) => question.state === "open").map(([role]) => role).sort();
}
