// The decisions so far, what they say in words, and what a key decides. It knows nothing of the page.

export const sheet = {
  cells: {}, // what was decided, such as label/17
  open: new Set(), // positions of which something is missing
  classes: [],
  basis: "", // that a claim gets
};

export const cell = (name, position) => sheet.cells[`${name}/${position}`];

/** Take a step; says which positions it is about. */
export function take(step) {
  for (const [name, value] of Object.entries(step)) {
    if (value === null) delete sheet.cells[name];
    else sheet.cells[name] = value;
  }
  return new Set(Object.keys(step).map((name) => Number(name.split("/")[1])));
}

/** What is decided about a document, in words. */
export function words(position) {
  const found = [];
  const label = cell("label", position);
  const upheld = cell("upheld", position);
  const kept = cell("kept", position);
  if (label !== undefined) found.push(label ? "responsive" : "not responsive");
  if (upheld !== undefined) found.push(upheld ? "upheld" : "overruled");
  if (kept !== undefined) found.push(kept.length ? `parts ${kept.join(", ")} upheld` : "no part upheld");
  if (cell("basis", position)) found.push("privileged");
  if (cell("class", position)) found.push(cell("class", position));
  if (cell("give", position)) found.push("given up");
  if (cell("later", position)) found.push("later");
  return found.join(", ");
}

/** Whether something is decided about a document, by the name of its button or filter. */
export const holds = {
  responsive: (position) => cell("label", position) === true,
  not: (position) => cell("label", position) === false,
  upheld: (position) => cell("upheld", position) === true,
  overruled: (position) => cell("upheld", position) === false,
  privileged: (position) => Boolean(cell("basis", position)),
  give: (position) => Boolean(cell("give", position)),
  later: (position) => Boolean(cell("later", position)),
  mark: (position) => Boolean(cell("mark", position)),
};

/** All that are marked. */
export function marked() {
  const names = Object.keys(sheet.cells).filter((name) => name.startsWith("mark/"));
  return names.map((name) => Number(name.slice("mark/".length))).sort((one, two) => one - two);
}

/** Actions after which the next document is shown. */
export const MOVING = new Set(["responsive", "not", "upheld", "overruled", "later"]);

/** What an action decides about a document; pressed again, some take it back. */
export function decided(action, position) {
  const at = (name) => `${name}/${position}`;
  const claim = { [at("basis")]: sheet.basis, [at("class")]: null };
  const unclaimed = { [at("basis")]: null, [at("parts")]: null };
  switch (action) {
    case "responsive":
    case "not":
      return { [at("label")]: action === "responsive", [at("later")]: null };
    case "upheld":
    case "overruled":
      return { [at("upheld")]: action === "upheld", [at("later")]: null };
    case "give":
    case "mark":
      return { [at(action)]: cell(action, position) ? null : true };
    case "privileged":
      return cell("basis", position) ? unclaimed : claim;
    case "class":
      return { [at("class")]: sheet.classes[sheet.classes.indexOf(cell("class", position)) + 1] ?? null, ...unclaimed };
    case "later":
      return { [at("later")]: true };
  }
  return {};
}

/** The same for all that are marked, which takes nothing back. */
export function decidedOfAll(action, positions) {
  const one = (position) => {
    if (action === "unmark") return { [`mark/${position}`]: null };
    if (action === "privileged" && cell("basis", position)) return {};
    if (action === "give") return { [`give/${position}`]: true };
    return decided(action, position);
  };
  return Object.assign({}, ...positions.map(one));
}
