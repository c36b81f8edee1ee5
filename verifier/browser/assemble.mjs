/**
 * Puts the page together: one HTML file from the template, the style sheet and one script,
 * which is the page and its worker.
 *
 * The same sources give the same bytes on any machine: nothing here reads a clock, a path or the environment. The
 * policy in the page names the SHA-256 of its only script and its only style sheet, and forbids everything else.
 */
import { createHash } from "node:crypto";
import { mkdir, readFile, readdir, writeFile } from "node:fs/promises";
import { createRequire } from "node:module";
import { fileURLToPath } from "node:url";
import { build, transform } from "esbuild";
import { shortened } from "./shorten.mjs";

const HERE = new URL("./", import.meta.url);
const LARGEST = 300_000;
const TARGET = "es2022";

/** The specification that this page follows, as its first lines say. */
const SPECIFICATION = "6.2";

/** The page that is kept in the repository. */
const KEPT = "tallystick-verify.html";

/** Builds the page. It is kept, unless `isKept` is false: then it must be the one that is kept already. */
export async function assemble(isKept = true) {
  const version = JSON.parse(await text("package.json")).version;
  const style = (await transform(await text("src/page/style.css"), { loader: "css", minify: true, charset: "utf8" })).code.trim();
  const define = { __VERSION__: JSON.stringify(version), __SPECIFICATION__: JSON.stringify(SPECIFICATION) };
  const script = await bundle("src/page/entry.ts", define);
  const policy = [
    "default-src 'none'",
    "connect-src 'none'",
    `script-src '${hash(script)}'`,
    `style-src '${hash(style)}'`,
    "worker-src blob:",
    "base-uri 'none'",
    "form-action 'none'",
    "require-trusted-types-for 'script'",
    "trusted-types tallystick-worker",
  ].join("; ");
  const page = filled(await text("src/page/template.html"), {
    policy, style, script, version, specification: SPECIFICATION,
  });
  const size = Buffer.byteLength(page);
  if (size >= LARGEST) throw new Error(`the page has ${size} bytes, and may have fewer than ${LARGEST}`);
  await mkdir(new URL("dist/", HERE), { recursive: true });
  await writeFile(new URL("dist/tallystick-verify.html", HERE), page);
  if (isKept) await writeFile(new URL(KEPT, HERE), page);
  else if (page !== (await text(KEPT))) throw new Error(`${KEPT} is not what the sources give: run npm run build`);
  return { size, sha256: createHash("sha256").update(page).digest("hex") };
}

/**
 * Names in camel case, and words that neither a record nor the browser has, are this program's own, and are shortened:
 * a record's fields are in snake case. (`blamed` is not: the page's tests read it in what its worker says.) Names that
 * the browser knows stay as they are: all that TypeScript's declarations of it have, and three that they lack.
 */
const OWN_WORDS = [
  "against", "alone", "attempt", "beforehand", "beyond", "broken", "builds", "certified", "chance", "chances",
  "clawbacks", "counted", "courses", "credit", "dashes", "deepest", "den", "disputed", "docs", "ending", "estimates", "events", "expected",
  "exposure", "exposures", "factorial", "fault", "filled", "findings", "follows", "happen", "hashes", "imported", "judged",
  "known", "listed", "lowered", "missed", "missing", "num", "owes", "places", "population", "proven", "reading", "reclaims",
  "reference", "references", "refuse", "replay", "reported", "ruled", "settle", "settled", "signed", "signers",
  "since", "skipped", "spans", "stages", "suspicion", "tally", "thrown", "told", "trouble", "trusted", "unfinished",
  "unproven", "until", "untold", "voided",
];
const OWN_NAMES = new RegExp(`^(?:[a-z]+[A-Z]\\w*|${OWN_WORDS.join("|")})$`);

async function namesOfTheBrowser() {
  const folder = new URL("./", `file://${createRequire(import.meta.url).resolve("typescript")}`);
  const names = new Set(["trustedTypes", "createPolicy", "createScriptURL"]);
  for (const file of (await readdir(folder)).filter((name) => /^lib\..*\.d\.ts$/.test(name)).sort()) {
    const declared = (await readFile(new URL(file, folder), "utf8")).replace(/\/\*[^]*?\*\/|\/\/.*/g, "");
    for (const [name] of declared.matchAll(/[A-Za-z]\w*/g)) if (OWN_NAMES.test(name)) names.add(name);
  }
  return new RegExp(`^(?:${[...names].join("|")})$`);
}

async function bundle(entry, define) {
  const result = await build({
    entryPoints: [fileURLToPath(new URL(entry, HERE))],
    absWorkingDir: fileURLToPath(HERE),
    bundle: true,
    minifySyntax: true,
    write: false,
    format: "esm",
    target: TARGET,
    charset: "utf8",
    legalComments: "none",
    mangleProps: OWN_NAMES,
    reserveProps: await namesOfTheBrowser(),
    define,
  });
  const whole = shortened(result.outputFiles[0].text);
  const script = (await transform(whole, { minify: true, format: "iife", target: TARGET, charset: "utf8" })).code.trim();
  if (/<\/script|<!--/i.test(script)) throw new Error(`${entry} holds text that would end its own script element`);
  // A name that stands in quotes is not shortened there, and would be another one than elsewhere.
  const quoted = OWN_WORDS.find((word) => script.includes(`"${word}"`));
  if (quoted !== undefined) throw new Error(`${entry} has "${quoted}" in quotes too`);
  return script;
}

/** Each name in double braces is replaced once, by a function, so that no `$` in a script is taken for a pattern. */
function filled(template, values) {
  return template.replace(/\{\{(\w+)\}\}/g, (whole, name) => {
    if (!(name in values)) throw new Error(`the template asks for ${whole}, which nobody provides`);
    return values[name];
  });
}

function hash(script) {
  return "sha256-" + createHash("sha256").update(script).digest("base64");
}

function text(path) {
  return readFile(new URL(path, HERE), "utf8");
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  const { size, sha256 } = await assemble();
  console.log(`dist/tallystick-verify.html: ${size} bytes, SHA-256 ${sha256}`);
}
