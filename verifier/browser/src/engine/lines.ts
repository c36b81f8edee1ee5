/** Cuts a stream of bytes into lines, whose newline is taken off. */

export const MAX_LINE = 2 ** 24;

export class Lines {
  /** What stands behind the last newline is put together here: each line in the same bytes as the one before. */
  private bytes = new Uint8Array(2 ** 16);
  private held = 0;

  /**
   * The lines that end in this chunk, each of which lasts until the next one is asked for. A line beyond the limit is given
   * as `null`, once, as soon as that is certain.
   */
  *push(chunk: Uint8Array): Generator<Uint8Array | null> {
    let from = 0;
    while (from < chunk.length) {
      const end = chunk.indexOf(0x0a, from);
      const piece = chunk.subarray(from, end < 0 ? undefined : end);
      if (this.held + piece.length > MAX_LINE) {
        yield null;
        return;
      }
      if (end >= 0 && this.held === 0) yield piece;
      else this.hold(piece);
      if (end < 0) return;
      if (this.held > 0) {
        const line = this.bytes.subarray(0, this.held);
        this.held = 0;
        yield line;
      }
      from = end + 1;
    }
  }

  private hold(piece: Uint8Array): void {
    const length = this.held + piece.length;
    if (length > this.bytes.length) {
      const larger = new Uint8Array(Math.max(length, 2 * this.bytes.length));
      larger.set(this.bytes.subarray(0, this.held));
      this.bytes = larger;
    }
    this.bytes.set(piece, this.held);
    this.held = length;
  }

  /** Whether something stands behind the last newline. */
  get unfinished(): boolean {
    return this.held > 0;
  }
}
