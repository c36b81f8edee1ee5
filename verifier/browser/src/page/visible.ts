/**
 * Text from a copy is a stranger's. Characters that control, reorder or cannot be seen are shown as what they are,
 * such as ⟨U+202E⟩, so that nobody reads another name than the one that is signed.
 *
 * The set is that of docs/exchange.md ("the tables"): Unicode's Cc, Cf, Co, Cs, Zl, Zp and unassigned non-characters,
 * fillers, and what Unicode keeps for more characters without a shape.
 */
const UNSEEN =
  /[\p{Cc}\p{Cf}\p{Co}\p{Cs}\p{Zl}\p{Zp}\p{Noncharacter_Code_Point}\u034F\u115F\u1160\u17B4\u17B5\u2065\u2800\u3164\uFFA0\uFFF0-\uFFF8\u{E0000}-\u{E0FFF}]/gu;

/** Marks that are piled upon a letter paint over the lines above and below. Of a pile no language needs more than these. */
const PILED = /(?<=\p{M}{6})\p{M}/gu;

export function visible(text: string): string {
  return text.replace(UNSEEN, escaped).replace(PILED, escaped);
}

function escaped(character: string): string {
  const code = (character.codePointAt(0) ?? 0).toString(16).toUpperCase().padStart(4, "0");
  return `⟨U+${code}⟩`;
}
