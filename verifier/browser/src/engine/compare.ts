/** Two copies side by side: do they show one history? */

import { DamageFound, FaultFound, TORN, UnknownVersion } from "./failures.ts";
import { fingerprint } from "./hash.ts";
import { Lines } from "./lines.ts";
import { Reading } from "./reading.ts";
import { pour, type Chunks } from "./source.ts";
import { isTrusted, normalTrust } from "./trust.ts";
import type { Comparison, VerifyOptions } from "./verdict.ts";

/** What one copy tells of its history. */
class History {
  readonly hashes: string[] = [];
  matter: string | null = null;
  broken: string | null = null;
  private readonly lines = new Lines();
  private readonly reading = new Reading({ entry: async () => {}, token: () => {} });

  constructor(private readonly signal: AbortSignal | undefined) {
    // An entry counts as soon as Trent's signature is valid, even if it breaks a rule.
    this.reading.chain.onSigned = (hash, matter) => {
      this.matter = matter;
      this.hashes.push(hash);
    };
  }

  get isOver(): boolean {
    return this.broken !== null;
  }

  get trentsKey(): string | null {
    return this.hashes.length > 0 ? fingerprint(this.reading.chain.key("trent")) : null;
  }

  async push(chunk: Uint8Array): Promise<void> {
    this.signal?.throwIfAborted();
    for (const line of this.lines.push(chunk)) {
      if (line === null) this.broken = "a line is too long";
      else await this.attempt(() => this.reading.line(line));
      if (this.isOver) return;
    }
  }

  /** The compression is damaged: nothing of the file counts. */
  torn(): void {
    this.hashes.length = 0;
    this.matter = null;
    this.broken = TORN;
  }

  async end(): Promise<void> {
    if (this.isOver) return;
    if (this.lines.unfinished) this.broken = "the last line has no newline";
    else await this.attempt(async () => this.reading.end());
  }

  private async attempt(step: () => Promise<void>): Promise<void> {
    try {
      await step();
    } catch (error) {
      if (error instanceof DamageFound || error instanceof UnknownVersion) this.broken = error.what;
      else if (error instanceof FaultFound) this.broken = error.rule;
      else throw error;
    }
  }
}

async function readHistory(chunks: Chunks, signal: AbortSignal | undefined): Promise<History> {
  const history = new History(signal);
  await pour(chunks, history);
  await history.end();
  return history;
}

/** `trust` decides who is blamed: with another key than Trent's, a stranger can make any two histories. */
export async function compareCopies(a: Chunks, b: Chunks, options: Pick<VerifyOptions, "signal" | "trust"> = {}): Promise<Comparison> {
  const first = await readHistory(a, options.signal);
  const second = await readHistory(b, options.signal);
  const sizes = [first.hashes.length, second.hashes.length] as const;
  const key = first.trentsKey;
  const isOneKey = key === second.trentsKey;
  const isOneMatter = first.matter !== null && first.matter === second.matter && isOneKey;
  const trent = key === null || !isOneKey ? null : { key, trusted: isTrusted(normalTrust(options.trust ?? {}), "trent", key) };
  const common = { blamed: [], entry: null, sizes, trent };
  const shorter = Math.min(...sizes);
  const differs = isOneMatter ? first.hashes.findIndex((hash, i) => i < shorter && hash !== second.hashes[i]) : -1;
  if (differs >= 0) {
    const who = trent?.trusted ? "Trent" : "The key that both copies name as Trent's";
    return { ...common, result: "two histories", blamed: trent?.trusted === false ? [] : ["trent"], entry: differs, reason: `${who} signed two different entries under the number ${differs} in one matter.` };
  }
  const undecided = (reason: string): Comparison => ({ ...common, result: "undecided", reason });
  const broken = first.broken ?? second.broken;
  if (broken !== null) return undecided(`The ${first.broken !== null ? "first" : "second"} copy cannot be read to its end: ${broken}.`);
  if (!isOneMatter) return undecided("The copies belong to two matters, or name two keys of Trent's.");
  if (trent?.trusted === false) return undecided("The copies are not signed with a key of Trent's that you were told.");
  if (sizes[0] === sizes[1]) return { ...common, result: "same history", reason: `Both have the same ${sizes[0]} entries.` };
  return { ...common, result: "one continues the other", reason: `The shorter one has the first ${shorter} entries of the longer one.` };
}
