/** Bundles the TypeScript tests below `test/files` and runs them with node's own test runner. */
import { spawnSync } from "node:child_process";
import { readdirSync } from "node:fs";
import { build } from "esbuild";

const only = process.argv.slice(2);
const tests = readdirSync("test/files").filter((name) => name.endsWith(".test.ts") && (only.length === 0 || only.some((part) => name.includes(part))));
await build({
  entryPoints: tests.map((name) => `test/files/${name}`),
  outdir: "build/tests-files",
  outExtension: { ".js": ".mjs" },
  bundle: true,
  platform: "node",
  format: "esm",
  define: { __VERSION__: '"test"', __SPECIFICATION__: '"test"' },
  logLevel: "error",
});
const result = spawnSync(process.execPath, ["--test", ...tests.map((name) => `build/tests-files/${name.replace(/\.ts$/, ".mjs")}`)], { stdio: "inherit" });
process.exitCode = result.status ?? 1;
