/** The list of what was received: a duplicate is of a whole item that entered before it. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { listFault } from "../../src/engine/account.ts";
import { utf8 } from "../../src/engine/bytes.ts";
import type { Account } from "../../src/engine/verdict.ts";

type Item = readonly ["entered" | "duplicate", readonly number[]];

function faultOf(items: readonly Item[], documents: number): string | null {
  const list = items.map(([outcome, numbers], i) => `{"documents":[${numbers.join()}],"outcome":"${outcome}","reason":"","where":"box/${i}"}\n`).join("");
  const count = (outcome: string): number => items.filter((item) => item[0] === outcome).length;
  const account = { containers: 0, exceptions: 0, duplicates: count("duplicate"), entered: count("entered"), reasons: {} } as Partial<Account>;
  return listFault(utf8(list), account as Account, documents, "document");
}

test("an item may come again with all its documents, in any order", () => {
  assert.equal(faultOf([["entered", [2]], ["entered", [1, 0]], ["duplicate", [0, 1]], ["duplicate", [1, 0]], ["duplicate", [2]]], 3), null);
});

test("a duplicate of a part of an item, of two items, of nothing and of what comes later is refused", () => {
  const entered: Item[] = [["entered", [0, 1]], ["entered", [2]]];
  for (const numbers of [[0], [1], [0, 2], [0, 1, 2], [], [3], [9]]) {
    assert.equal(faultOf([...entered, ["duplicate", numbers], ["entered", [3]]], 4), "line 3 of it is a duplicate of no item before it", numbers.join());
  }
});

test("a document enters once", () => {
  for (const items of [[[0], [0]], [[0, 1], [1]], [[0], [1, 0]], [[0, 0]]]) {
    const fault = faultOf(items.map((numbers) => ["entered", numbers] as const), 2);
    assert.match(fault ?? "", /enters a document that cannot enter there$/);
  }
});
