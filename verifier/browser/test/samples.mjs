/**
 * Makes the files that the tests of exhibits, production volumes and handed documents need, by running the installed
 * commands as anybody would:
 *
 *     TALLYSTICK_SAMPLES=/tmp/samples TALLYSTICK_BIN=/path/to/bin node test/samples.mjs
 *
 * TALLYSTICK_SAMPLES is the folder to fill; it stays as it is if it is complete. TALLYSTICK_BIN is the folder of
 * `tallystick` and `tallystick-verify`; without it they are looked for in the PATH.
 *
 *     copies/spot-{alice,bob,court,public}.jsonl, copies/label-bob.jsonl.gz
 *     exhibits/NAME/, with the answer of tallystick-verify in NAME.json: of the matter spot, of three other simulations
 *         (classes, stages, classifier), and of a real matter with orders, new keys and late claims (real)
 *     work/real/: that matter's file and the keys of its parties
 *     production/volume1/, with the answer in volume1.json; production/real1/, of the real matter
 *     logs/real.jsonl: the proofs of the real matter's privilege log, for copies/real-bob.jsonl
 */
import { spawnSync } from "node:child_process";
import { existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { realMatter } from "./real-matter.mjs";

const out = process.env.TALLYSTICK_SAMPLES;
if (!out) {
  console.error("Set TALLYSTICK_SAMPLES to the folder for the samples.");
  process.exit(2);
}
const complete = join(out, "complete");
if (existsSync(complete)) process.exit(0);
for (const folder of ["work", "copies", "exhibits", "production", "logs"]) mkdirSync(join(out, folder), { recursive: true });
const at = (...names) => join(out, ...names);

const corpus = at("work", "corpus");
const spot = at("work", "spot.matter");
tallystick("corpus", "mail", "--documents", "150", "--responsive", "30", "--seed", "1", "--out", at("work", "mail"), "--quiet");
const labelled = readFileSync(at("work", "mail", "labels.csv"), "utf8");
writeFileSync(at("work", "mail", "labels.csv"), withClass(labelled));
tallystick("corpus", "build", at("work", "mail", "received"), "--custodian-folders", "--labels", at("work", "mail", "labels.csv"), "--seed", "1", "--out", corpus, "--quiet");
// Alice hides a third, and three in ten are drawn: so there are disputes, errors and an escalation.
tallystick("simulate", corpus, "--responsive", "responsive", "--rounds", "3", "--batch", "30", "--rate", "0.3", "--alice", "hiding:0.3:random", "--seed", "1", "--out", spot, "--quiet");
for (const audience of ["alice", "bob", "court", "public"]) copyOf(spot, audience, `spot-${audience}.jsonl`);
const label = at("work", "label.matter");
tallystick("simulate", corpus, "--responsive", "responsive", "--protocol", "label", "--rounds", "2", "--batch", "20", "--seed", "2", "--out", label, "--quiet");
copyOf(label, "bob", "label-bob.jsonl.gz");

tallystick("list", "labels", spot, "--for", "alice", "--out", at("work", "labels.csv"), "--quiet");
const rows = readFileSync(at("work", "labels.csv"), "utf8").split(/\r?\n/);
const documentOf = (says) => {
  const row = rows.find((line) => line.includes(says));
  if (row === undefined) throw new Error(`the matter has no document that is "${says}"`);
  return row.split(",")[3];
};
exhibit(spot, "reported", "--document", documentOf("reported as responsive"));
exhibit(spot, "ruled", "--document", documentOf("not responsive,responsive,responsive,responsive,in round 2"));
exhibit(spot, "withheld", "--document", documentOf("as not responsive, by Alice"), "--undisclosed");
exhibit(spot, "again", "--document", documentOf("drawn by coin from all that was withheld"));

const twoRounds = ["--rounds", "2", "--batch", "15", "--alice", "hiding:0.4:random", "--seed", "4"];
const validated = (...terms) => ["every=1", "window=1", "hits=none", "yield=none", ...terms].flatMap((term) => ["--validation", term]);
simulated("classes", ["--class", "medical", "--class-share", "0.5", "--rate", "0.5", ...validated("show=0.1", "viewer=court")]);
simulated("stages", ["--rate", "0.3", ...validated("show=0.5", "review=0.2")]);
simulated("classifier", ["--protocol", "classifier", "--delta", "0.3"]);
const real = realMatter(at("work", "real"), corpus, tallystick);
exhibits(real.matter, "real");
const trent = ["--key", real.keys.trent, "--quiet"];
tallystick("copy", real.matter, "--for", "bob", "--out", at("copies", "real-bob.jsonl"), ...trent);
tallystick("produce", real.matter, "--corpus", corpus, "--prefix", "R-", "--out", at("production", "real1"), ...trent);
tallystick("list", "privilege", real.matter, "--corpus", corpus, "--out", at("work", "log.csv"), "--proofs", at("logs", "real.jsonl"), "--quiet");

tallystick("produce", spot, "--corpus", corpus, "--prefix", "ACME", "--out", at("production", "volume1"), "--quiet");
answerTo("production/volume1", "production", at("production", "volume1"), "--copy", at("copies", "spot-bob.jsonl"));
writeFileSync(complete, "");

function copyOf(matter, audience, name) {
  tallystick("copy", matter, "--for", audience, "--out", at("copies", name), "--quiet");
}

function simulated(name, options) {
  const matter = at("work", `${name}.matter`);
  tallystick("simulate", corpus, "--responsive", "responsive", ...twoRounds, ...options, "--out", matter, "--quiet");
  exhibits(matter, name);
}

/** Exhibits of some documents that were in a round. */
function exhibits(matter, name) {
  const csv = at("work", `${name}.csv`);
  tallystick("list", "labels", matter, "--for", "alice", "--out", csv, "--quiet");
  const documents = readFileSync(csv, "utf8").split(/\r?\n/).slice(1, -1).map((row) => row.split(",")[3]);
  documents.filter((_, index) => index % 3 === 0).forEach((document, index) => exhibit(matter, `${name}-${index}`, "--document", document, "--undisclosed"));
}

/** Every fifth document is in a class. */
function withClass(csv) {
  return csv.split("\n").map((row, index) => (index % 5 === 1 && row !== "" ? `${row.trimEnd()}${row.trimEnd().endsWith(",") ? "" : ";"}medical` : row)).join("\n");
}

function exhibit(matter, name, ...options) {
  tallystick("exhibit", matter, "--corpus", corpus, "--out", at("exhibits", name), ...options, "--quiet");
  answerTo(`exhibits/${name}`, "exhibit", at("exhibits", name));
}

/** What the first verifier says. */
function answerTo(name, ...command) {
  writeFileSync(at(`${name}.json`), run("tallystick-verify", [...command, "--json", "--quiet"], [0, 1, 3, 4]));
}

function tallystick(...options) {
  return run("tallystick", options, [0]);
}

function run(program, options, codes) {
  const folder = process.env.TALLYSTICK_BIN;
  const done = spawnSync(folder ? join(folder, program) : program, options, { encoding: "utf8", maxBuffer: 2 ** 28 });
  if (done.error) throw new Error(`${program} could not be started (${done.error.message}). Set TALLYSTICK_BIN to its folder.`);
  if (!codes.includes(done.status)) throw new Error(`${program} ${options.join(" ")} ended with ${done.status}: ${done.stderr}`);
  return done.stdout;
}
