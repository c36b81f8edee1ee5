/**
 * Plays a matter between real parties by the installed commands, with all that a round can hold beside its course: silence,
 * orders, new keys, late claims of privilege, an amendment, documents asked back. A validation ends it.
 */
import { existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";

const TERMS = `
[caption]
case = "A. v. B."
court = "A court"
request = "All that is responsive."
[review]
protocol = "spot-check"
batch = 12
rounds = 3
rate = 0.4
target = 0.9
penalty = "none"
every = 2
limit = 0.5
doubt = 0.05
query = ""
[validation]
target = 0.8
show = 0.1
viewer = "bob"
window = 5
every = 100
`;

/** What comes in between, by the question that is open: the kind of its answer, and how often it was asked so far. */
const EVENTS = {
  "bob link 1": ["default", "--absent", "bob"],
  "bob labels 1": ["rekey", "--role", "bob"],
  "alice report 2": ["rekey", "--role", "alice"],
  "bob labels 3": ["default", "--absent", "bob"],
  "alice report 4": ["default", "--absent", "alice"],
  "alice look 2": ["default", "--absent", "alice"],
};
/** What Trent asks for once an answer is on record, while nobody must answer. */
const ASKED = { "court privilege 1": ["late"], "court rulings 1": ["clawback"], "bob link 3": ["amend", "--limit", "0.6"], "bob link 4": ["late"] };

export function realMatter(folder, corpus, tallystick) {
  mkdirSync(folder, { recursive: true });
  const at = (...names) => join(folder, ...names);
  const keys = {};
  const newKey = (role, name) => {
    tallystick("key", "new", "--role", role, "--no-passphrase", "--out", at(`${name}.key`));
    return at(`${name}.key`);
  };
  for (const role of ["trent", "alice", "bob", "court"]) keys[role] = newKey(role, role);
  writeFileSync(at("terms.toml"), TERMS + Object.keys(keys).map((role) => `[parties.${role}]\nname = "${role}"\nkey = "${role}.key.pub"\n`).join(""));
  const matter = at("real.matter");
  const trent = ["--key", keys.trent, "--quiet"];
  tallystick("matter", "open", at("terms.toml"), "--corpus", corpus, "--out", matter, ...trent);

  const asked = {};
  const granted = {};
  let answers = 0;
  for (let isClosed = false; ; ) {
    const { questions } = JSON.parse(tallystick("matter", "next", matter, "--corpus", corpus, "--outbox", at("outbox"), "--json", ...trent));
    if (questions.length === 0) {
      if (isClosed) return { matter, keys };
      tallystick("matter", "close", matter, ...trent);
      isClosed = true;
      continue;
    }
    for (const { role, kind, path } of questions) {
      const times = (asked[`${role} ${kind}`] = (asked[`${role} ${kind}`] ?? 0) + 1);
      const name = `${role} ${kind} ${times}`;
      const event = EVENTS[name];
      if (event !== undefined) {
        if (event[0] === "rekey") granted[role] = newKey(role, `${role}-${times}`);
        tallystick("matter", ...event, matter, ...(event[0] === "rekey" ? ["--new-key", `${granted[role]}.pub`] : []), ...trent);
        break;
      }
      const answer = at(`answer-${++answers}.json`);
      tallystick("answer", path, "--key", keys[role], "--out", answer, "--yes", "--quiet", ...filledIn(path, kind, at));
      tallystick("matter", "accept", matter, answer, ...trent);
      if (kind === "rekeyed") Object.assign(keys, granted);
      if (ASKED[name] !== undefined) tallystick("matter", ...ASKED[name], matter, ...trent);
    }
  }
}

/** The options of an answer, with its forms filled in. Which label is right nobody asks here. */
function filledIn(path, kind, at) {
  const form = (name, cells) => {
    const [head, ...rows] = readFileSync(join(path, name), "utf8").replace(/^\ufeff/, "").split("\r\n").filter((row) => row !== "").map(cellsOf);
    for (const row of rows) for (const [column, value] of Object.entries(cells(Number(row[0])))) if (head.includes(column) && row[head.indexOf(column)] === "") row[head.indexOf(column)] = value;
    writeFileSync(at(name), [head, ...rows].map((row) => row.map((cell) => `"${cell.replaceAll('"', '""')}"`).join(",")).join("\r\n") + "\r\n");
    return at(name);
  };
  const yes = (is) => (is ? "yes" : "no");
  const isResponsive = (position) => position % 4 === 0;
  const isClaimed = (position) => (kind === "report" ? position % 5 === 1 : position % 3 === 2);
  // Keys are new each time, and so are coins: what is alike may come up or not.
  const alike = () => {
    if (!existsSync(join(path, "alike.csv"))) return [];
    const rows = JSON.parse(readFileSync(join(path, "alike.json"), "utf8"));
    return ["--alike", form("alike.csv", (row) => ({ answer: answerTo(rows[row - 1], isResponsive, isClaimed) }))];
  };
  switch (kind) {
    case "report": {
      const claims = form("privilege.csv", (position) => (isClaimed(position) ? { basis: `advice of counsel, ${position}` } : {}));
      return ["--labels", form("labels.csv", (position) => ({ responsive: yes(isResponsive(position)) })), "--privilege", claims, ...alike()];
    }
    case "labels":
      return ["--labels", form("labels.csv", (position) => ({ responsive: yes(position % 2 === 0), reason: position === 2 ? "it names the contract" : "" }))];
    case "rulings":
      return ["--labels", form("labels.csv", (position) => ({ responsive: yes(position % 3 === 0) }))];
    case "privilege":
    case "returned":
      return ["--upheld", form("labels.csv", (position) => ({ upheld: yes(position % 2 === 1), responsive: yes(position % 2 === 0) }))];
    case "claim":
      return ["--privilege", form("privilege.csv", (position) => (isClaimed(position) ? { basis: `noticed late, ${position}` } : {})), ...alike()];
    case "reclaim":
      return ["--privilege", form("privilege.csv", (position) => (position <= 2 ? { basis: `sent by mistake, ${position}` } : {}))];
    case "look":
      return ["--give-up", form("withheld.csv", (position) => ({ "give up": position === 1 ? "yes" : "" }))];
    case "order":
    case "rekeyed":
      return ["--grant"];
    case "amended":
      return ["--accept"];
    default:
      return [];
  }
}

/** Whether a document is privileged like another one, or is treated as that is. */
function answerTo({ label, labels, other, position, reason }, isResponsive, isClaimed) {
  if (["upheld", "claimed", "candidate"].includes(reason)) return isClaimed(position) ? "yes" : "no";
  const isTogether = reason === "together";
  const differs = labels && isResponsive(position) !== (isTogether ? isResponsive(other.position) : label);
  return differs || isClaimed(position) !== (isTogether && isClaimed(other.position)) ? "no" : "yes";
}

function cellsOf(row) {
  return [...row.matchAll(/(?:^|,)(?:"((?:[^"]|"")*)"|([^,]*))/g)].map(([, quoted, plain]) => (quoted === undefined ? plain : quoted.replaceAll('""', '"')));
}
