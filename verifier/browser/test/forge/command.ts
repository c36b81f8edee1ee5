/** Writes forged copies, one in a line: `--from N`, `--count N`. It judges none of them. */
import { base64 } from "../../src/engine/bytes.ts";
import { forge } from "./forge.ts";

function option(name: string, otherwise: number): number {
  const at = process.argv.indexOf(`--${name}`);
  const value = at < 0 ? otherwise : Number(process.argv[at + 1]);
  if (!Number.isSafeInteger(value) || value < 0) throw new Error(`--${name} needs a natural number`);
  return value;
}

const from = option("from", 0);
const count = option("count", 100);
for (let seed = from; seed < from + count; seed++) {
  const { source, change, copy } = await forge(seed);
  process.stdout.write(`${JSON.stringify({ seed, source, change, copy: base64(copy) })}\n`);
}
