/**
 * Builds the command `dist/verify.mjs` and the page, in `dist/` and here; with `--tests` the command and the tests.
 * With `--same` the page here stays as it is, and it is an error if the sources give another one.
 *
 * The same sources give the same bytes on any machine: nothing here reads a clock, a path or the environment.
 */
import { mkdir, readdir, writeFile } from "node:fs/promises";
import { fileURLToPath } from "node:url";
import { build } from "esbuild";

const HERE = new URL("./", import.meta.url);
const here = fileURLToPath(HERE);
const common = { absWorkingDir: here, bundle: true, platform: "node", format: "esm", target: "node20", logLevel: "warning" };

async function buildCommand() {
  const result = await build({
    ...common,
    entryPoints: ["src/command/verify.ts"],
    write: false,
    charset: "ascii",
    legalComments: "none",
  });
  await mkdir(new URL("dist/", HERE), { recursive: true });
  await writeFile(new URL("dist/verify.mjs", HERE), result.outputFiles[0].contents);
}

async function buildTests() {
  const tests = [];
  for (const folder of ["command", "engine", "files"]) {
    const names = await readdir(new URL(`test/${folder}/`, HERE)).catch(() => []);
    tests.push(...names.filter((name) => name.endsWith(".test.ts")).map((name) => `test/${folder}/${name}`));
  }
  await build({
    ...common,
    entryPoints: tests,
    outdir: "build/tests",
    outbase: "test",
    outExtension: { ".js": ".mjs" },
    define: { __VERSION__: '"test"', __SPECIFICATION__: '"test"' },
  });
}

await buildCommand();
if (process.argv.includes("--tests")) await buildTests();
else {
  const { assemble } = await import("./assemble.mjs");
  const { size, sha256 } = await assemble(!process.argv.includes("--same"));
  console.log(`dist/tallystick-verify.html: ${size} bytes, SHA-256 ${sha256}`);
}
