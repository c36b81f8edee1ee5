/** Cuts a stream of bytes into lines, whose newline is taken off. */

export const MAX_LINE = 2 ** 24;

export class Lines {
  private parts: Uint8Array[] = [];
  private held = 0;

  /** The lines that end in this chunk. A line beyond the limit is given as `null`, once, as soon as that is certain. */
  *push(chunk: Uint8Array): Generator<Uint8Array | null> {
    let from = 0;
    for (;;) {
      const end = chunk.indexOf(0x0a, from);
      if (end < 0) break;
      const piece = chunk.subarray(from, end);
      from = end + 1;
      if (this.held + piece.length > MAX_LINE) {
        yield null;
        return;
      }
      if (this.held === 0) yield piece;
      else {
        this.parts.push(piece);
        yield this.join();
      }
    }
    if (from < chunk.length) {
      const rest = chunk.slice(from);
      this.parts.push(rest);
      this.held += rest.length;
      if (this.held > MAX_LINE) yield null;
    }
  }

  private join(): Uint8Array {
    let length = 0;
    for (const part of this.parts) length += part.length;
    const line = new Uint8Array(length);
    let at = 0;
    for (const part of this.parts) {
      line.set(part, at);
      at += part.length;
    }
    this.parts = [];
    this.held = 0;
    return line;
  }

  /** Whether something stands behind the last newline. */
  get unfinished(): boolean {
    return this.held > 0;
  }
}
