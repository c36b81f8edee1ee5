/** Forges the beginning of a copy: a neutral with a key of his own signs an opening that says what he likes. */
import { generateKeyPairSync, sign } from "node:crypto";
import { concat, hex } from "../../src/engine/bytes.ts";
import { tagBytes } from "../../src/engine/hash.ts";
import { encode, type Json, type JsonObject, textOf } from "../../src/engine/json.ts";

/** The first two lines of a copy, with another content of its opening. The file ends there, so it is damaged. */
export function forgedOpening(copy: string, change: JsonObject): string {
  const { privateKey, publicKey } = generateKeyPairSync("ed25519");
  const signed = (tag: string, value: JsonObject): string => hex(new Uint8Array(sign(null, concat(tagBytes(tag), encode(value)), privateKey)));
  const [first, second] = copy.split("\n", 2).map((line) => JSON.parse(line) as { [name: string]: Json });
  const { content } = ((second!["entry"] as JsonObject)["body"] as JsonObject)["statement"] as { content: { [name: string]: Json } };
  Object.assign(content, change);
  (content["keys"] as { [name: string]: Json })["trent"] = Buffer.from(publicKey.export({ format: "jwk" }).x!, "base64url").toString("hex");
  const { body } = second!["entry"] as { body: JsonObject };
  second!["entry"] = { body, signature: signed("entry", body) };
  first!["signature"] = signed("manifest", first!["manifest"] as JsonObject);
  return `${textOf(first!)}\n${textOf(second!)}\n`;
}
