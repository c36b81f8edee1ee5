// A question on the screen: the list, the document, the decision. Keys without modifiers decide and move on; every step
// is kept at once (keeping.js). The documents before and after the current one are fetched in advance, so that the next
// one is there when its key is pressed.

import { highlight, pattern } from "./highlight.js";
import { Keeper } from "./keeping.js";

const AHEAD = 4; // documents that are fetched in advance
const CACHED = 60;
const TYPED = 300; // milliseconds after the last letter of a text until it is kept

const find = (id) => document.getElementById(id);
const question = document.body.dataset.question;
const pane = find("document");
const rows = new Map([...find("list").children].map((row) => [Number(row.dataset.position), row]));
const pieces = new Map(); // documents that were fetched, by position
const keeper = new Keeper(question, told, trouble);

let cells = {};
let open = new Set();
let keys = {};
let terms = [];
let classes = [];
let order = [...rows.keys()];
let hits = null; // positions that the search found
let current = null;
let lastBasis = "";
let typing = null;
let lacking = []; // what is missing, as the program says

// What is known of a document.

const cell = (name, position = current) => cells[`${name}/${position}`];

function state(position) {
  const words = [];
  const label = cell("label", position);
  const upheld = cell("upheld", position);
  const kept = cell("kept", position);
  if (label !== undefined) words.push(label ? "responsive" : "not responsive");
  if (upheld !== undefined) words.push(upheld ? "upheld" : "overruled");
  if (kept !== undefined) words.push(kept.length ? `parts ${kept.join(", ")} upheld` : "no part upheld");
  if (cell("basis", position)) words.push("privileged");
  if (cell("class", position)) words.push(cell("class", position));
  if (cell("give", position)) words.push("given up");
  if (cell("later", position)) words.push("later");
  return words.join(", ");
}

const described = () => `Document ${current}: ${state(current) || "not decided"}`;

const filters = {
  all: () => true,
  open: (position) => open.has(position),
  responsive: (position) => cell("label", position) === true,
  not: (position) => cell("label", position) === false,
  upheld: (position) => cell("upheld", position) === true,
  overruled: (position) => cell("upheld", position) === false,
  privileged: (position) => Boolean(cell("basis", position)),
  give: (position) => Boolean(cell("give", position)),
  later: (position) => Boolean(cell("later", position)),
  marked: (position) => Boolean(cell("mark", position)),
  alike: (position) => rows.get(position).dataset.alike !== "0",
  hits: (position) => hits === null || hits.has(position),
};

const marked = () => [...rows.keys()].filter(filters.marked);

// The list.

function paintRow(position) {
  const row = rows.get(position);
  row.querySelector(".state").textContent = state(position);
  row.classList.toggle("marked", Boolean(cell("mark", position)));
  row.classList.toggle("decided", !open.has(position));
}

function arrange() {
  const by = find("sort").value;
  const wanted = filters[find("filter").value];
  const all = [...rows.keys()];
  all.sort((one, two) => one - two);
  if (by !== "position") {
    const text = (position) => rows.get(position).dataset[by].toLocaleLowerCase();
    all.sort((one, two) => text(one).localeCompare(text(two)) || one - two);
  }
  order = all.filter(wanted);
  const shown = new Set(order);
  for (const position of all) rows.get(position).hidden = !shown.has(position);
  find("list").append(...all.map((position) => rows.get(position)));
}

// The document.

async function load(position) {
  if (pieces.has(position)) return pieces.get(position);
  const response = await fetch(`${question}/document/${position}`);
  if (!response.ok) throw new Error((await response.json()).error);
  const text = await response.text();
  pieces.set(position, text);
  if (pieces.size > CACHED) pieces.delete(pieces.keys().next().value);
  return text;
}

function prefetch() {
  const place = order.indexOf(current);
  const near = [...order.slice(place + 1, place + 1 + AHEAD), ...order.slice(Math.max(0, place - 1), place)];
  for (const position of near) load(position).catch(() => {});
}

