/** Canonical JSON: what is read is the one encoding of what it says. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { base64, fromUtf8, unbase64, unhex, utf8 } from "../../src/engine/bytes.ts";
import { encode, parseCanonical } from "../../src/engine/json.ts";

function isCanonical(text: string): boolean {
  return !("error" in parseCanonical(utf8(text)));
}

test("canonical JSON is read, and encodes again to the same bytes", () => {
  const texts = [
    "{}", "[]", "null", "true", "0", "-1", "9007199254740991", "-9007199254740991", '""', '"é😀"', '"\\u0001\\n\\"\\\\"', '"\u007f"',
    '{"":1,"a":[1,{"b":null}],"b":"x"}', '{"1":0,"10":0,"2":0}', '{"__proto__":1,"constructor":2}',
  ];
  for (const text of texts) {
    const parsed = parseCanonical(utf8(text));
    assert.ok("value" in parsed, text);
    assert.equal(fromUtf8(encode(parsed.value)), text);
  }
});

test("everything else is refused", () => {
  const texts = [
    "", " 1", "1 ", "-0", "01", "1.0", "1e3", "+1", "9007199254740992", "tru", "[1,]", "[1 ,2]", '{"b":1,"a":2}', '{"a":1,"a":1}', "{a:1}",
    '"\\u000a"', '"\\/"', '"\\u00e9"', '"\\u001F"', '"\\ud800"', '"\u0001"', '"x', '{"é":1}', "[".repeat(33) + "]".repeat(33), "nul", "[", "{", "1\n",
  ];
  for (const text of texts) assert.ok(!isCanonical(text), JSON.stringify(text));
});

test("bytes that are no UTF-8 are refused", () => {
  for (const bytes of [[0x22, 0xff, 0x22], [0x22, 0xed, 0xa0, 0x80, 0x22], [0x22, 0xc0, 0x80, 0x22]]) {
    assert.ok("error" in parseCanonical(new Uint8Array(bytes)));
  }
});

test("32 deep is read, 33 deep is not", () => {
  assert.ok(isCanonical("[".repeat(32) + "]".repeat(32)));
  assert.ok(!isCanonical("[".repeat(33) + "]".repeat(33)));
});

test("base64 and hex have one form", () => {
  for (const text of ["", "AA==", "AAA=", "AAAA"]) assert.equal(base64(unbase64(text)!), text);
  for (const text of ["A", "AA", "AB==", "AAB=", "AA=A", "====", "A-==", "AA==\n"]) assert.equal(unbase64(text), null, text);
  for (const text of ["0", "0G", "AB", "é0"]) assert.equal(unhex(text), null, text);
});
