// Marks words in a document: those of the request in one colour, those of a search in another. It only ever wraps text
// that is there already, so whatever a document says stays text.

const MOST = 400; // marks of a document; more would be slow, and help nobody

function escaped(words) {
  return words.replace(/[.*+?^${}()|[\]\\]/g, "\\$&");
}

/** One pattern for all: the search as it is written, the terms as whole words. */
export function pattern(terms, search) {
  const parts = [];
  if (search) parts.push(`(?<search>${escaped(search)})`);
  if (terms.length) parts.push(`(?<![\\p{L}\\p{N}])(?:${terms.map(escaped).join("|")})s?(?![\\p{L}\\p{N}])`);
  return parts.length ? new RegExp(parts.join("|"), "giu") : null;
}

/** Mark everything within `root` that the pattern finds; says how many places the search has. */
export function highlight(root, found) {
  let marks = 0;
  let hits = 0;
  if (!found) return hits;
  for (const element of root.querySelectorAll(".text, dd bdi, h2 bdi")) {
    for (const node of [...element.childNodes]) {
      if (node.nodeType !== Node.TEXT_NODE || marks >= MOST) continue;
      const text = node.data;
      const pieces = document.createDocumentFragment();
      let end = 0;
      for (const match of text.matchAll(found)) {
        if (!match[0] || ++marks > MOST) break;
        const mark = document.createElement("mark");
        if (match.groups?.search !== undefined) {
          mark.className = "second";
          hits++;
        }
        mark.textContent = match[0];
        pieces.append(text.slice(end, match.index), mark);
        end = match.index + match[0].length;
      }
      if (end) {
        pieces.append(text.slice(end));
        node.replaceWith(pieces);
      }
    }
  }
  return hits;
}
