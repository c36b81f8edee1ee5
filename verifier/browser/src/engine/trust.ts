/** V04: the fingerprints that the reader got elsewhere. */

import { ROLES, type Role, type Trust } from "./verdict.ts";

/** A fingerprint in its one form, whatever blanks stand in it; null if the text is none. */
export function readFingerprint(text: string): string | null {
  const digits = text.replace(/[\s-]/g, "");
  return /^[0-9]{40}$/.test(digits) ? digits.match(/.{5}/g)!.join(" ") : null;
}

/** Reads lines such as `alice 71931 93712 …`. Empty lines and lines that begin with # are left out. */
export function parseTrust(text: string): Trust | { readonly error: string } {
  const trust: Partial<Record<Role, string[]>> = {};
  const rows = text.split(/\r?\n/);
  for (let i = 0; i < rows.length; i++) {
    const row = rows[i]!.trim();
    if (row === "" || row.startsWith("#")) continue;
    const match = /^([a-z]+)[\s:]+(.*)$/i.exec(row);
    const role = ROLES.find((known) => known === match?.[1]?.toLowerCase());
    const fingerprint = match === null ? null : readFingerprint(match[2]!);
    if (role === undefined || fingerprint === null) {
      return { error: `Line ${i + 1} of the fingerprints is not a role and 40 digits. Write a line such as "alice 71931 93712 …".` };
    }
    (trust[role] ??= []).push(fingerprint);
  }
  return trust;
}

/** Fingerprints as they are compared. */
export function normalTrust(trust: Trust): Trust {
  const normal: Partial<Record<Role, string[]>> = {};
  for (const role of ROLES) {
    const lines = trust[role];
    if (lines !== undefined) normal[role] = lines.map((line) => readFingerprint(line) ?? line);
  }
  return normal;
}

/** Whether the reader trusts a key of a role: null if no fingerprint of the role is known. */
export function isTrusted(trust: Trust, role: Role, fingerprint: string): boolean | null {
  const lines = trust[role];
  return lines === undefined || lines.length === 0 ? null : lines.includes(fingerprint);
}
