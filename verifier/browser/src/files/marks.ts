/**
 * Places of documents that are marked: one bit for each position of a round. Plain data, as messages must be.
 */

export type Marks = Map<number, Uint8Array>;

const FIRST_BYTES = 128;

export function mark(marks: Marks, round: number, position: number): void {
  const at = position >> 3;
  let bits = marks.get(round);
  if (bits === undefined || at >= bits.length) {
    const larger = new Uint8Array(Math.max(FIRST_BYTES, 2 * at));
    larger.set(bits ?? []);
    marks.set(round, larger);
    bits = larger;
  }
  bits[at] = (bits[at] ?? 0) | (1 << (position & 7));
}

export function isMarked(marks: Marks, round: number, position: number): boolean {
  return (((marks.get(round)?.[position >> 3] ?? 0) >> (position & 7)) & 1) === 1;
}
