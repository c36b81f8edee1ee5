/** Chance that a seed decides: the same seed gives the same copy on every machine. */
import { hex, utf8 } from "../../src/engine/bytes.ts";
import { sha256 } from "../../src/engine/sha256.ts";

export class Random {
  private count = 0;
  /** The entry that was changed last. A second change falls there too, if it can: so two rules are broken in one place. */
  last: string | null = null;
  stays = false;

  constructor(private readonly seed: string) {}

  bytes(): Uint8Array {
    return sha256(utf8(`${this.seed}/${this.count++}`));
  }

  /** 32 bytes in hex: a salt, a hash of nothing, the name of something new. */
  hash(): string {
    return hex(this.bytes());
  }

  /** A natural below a number. */
  below(end: number): number {
    return new DataView(this.bytes().buffer).getUint32(0) % end;
  }

  pick<T>(items: readonly T[]): T {
    return items[this.below(items.length)]!;
  }

  isOneIn(number: number): boolean {
    return this.below(number) === 0;
  }
}