async function show(position) {
  if (!rows.has(position)) return;
  flush();
  if (current !== null) rows.get(current).querySelector("a").removeAttribute("aria-current");
  current = position;
  const link = rows.get(position).querySelector("a");
  link.setAttribute("aria-current", "true");
  link.scrollIntoView({ block: "nearest" });
  history.replaceState(null, "", `#${position}`);
  try {
    const text = await load(position);
    if (current !== position) return;
    put(text);
  } catch (error) {
    trouble(error.message);
    return;
  }
  say(described());
  prefetch();
}

/** The program has escaped all of it, and the page's policy runs no script that is not a file of the program. */
function put(text) {
  const held = pane.contains(document.activeElement);
  const template = document.createElement("template");
  template.innerHTML = text;
  highlight(template.content, pattern(terms, find("search").value.trim()));
  pane.replaceChildren(template.content);
  pane.scrollTop = 0;
  if (held) pane.querySelector("h2").focus({ preventScroll: true });
  paintDecision();
}

// The decision.

const pressed = {
  responsive: () => cell("label") === true,
  not: () => cell("label") === false,
  upheld: () => cell("upheld") === true,
  overruled: () => cell("upheld") === false,
  privileged: () => Boolean(cell("basis")),
  give: () => Boolean(cell("give")),
  later: () => Boolean(cell("later")),
  mark: () => Boolean(cell("mark")),
};

function paintDecision() {
  const row = rows.get(current).dataset;
  for (const button of document.querySelectorAll("[data-action]")) {
    const is = pressed[button.dataset.action];
    if (is) button.setAttribute("aria-pressed", String(is()));
  }
  for (const part of document.querySelectorAll("[data-for]")) {
    const labels = row.judged === "1" || row.claimed === "1";
    part.hidden = part.dataset.for === "label" ? !labels : labels;
  }
  for (const button of pane.querySelectorAll("[data-cell]")) {
    const value = cells[button.dataset.cell];
    button.setAttribute("aria-pressed", String(JSON.stringify(value) === button.dataset.value));
  }
  for (const box of pane.querySelectorAll("[data-list]")) {
    box.checked = (cells[box.dataset.list] ?? []).includes(Number(box.value));
  }
  fill("basis", cell("basis") ?? "");
  fill("reason", cell("reason") ?? "");
  fill("class", cell("class") ?? "");
  fill("threshold", cells.threshold ?? "");
}

function fill(id, value) {
  const field = find(id);
  if (field && field !== document.activeElement) field.value = value;
}

function say(words) {
  find("now").textContent = words;
}

function trouble(words) {
  const box = find("trouble");
  box.textContent = words;
  box.hidden = !words;
}

// Steps.

function take(step) {
  for (const [name, value] of Object.entries(step)) {
    if (value === null) delete cells[name];
    else cells[name] = value;
  }
  const positions = Object.keys(step).map((name) => Number(name.split("/")[1]));
  for (const position of new Set(positions)) if (rows.has(position)) paintRow(position);
  if (current !== null) paintDecision();
  paintMarked();
}

function decide(step) {
  take(step);
  if (current !== null) say(described());
  find("kept").textContent = "Keeping…";
  return keeper.change(step);
}

function paintMarked() {
  const number = marked().length;
  find("bulk").hidden = number === 0;
  find("marked").textContent = `${number} marked`;
}

/** What the program says after each step. */
function told(answer, waiting) {
  const before = open;
  open = new Set(answer.open);
  for (const position of rows.keys()) if (before.has(position) !== open.has(position)) paintRow(position);
  const done = answer.total - open.size;
  find("progress").value = done;
  find("count").textContent = `${done} of ${answer.total}`;
  find("missing-count").textContent = answer.lacking
    ? `Missing before it can be signed: ${answer.lacking}`
    : "Nothing is missing: it can be signed";
  lacking = answer.words;
  paintMissing();
  const minutes = Math.floor(answer.seconds / 60);
  if (!waiting) find("kept").textContent = `Everything is kept. ${minutes} min of work so far.`;
  document.body.dataset.kept = String(waiting === 0);
}

