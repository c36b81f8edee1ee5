// A question on the screen: the list (list.js), the document (pane.js), the decision (fields.js and sheet.js). Keys
// without modifiers decide and move on; every step is kept at once (keeping.js), which the next document does not wait for.

import { Fields } from "./fields.js";
import { Keeper } from "./keeping.js";
import { List } from "./list.js";
import { Pane } from "./pane.js";
import { MOVING, cell, decided, decidedOfAll, holds, marked, sheet, take, words } from "./sheet.js";

const find = (id) => document.getElementById(id);
const question = document.body.dataset.question;
const pane = new Pane(question);
const keeper = new Keeper(question, told, trouble);
const fields = new Fields(() => list.current, decide);
const pressable = [...document.querySelectorAll("[data-action]")].filter((button) => holds[button.dataset.action]);

let list = null;
let keys = {};
let lacking = []; // what is missing, as the program says

// What the page says.

function say(text) {
  find("now").textContent = text;
}

function trouble(text) {
  const box = find("trouble");
  if (box.textContent !== text) box.textContent = text;
  box.hidden = !text;
}

const describe = () => say(`Document ${list.current}: ${words(list.current) || "not decided"}`);

async function show(position) {
  if (!list.lines.has(position)) return;
  fields.flush();
  list.choose(position);
  try {
    if (!(await pane.show(position))) return;
  } catch (error) {
    trouble(error.message);
    return;
  }
  paintDecision();
  describe();
  pane.prefetch(list.order);
  setTimeout(() => history.replaceState(null, "", `#${list.current}`));
}

function paintDecision() {
  const position = list.current;
  const line = list.lines.get(position);
  for (const button of pressable) {
    button.setAttribute("aria-pressed", String(holds[button.dataset.action](position)));
  }
  for (const part of document.querySelectorAll("[data-for]")) {
    part.hidden = (part.dataset.for === "label") !== (line.judged || line.claimed);
  }
  for (const button of pane.element.querySelectorAll("[data-cell]")) {
    const value = sheet.cells[button.dataset.cell];
    button.setAttribute("aria-pressed", String(JSON.stringify(value) === button.dataset.value));
  }
  for (const box of pane.element.querySelectorAll("[data-list]")) {
    box.checked = (sheet.cells[box.dataset.list] ?? []).includes(Number(box.value));
  }
  fields.paint(position);
}

function paintMarked() {
  const number = marked().length;
  find("bulk").hidden = number === 0;
  find("marked").textContent = `${number} marked`;
}

