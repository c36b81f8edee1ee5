/** Every vector in real Chromium: the page opened from disk, its own worker, and one message for each copy. */
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { after, before, test } from "node:test";
import { PAGE_URL, SKIP, startChromium } from "../support/chromium.mjs";
import { VECTORS, expectedOf, statedBy } from "../support/expected.mjs";

const { cases } = JSON.parse(readFileSync(join(VECTORS, "transcripts.json"), "utf8"));
const copies = cases.filter((vector) => vector.other === undefined);
const pairs = cases.filter((vector) => vector.other !== undefined);
let browser;

before(async () => {
  if (!SKIP) browser = await startChromium();
});
after(() => browser?.close());

/** Keeps what the page makes its worker from; `prelude` runs in the worker before the page's own script. */
function keepWorkers(prelude) {
  const { Worker: RealWorker, Blob: RealBlob } = window;
  window.Blob = class extends RealBlob {
    constructor(parts, options) {
      super(options?.type === "text/javascript" ? [prelude, ...parts] : parts, options);
    }
  };
  window.Worker = class extends RealWorker {
    constructor(address) {
      super(address);
      window.another = () => new RealWorker(address);
    }
  };
}

/** The page with its worker started once, and with all files of the vectors at hand as `window.files`. */
async function ready(vectors, prelude = "") {
  const page = await browser.newPage();
  await page.addInitScript(`(${keepWorkers})(${JSON.stringify(prelude)})`);
  await page.goto(PAGE_URL);
  const paths = [...new Set(vectors.flatMap((vector) => [vector.copy, vector.other ?? vector.copy]))].map((path) => join(VECTORS, path));
  await page.setInputFiles("#file-input", paths[0]);
  await page.waitForSelector("#answer");
  await page.evaluate(() => {
    const input = document.createElement("input");
    Object.assign(input, { type: "file", multiple: true, id: "vectors" });
    document.body.append(input);
  });
  await page.setInputFiles("#vectors", paths);
  await page.evaluate(() => (window.files = new Map(Array.from(document.getElementById("vectors").files, (file) => [file.name, file]))));
  return page;
}

/** Sends the vectors to one worker, one after the other, and brings back what agreement is about. */
function judge(page, vectors) {
  const asked = vectors.map(({ copy, other, trust }) => ({ copy: name(copy), other: other === undefined ? null : name(other), trust: trust ?? {} }));
  return page.evaluate(async (list) => {
    const worker = window.another();
    const files = [];
    const opened = (path) => {
      const file = window.files.get(path);
      return { path, file: { number: files.push(file) - 1, size: file.size } };
    };
    const read = async ({ asked, number, from }) => {
      const bytes = await files[number].slice(from, from + 2 ** 20).arrayBuffer();
      worker.postMessage({ asked, bytes }, [bytes]);
    };
    const sha256Of = async (path) => [...new Uint8Array(await crypto.subtle.digest("SHA-256", await window.files.get(path).arrayBuffer()))].map((byte) => byte.toString(16).padStart(2, "0")).join("");
    const answers = [];
    for (const { copy, other, trust } of list) {
      const job = other === null ? { sort: "verify", copy: opened(copy), trust, policy: null, handed: [] } : { sort: "compare", copies: [opened(copy), opened(other)], trust, sha256: await sha256Of(copy) };
      const message = await new Promise((done) => {
        worker.onmessage = ({ data }) => (data.sort === "read" ? read(data) : data.sort === "progress" || done(data));
        worker.postMessage(job);
      });
      if (message.sort !== "done") throw new Error(`${copy}: ${message.message}`);
      const { value } = message.result;
      if (other !== null) answers.push({ result: value.result, blamed: value.blamed });
      else answers.push({ verdict: value.verdict.verdict, blamed: value.verdict.blamed, checks: value.verdict.checks.map(({ id, outcome }) => ({ id, outcome })) });
    }
    worker.terminate();
    return answers;
  }, asked);
}

const name = (path) => path.split("/").at(-1);

function assertAgreement(vectors, answers) {
  const wrong = [];
  vectors.forEach((vector, index) => {
    const expected = expectedOf(vector);
    try {
      assert.deepEqual(statedBy(answers[index], expected), expected);
    } catch (error) {
      wrong.push(`${vector.id}: ${error.message}`);
    }
  });
  assert.deepEqual(wrong, []);
}

test(`all ${copies.length} copies of the vectors get their verdict, outcomes and blame in Chromium`, { skip: SKIP }, async () => {
  const page = await ready(copies);
  assertAgreement(copies, await judge(page, copies));
  await page.close();
});

test(`all ${pairs.length} pairs of copies get their comparison in Chromium`, { skip: SKIP }, async () => {
  const page = await ready(pairs);
  const found = await judge(page, pairs);
  assert.deepEqual(found, pairs.map(({ result, blamed }) => ({ result, blamed })));
  await page.close();
});

test("the exact integers say the same where WebCrypto is absent", { skip: SKIP }, async () => {
  const about = /key|signature|forge|curve|cofactor|order/;
  const some = copies.filter((vector, index) => index % 40 === 0 || (about.test(vector.id) && index % 4 === 0));
  assert.ok(some.length >= 14);
  const page = await ready(some, 'Object.defineProperty(crypto, "subtle", { value: undefined });');
  assert.equal(await page.evaluate(() => typeof window.another), "function");
  assertAgreement(some, await judge(page, some));
  await page.close();
});
