/** The build writes a script in fewer bytes. It must still say the same. */
import assert from "node:assert/strict";
import test from "node:test";
import { shortened } from "../../shorten.mjs";

const run = (script) => new Function(`${script}; return result;`)();

test("a shortened script says the same in fewer bytes", async () => {
  const script = `
    var table = [early("a text that stands often"), early("a text that stands often")];
    class Box { value; kept = 1; constructor(value) { this.value = value; } get() { return this.value; } }
    function early(text) { return later({ "a text that stands often": text }); }
    function later(given) { return given["a text that stands often"] === "a text that stands often"; }
    async function slow(text = "a text that stands often") { return text; }
    function* some() { yield "a text that stands often"; }
    function which(text) { switch (text) { case "a text that stands often": return typeof text === "string"; default: return "string"; } }
    var result = [table, new Box("a text that stands often").get(), some().next().value, which("a text that stands often"), slow()];
  `;
  const short = shortened(script);
  assert.ok(short.length < script.length);
  // Once for the name, and once for the property that it names.
  assert.equal(short.split('"a text that stands often"').length - 1, 2);
  assert.doesNotMatch(short, /function early|value; kept/);
  const [before, after] = [run(script), run(short)];
  assert.deepEqual(after.slice(0, 4), before.slice(0, 4));
  assert.equal(await after[4], "a text that stands often");
});

test("a long name of a field that stands often is shortened, wherever it is read or written, and a short one is not", () => {
  const script = `
    var box = { statement: 1, length: 2 };
    box.statement += box.statement; box.statement += box?.statement ?? 0; delete box.length; box.length = box.statement; box.length += box.length + box.length;
    var result = [box.statement, box.length, (null)?.statement, typeof box.statement, { statement: "statement" }.statement, Object.keys(box)];
  `;
  const short = shortened(script);
  assert.doesNotMatch(short, /\.statement/);
  assert.match(short, /box\.length/);
  assert.deepEqual(run(short), run(script));
});

test("a function that means itself by `this` is no arrow", () => {
  assert.throws(() => shortened("function own() { return this; }"), /own cannot be written as an arrow/);
});

test("a name that the script has already is not given again", () => {
  const often = Array(9).fill('"a text that stands often"').join();
  assert.throws(() => shortened(`var text_0 = [${often}];`), /text_0/);
});
