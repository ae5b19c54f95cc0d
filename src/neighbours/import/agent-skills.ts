import { type Fate, type ImportEntry, openLedger } from "./ledger.ts";

/** A description of an agent, which is a text with a head, as a skill. */
export interface AgentSkill {
  /** The folder of the skill, which is its name; null where it cannot be one. */
  readonly name: string | null;
  readonly text: string;
  readonly entries: readonly ImportEntry[];
}

const REASONS: Readonly<Record<string, string>> = {
  tools: "a skill is given no rights by what it says about itself",
  "allowed-tools": "a skill is given no rights by what it says about itself",
  disallowedTools: "a skill is given no rights by what it says about itself; deny tools in your settings",
  permissionMode: "a mode is never taken over",
  model: "a skill runs with the model of the conversation",
};

const FROM = /^<!-- from (.+), \d{4}-\d\d-\d\d -->$/m;

/** Whether a skill that is there was made from this file, and may be replaced. */
export const isSkillFrom = (text: string, source: string): boolean => FROM.exec(text)?.[1] === source;

/** `.claude/agents/x.md` as a skill. Commands and files that its text names stay text: nothing is run or read. */
export function agentSkill(file: string, source: string, text: string, date: string): AgentSkill {
  const { head, body, bodyLine } = split(text.replace(/^\ufeff/, "").replace(/\r\n/g, "\n"));
  const leaves = [
    ...head.map(({ key, line }) => ({ path: [key], line, isOverridden: false })),
    ...(body.trim() === "" ? [] : [{ path: ["the text"], line: bodyLine, isOverridden: false }]),
  ];
  const ledger = openLedger({ data: null, leaves });
  const headValue = (key: string) => head.find((one) => one.key === key)?.value ?? "";
  const wanted = (headValue("name") || file.replace(/\.md$/, ""))
    .toLowerCase()
    .replace(/[^a-z0-9]+/g, "-")
    .replace(/^-+|-+$/g, "")
    .slice(0, 64);
  const name = wanted === "" || body.trim() === "" ? null : wanted;
  for (const [key, why] of Object.entries(REASONS)) ledger.claim([key], { list: "not taken", why });
  const taken: Fate =
    name === null ? { list: "not taken", why: "it has no name or no text" } : { list: "taken", pieces: [], why: `the skill ${name}` };
  for (const key of ["name", "description"]) ledger.claim([key], taken);
  const runs = /!`|^@\S|\s@[\w./]/m.test(body);
  ledger.claim(
    ["the text"],
    runs && name !== null ? { list: "changed", pieces: [], why: "what it runs with !`…` or reads with @… stays text" } : taken,
  );
  const description = (headValue("description") || `From ${source}`).replace(/\s+/g, " ").slice(0, 1000);
  const made = `---\nname: ${name ?? ""}\ndescription: ${JSON.stringify(description)}\n---\n<!-- from ${source}, ${date} -->\n\n${body.trim()}\n`;
  return { name, text: made, entries: ledger.close() };
}

interface HeadLine {
  readonly key: string;
  readonly value: string;
  readonly line: number;
}

/** The head between two lines of dashes; only keys at the left edge are read. */
function split(text: string): { head: readonly HeadLine[]; body: string; bodyLine: number } {
  const lines = text.split("\n");
  const end = lines[0]?.trim() === "---" ? lines.indexOf("---", 1) : -1;
  if (end < 0) return { head: [], body: text, bodyLine: 1 };
  const seen = new Set<string>();
  const head = lines.slice(1, end).flatMap((line, n): HeadLine[] => {
    const [, key, value = ""] = /^([A-Za-z][\w-]*):\s*(.*)$/.exec(line) ?? [];
    if (key === undefined || seen.has(key)) return [];
    seen.add(key);
    return [{ key, value: value.trim().replace(/^(["'])(.*)\1$/, "$2"), line: n + 2 }];
  });
  return { head, body: lines.slice(end + 1).join("\n"), bodyLine: end + 2 };
}
