/** What a sentence calls the four, and how it lists several of anything. */

import type { Role } from "./verdict.ts";

export const CALLED: Readonly<Record<Role, string>> = { alice: "Alice", bob: "Bob", court: "the court", trent: "Trent" };

/** "Alice, Bob and the court" */
export function listing(words: readonly string[], last = "and"): string {
  return words.length < 2 ? words.join("") : `${words.slice(0, -1).join(", ")} ${last} ${words.at(-1)}`;
}

/** "part 1", "parts 1 and 3" */
export function partsSay(parts: readonly number[]): string {
  return `${parts.length === 1 ? "part" : "parts"} ${listing(parts.map(String))}`;
}
