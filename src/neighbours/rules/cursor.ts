import { type ClientRule, type ClientRules, NO_TEXT, type RuleTarget, type UnreadRule, valueIn, writtenText } from "./client-rule.ts";
import { readPathPattern } from "./path-pattern.ts";

/** `permissions.{deny,allow}` of its command line: `Shell(program)`, `Read(files)`, `Write(files)`, `WebFetch(host)`, `Mcp(server:tool)`. A denial wins. */
export function readCursorRules(data: unknown): ClientRules {
  const rules: ClientRule[] = [];
  const unread: UnreadRule[] = [];
  for (const action of ["deny", "allow"] as const) {
    const list = valueIn(data, "permissions", action);
    if (list === undefined) continue;
    const entries: readonly unknown[] = Array.isArray(list) ? list : [];
    if (!Array.isArray(list))
      unread.push({ at: ["permissions", action], written: action, action, why: "it is no list of rules", about: "anything" });
    for (const [n, written] of entries.entries()) {
      const place = ["permissions", action, n];
      const target = typeof written === "string" ? readCursorRule(written) : NO_TEXT;
      if (typeof target === "string") unread.push({ at: place, written: writtenText(written), action, why: target, about: "anything" });
      else rules.push({ at: place, written: written as string, action, target });
    }
  }
  return { client: "cursor", decides: "strictest", rules, unread };
}

function readCursorRule(written: string): RuleTarget | string {
  const [, tool = "", what = ""] = /^(\w+)\(([\s\S]*)\)$/.exec(written.trim()) ?? [];
  const spec = what.trim();
  if (tool === "") return "it cannot be read as a rule";
  if (tool === "Shell") return shellTarget(spec);
  if (tool === "Read" || tool === "Write") {
    const access = tool === "Read" ? "read" : "write";
    if (spec.startsWith("!")) return "a pattern that takes something out of another one has no counterpart";
    if (spec === "" || spec === "*" || spec === "**" || spec === "**/*") return { kind: "path", access, pattern: null };
    // Here a slash in front is the root of the disk.
    return { kind: "path", access, pattern: readPathPattern(spec.startsWith("/") && !spec.startsWith("//") ? `/${spec}` : spec) };
  }
  if (tool === "WebFetch") return { kind: "host", host: spec === "*" || spec === "" ? null : spec.toLowerCase() };
  if (tool !== "Mcp") return `Zeph has no tool that ${tool} would be`;
  const [server = "", name = "*"] = spec.split(":");
  if (server === "" || server.includes("*")) return "the server is not named";
  return { kind: "server", server, tool: name === "*" ? null : name };
}

/** A program; behind a colon a pattern for its arguments. */
function shellTarget(spec: string): RuleTarget {
  const [program = "", ...rest] = spec.split(":");
  const after = rest.join(":");
  if (program === "*" || program === "") return { kind: "command", pattern: { kind: "any" } };
  if (after === "" || after === "*") {
    if (program.includes("*")) return { kind: "command", pattern: { kind: "wildcard", text: program, question: false } };
    return { kind: "command", pattern: { kind: "prefix", words: program.split(/\s+/) } };
  }
  return { kind: "command", pattern: { kind: "wildcard", text: `${program} ${after}`, question: false } };
}