/** The list of what is missing is made only where somebody looks at it. */
function paintMissing() {
  if (find("missing").open) find("missing-list").replaceChildren(...lacking.map(missing));
}

find("missing").addEventListener("toggle", paintMissing);

function missing([position, , words]) {
  const item = document.createElement("li");
  if (position !== null) {
    const link = document.createElement("a");
    link.href = `#${position}`;
    link.textContent = `Position ${position}`;
    item.append(link, ": ");
  }
  item.append(words);
  return item;
}

/** What an action decides about a document. */
function decided(action, position) {
  const at = (name) => `${name}/${position}`;
  switch (action) {
    case "responsive":
    case "not":
      return { [at("label")]: action === "responsive", [at("later")]: null };
    case "upheld":
    case "overruled":
      return { [at("upheld")]: action === "upheld", [at("later")]: null };
    case "give":
      return { [at("give")]: cell("give", position) ? null : true };
    case "privileged":
      return cell("basis", position)
        ? { [at("basis")]: null, [at("parts")]: null }
        : { [at("basis")]: lastBasis || basis(), [at("class")]: null };
    case "class": {
      const next = classes[classes.indexOf(cell("class", position)) + 1] ?? null;
      return { [at("class")]: next, [at("basis")]: null, [at("parts")]: null };
    }
    case "later":
      return { [at("later")]: true };
    case "mark":
      return { [at("mark")]: cell("mark", position) ? null : true };
    case "unmark":
      return { [at("mark")]: null };
  }
  return {};
}

const basis = () => find("bases").options[0].value;
const MOVING = new Set(["responsive", "not", "upheld", "overruled", "later"]);

function move(by) {
  const place = order.indexOf(current) + by;
  if (place >= 0 && place < order.length) show(order[place]);
  else say(by > 0 ? "That was the last one of this list." : "This is the first one of this list.");
}

function nextOpen() {
  const place = order.indexOf(current);
  const found = [...order.slice(place + 1), ...order.slice(0, place + 1)].find((position) => open.has(position));
  if (found === undefined) say("Nothing is missing in this list.");
  else show(found);
}

async function undo() {
  const answer = await keeper.undo();
  if (!answer) return;
  take(answer.cells);
  const position = Number(Object.keys(answer.cells)[0]?.split("/")[1]);
  if (rows.has(position) && position !== current) await show(position);
  say(Object.keys(answer.cells).length ? "The last step was taken back." : "There is nothing to take back.");
}

function allowed(action) {
  const button = document.querySelector(`[data-action="${action}"]`);
  return button !== null && button.closest("[hidden]") === null;
}

function act(action) {
  flush();
  switch (action) {
    case "next":
      return move(1);
    case "back":
      return move(-1);
    case "open":
      return nextOpen();
    case "undo":
      return undo();
    case "search":
      return find("search").focus();
    case "sign":
      return find("sign").click();
    case "reason":
      return find("reason")?.focus();
    case "class":
      return classes.length ? decide(decided(action, current)) : undefined;
    case "threshold":
      return allowed(action) ? decide({ threshold: current }) : undefined;
  }
  if (!allowed(action)) return undefined;
  decide(decided(action, current));
  if (MOVING.has(action)) move(1);
  return undefined;
}

function bulk(action) {
  const steps = marked().map((position) => {
    if (action === "privileged") return { [`basis/${position}`]: lastBasis || basis(), [`class/${position}`]: null };
    if (action === "give") return { [`give/${position}`]: true };
    return decided(action, position);
  });
  decide(Object.assign({}, ...steps));
}

// Texts are kept shortly after the last letter, and at the latest when the person goes on.

function type(id, position) {
  clearTimeout(typing?.timer);
  if (typing && (typing.id !== id || typing.position !== position)) flush();
  typing = { id, position, timer: setTimeout(flush, TYPED) };
}

function flush() {
  if (!typing) return;
  const { id, position, timer } = typing;
  clearTimeout(timer);
  typing = null;
  const value = find(id).value.trim();
  const step = { [`${id}/${position}`]: value || null };
  if (id === "basis" && value) {
    lastBasis = value;
    if (classes.length) step[`class/${position}`] = null;
  }
  if ((cell(id, position) ?? "") !== value) decide(step);
}

