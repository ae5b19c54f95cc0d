import { execFileSync } from "node:child_process";
import { readFileSync } from "node:fs";
import { conformance, node24 } from "./peers.ts";

/** What the suite's scenarios come to, written down beforehand: `client` and `server` of conformance.json. */
export type Side = "client" | "server";
export interface Expected {
  /** Revisions of the protocol at which every check of it passes, and those at which not. `extension` is none. */
  readonly passes?: readonly string[];
  readonly fails?: readonly string[];
  /** Whose code the scenario tests: `SDK` where Zeph's only hands on, `both` where Zeph's takes part, `not run` where neither is asked. */
  readonly of: "Zeph" | "SDK" | "both" | "not run";
  /** Why it does not pass, or what its passing does not show. */
  readonly note?: string;
}

/** Older ones are what the oldest of these is, or are asked for by no scenario alone. */
const REVISIONS = ["2025-03-26", "2025-11-25", "2026-07-28", "extension"];

export const expected = (): Partial<Record<Side, Record<string, Expected>>> =>
  JSON.parse(readFileSync(new URL("./conformance.json", import.meta.url), "utf8"));

/** Every scenario that the suite has, with the revisions that it applies to. */
export function scenarios(side: Side): Record<string, readonly string[]> {
  const said = execFileSync(node24(), [conformance(), "list", `--${side}`], { encoding: "utf8" });
  const found = [...said.matchAll(/^ {2}- (\S+) \[(.*)\]$/gm)];
  return Object.fromEntries(found.map(([, name, revisions]) => [name!, revisions!.split(",").filter((one) => REVISIONS.includes(one))]));
}

export interface Run {
  /** For each scenario that ran, whether every check of it passed, without a warning. */
  readonly passed: Record<string, boolean>;
  readonly said: string;
}

/** The suite's summary: one line for each scenario. */
export const passedIn = (said: string): Record<string, boolean> =>
  Object.fromEntries([...said.matchAll(/^([✓✗]) (\S+): \d+ passed, \d+ failed/gm)].map(([, mark, name]) => [name!, mark === "✓"]));

/** The page with its tables as conformance.json has them. */
export function conformancePage(page: string): string {
  const all = expected();
  return (["client", "server"] as const).reduce(
    (text, side) =>
      text.replace(new RegExp(`(<!-- ${side} -->\n).*?(<!-- end -->)`, "s"), (_, start, end) => `${start}${table(all[side] ?? {})}${end}`),
    page,
  );
}

function table(rows: Record<string, Expected>): string {
  const line = ([name, { passes = [], fails = [], of, note = "" }]: [string, Expected]) =>
    `| \`${name}\` | ${of} | ${passes.join(", ")} | ${fails.join(", ")} | ${note} |`;
  const count = (of: Expected["of"]) => Object.values(rows).filter((row) => row.of === of).length;
  const sum = `Of ${Object.keys(rows).length} scenarios, ${count("Zeph")} test Zeph's own code, ${count("both")} Zeph's and the SDK's together, ${count("SDK")} the SDK alone; ${count("not run")} are not run.\n`;
  const head = ["| Scenario | Whose code it tests | Passes | Does not | Note |", "|---|---|---|---|---|"];
  return [sum, ...head, ...Object.entries(rows).map(line), ""].join("\n");
}
