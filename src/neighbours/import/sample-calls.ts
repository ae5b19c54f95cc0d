import type { ClientRules, RuleTarget } from "../rules/client-rule.ts";

/** A call that a rule of the file speaks of, to be judged before and after. */
export interface SampleCall {
  readonly tool: string;
  readonly args: Readonly<Record<string, string>>;
}

const MOST_CALLS = 20;

/** One call for each rule of a file, as far as one can be made up; at most twenty. */
export function sampleCalls(files: readonly ClientRules[]): readonly SampleCall[] {
  const calls = files.flatMap(({ rules }) => rules.flatMap(({ target }) => callFor(target) ?? []));
  return [...new Map(calls.map((call) => [JSON.stringify(call), call])).values()].slice(0, MOST_CALLS);
}

function callFor(target: RuleTarget): SampleCall | null {
  if (target.kind === "command") {
    const { pattern } = target;
    if (pattern.kind === "any") return { tool: "bash", args: { command: "make" } };
    const command = pattern.kind === "prefix" ? pattern.words.join(" ") : pattern.text.replace(/[*?]+/g, "x");
    return command.trim() === "" ? null : { tool: "bash", args: { command } };
  }
  if (target.kind === "path") {
    const lead = { workspace: "", settings: "", home: "~/", absolute: "/" }[target.pattern?.root ?? "workspace"];
    const path = `${lead}${(target.pattern?.glob ?? "example.txt").replace(/[*?]+/g, "x").replace(/^\.\//, "")}`;
    return target.access === "read" ? { tool: "read", args: { path } } : { tool: "write", args: { path, content: "" } };
  }
  if (target.kind === "host") return { tool: "fetch", args: { url: `https://${(target.host ?? "example.com").replace("*", "x")}/` } };
  return null;
}
