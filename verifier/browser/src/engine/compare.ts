/** Two copies side by side: do they show one history? */

import { hex } from "./bytes.ts";
import { DamageFound, FaultFound, TORN, UnknownVersion } from "./failures.ts";
import { Lines } from "./lines.ts";
import { Reading } from "./reading.ts";
import { pour, type Chunks } from "./source.ts";
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
    return this.hashes.length > 0 ? hex(this.reading.chain.key("trent")) : null;
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

export async function compareCopies(a: Chunks, b: Chunks, options: Pick<VerifyOptions, "signal"> = {}): Promise<Comparison> {
  const first = await readHistory(a, options.signal);
  const second = await readHistory(b, options.signal);
  const sizes = [first.hashes.length, second.hashes.length] as const;
  const isOneMatter = first.matter !== null && first.matter === second.matter && first.trentsKey === second.trentsKey;
  if (isOneMatter) {
    const common = Math.min(...sizes);
    for (let i = 0; i < common; i++) {
      if (first.hashes[i] === second.hashes[i]) continue;
      return { result: "two histories", blamed: ["trent"], entry: i, sizes, reason: `Trent signed two different entries under the number ${i} in one matter.` };
    }
  }
  const broken = first.broken ?? second.broken;
  if (broken !== null) {
    const which = first.broken !== null ? "first" : "second";
    return { result: "undecided", blamed: [], entry: null, sizes, reason: `The ${which} copy cannot be read to its end: ${broken}.` };
  }
  if (!isOneMatter) return { result: "undecided", blamed: [], entry: null, sizes, reason: "The copies belong to two matters, or name two keys of Trent's." };
  if (sizes[0] === sizes[1]) return { result: "same history", blamed: [], entry: null, sizes, reason: `Both have the same ${sizes[0]} entries.` };
  return { result: "one continues the other", blamed: [], entry: null, sizes, reason: `The shorter one has the first ${Math.min(...sizes)} entries of the longer one.` };
}