const isText = (target) => target.matches("textarea, select, input:not([type=checkbox])");

document.addEventListener("keydown", (event) => {
  if (event.ctrlKey || event.metaKey || event.altKey || event.isComposing) return;
  if (isText(event.target)) {
    if (event.key === "Escape" || (event.key === "Enter" && event.target.matches("input"))) {
      flush();
      event.target.blur();
      event.preventDefault();
    }
    return;
  }
  const action = Object.keys(keys).find((name) => keys[name] === event.key);
  if (!action || current === null) return;
  event.preventDefault();
  act(action);
});

document.addEventListener("click", (event) => {
  const button = event.target.closest("button");
  if (!button) return;
  if (button.dataset.action) act(button.dataset.action);
  if (button.dataset.bulk) bulk(button.dataset.bulk);
  if (button.dataset.cell) {
    const value = JSON.parse(button.dataset.value);
    const same = JSON.stringify(cells[button.dataset.cell]) === button.dataset.value;
    decide({ [button.dataset.cell]: same ? null : value });
  }
  if (button.dataset.whole) whole(Number(button.dataset.whole));
});

async function whole(position) {
  const response = await fetch(`${question}/document/${position}?all`);
  if (!response.ok) return;
  pieces.set(position, await response.text());
  if (current === position) put(pieces.get(position));
}

pane.addEventListener("change", (event) => {
  const name = event.target.dataset.list;
  if (!name) return;
  const boxes = [...pane.querySelectorAll(`[data-list="${CSS.escape(name)}"]`)];
  const chosen = boxes.filter((box) => box.checked).map((box) => Number(box.value));
  const step = { [name]: chosen.length || name.startsWith("kept") ? chosen : null };
  if (name.startsWith("parts") && chosen.length && !cell("basis")) step[`basis/${current}`] = lastBasis || basis();
  decide(step);
});

for (const id of ["basis", "reason"]) {
  find(id)?.addEventListener("input", () => type(id, current));
  find(id)?.addEventListener("blur", flush);
}
find("class")?.addEventListener("change", (event) => {
  const value = event.target.value || null;
  decide({ [`class/${current}`]: value, ...(value ? { [`basis/${current}`]: null, [`parts/${current}`]: null } : {}) });
});
find("threshold")?.addEventListener("change", (event) => {
  decide({ threshold: event.target.value === "" ? null : Number(event.target.value) });
});

find("filter").addEventListener("change", arrangeAndShow);
find("sort").addEventListener("change", arrangeAndShow);
find("search").addEventListener("change", search);
find("search").addEventListener("search", search);

function arrangeAndShow() {
  arrange();
  if (order.length && !order.includes(current)) show(order[0]);
}

async function search() {
  const words = find("search").value.trim();
  hits = null;
  find("hits").textContent = "";
  if (words) {
    const response = await fetch(`${question}/search?words=${encodeURIComponent(words)}`);
    hits = new Set((await response.json()).found);
    find("hits").textContent = `in ${hits.size} of ${rows.size}`;
  }
  find("filter").value = words ? "hits" : "all";
  arrangeAndShow();
  if (pieces.has(current)) put(pieces.get(current));
}

addEventListener("hashchange", () => show(Number(location.hash.slice(1))));
addEventListener("pagehide", flush);

async function begin() {
  const response = await fetch(`${question}/state`);
  const answer = await response.json();
  if (!response.ok) {
    trouble(answer.error);
    return;
  }
  ({ cells, keys, terms, classes } = answer);
  open = new Set(answer.open);
  for (const position of rows.keys()) paintRow(position);
  told(answer, 0);
  paintMarked();
  const asked = Number(location.hash.slice(1));
  const first = order.find((position) => open.has(position)) ?? order[0];
  await show(rows.has(asked) ? asked : first);
  document.body.dataset.ready = "true";
}

begin();