/** What the program says after each step. */
function told(answer, waiting) {
  const open = new Set(answer.open);
  const changed = [...list.lines.keys()].filter((position) => sheet.open.has(position) !== open.has(position));
  sheet.open = open;
  list.paint(changed);
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

function missing([position, , text]) {
  const item = document.createElement("li");
  if (position !== null) {
    const link = document.createElement("a");
    link.href = `#${position}`;
    link.textContent = `Position ${position}`;
    item.append(link, ": ");
  }
  item.append(text);
  return item;
}

// Steps.

function decide(step) {
  const positions = taken(step);
  if (positions.has(list.current)) describe();
  find("kept").textContent = "Keeping…";
  return keeper.change(step);
}

function taken(step) {
  const positions = take(step);
  list.paint(positions);
  paintDecision();
  if (Object.keys(step).some((name) => name.startsWith("mark/"))) paintMarked();
  return positions;
}

/** Take a step back, or take it again; the document that it is about is shown. */
async function retrace(send, done, nothing) {
  const answer = await send;
  if (!answer) return;
  taken(answer.cells);
  const names = Object.keys(answer.cells);
  const position = Number(names[0]?.split("/")[1]);
  if (list.lines.has(position) && position !== list.current) await show(position);
  say(names.length ? done : nothing);
}

function move(by) {
  const next = list.beside(by);
  if (next !== undefined) show(next);
  else say(by > 0 ? "That was the last one of this list." : "This is the first one of this list.");
}

function nextOpen() {
  const found = list.nextOpen();
  if (found === undefined) say("Nothing is missing in this list.");
  else show(found);
}

function allowed(action) {
  const button = document.querySelector(`[data-action="${action}"]`);
  return button !== null && button.closest("[hidden]") === null;
}

function act(action) {
  fields.flush();
  switch (action) {
    case "next":
      return move(1);
    case "back":
      return move(-1);
    case "open":
      return nextOpen();
    case "undo":
      return retrace(keeper.undo(), "The last step was taken back.", "There is nothing to take back.");
    case "redo":
      return retrace(keeper.redo(), "The step was taken again.", "There is nothing to take again.");
    case "search":
      return find("search").focus();
    case "sign":
      return find("sign").click();
    case "reason":
      return find("reason")?.focus();
  }
  // A key never decides about a document that is not on the screen yet.
  if (pane.shown !== list.current) return say("The document is not on the screen yet. Press the key again.");
  if (action === "class") return sheet.classes.length ? decide(decided(action, list.current)) : undefined;
  if (!allowed(action)) return undefined;
  if (action === "threshold") return decide({ threshold: list.current });
  decide(decided(action, list.current));
  if (MOVING.has(action)) move(1);
  return undefined;
}

// What the person does.

const isText = (target) => target.matches("textarea, select, input:not([type=checkbox])");

document.addEventListener("keydown", (event) => {
  if (event.ctrlKey || event.metaKey || event.altKey || event.isComposing) return;
  if (isText(event.target)) {
    if (event.key === "Escape" || (event.key === "Enter" && event.target.matches("input"))) {
      fields.flush();
      event.target.blur();
      event.preventDefault();
    }
    return;
  }
  const action = Object.keys(keys).find((name) => keys[name] === event.key);
  if (!action || !list?.current) return;
  event.preventDefault();
  act(action);
});

document.addEventListener("click", (event) => {
  const button = event.target.closest("button");
  if (!button || !list?.current) return;
  if (button.dataset.action) act(button.dataset.action);
  if (button.dataset.bulk) decide(decidedOfAll(button.dataset.bulk, marked()));
  if (button.dataset.cell) {
    const same = JSON.stringify(sheet.cells[button.dataset.cell]) === button.dataset.value;
    decide({ [button.dataset.cell]: same ? null : JSON.parse(button.dataset.value) });
  }
  if (button.dataset.whole) pane.whole(Number(button.dataset.whole)).then(paintDecision, (error) => trouble(error.message));
});

pane.element.addEventListener("change", (event) => {
  const name = event.target.dataset.list;
  if (!name) return;
  const boxes = [...pane.element.querySelectorAll(`[data-list="${CSS.escape(name)}"]`)];
  const chosen = boxes.filter((box) => box.checked).map((box) => Number(box.value));
  const step = { [name]: chosen.length || name.startsWith("kept") ? chosen : null };
  if (name.startsWith("parts") && chosen.length && !cell("basis", list.current)) {
    step[`basis/${list.current}`] = sheet.basis;
  }
  decide(step);
});

function arrange() {
  list.arrange();
  if (list.order.length && !list.order.includes(list.current)) show(list.order[0]);
}

async function search() {
  const sought = find("search").value.trim();
  list.hits = null;
  find("hits").textContent = "";
  if (sought) {
    const response = await fetch(`${question}/search?words=${encodeURIComponent(sought)}`);
    list.hits = new Set((await response.json()).found);
    find("hits").textContent = `in ${list.hits.size} of ${list.lines.size}`;
  }
  find("filter").value = sought ? "hits" : "all";
  pane.mark(sought);
  arrange();
  paintDecision();
}

find("missing").addEventListener("toggle", paintMissing);
find("filter").addEventListener("change", arrange);
find("sort").addEventListener("change", arrange);
find("search").addEventListener("change", search);
find("search").addEventListener("search", search);
addEventListener("hashchange", () => show(Number(location.hash.slice(1))));

async function begin() {
  const response = await fetch(`${question}/state`);
  const answer = await response.json();
  if (!response.ok) {
    trouble(answer.error);
    return;
  }
  keys = answer.keys;
  pane.terms = answer.terms;
  sheet.cells = answer.cells;
  sheet.classes = answer.classes;
  sheet.basis = find("bases")?.options[0].value ?? "";
  sheet.open = new Set(answer.open);
  list = new List(answer.lines);
  list.arrange();
  told(answer, 0);
  paintMarked();
  const asked = Number(location.hash.slice(1));
  await show(list.lines.has(asked) ? asked : (list.nextOpen() ?? list.order[0]));
  document.body.dataset.ready = "true";
}

begin();
