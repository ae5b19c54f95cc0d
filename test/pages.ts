import { CATEGORIES } from "../src/core/error.ts";
import type { Caller } from "../src/core/session.ts";
import { ABOUT_GATES } from "../src/gates/about/about.ts";
import type { AboutGate } from "../src/gates/about/gate.ts";
import type { ToolInfo } from "../src/index.ts";
import { ALIASES } from "../src/tools/index.ts";

/** docs/tools.md, of every tool a runtime has by itself. */
export function toolsPage(tools: readonly ToolInfo[]): string {
  const aliases = [...ALIASES].map(([alias, name]) => `\`${alias}\` is another name for \`${name}\`.`).join(" ");
  return `# Tools

This page is generated from the tools a runtime has by itself; MCP servers and programs bring more. \`zeph tools\` shows the same on the command line. Relative paths start at the working directory. ${aliases}

${tools.map(section).join("\n")}`;
}

function section({ name, description, effect, parameters }: ToolInfo): string {
  const schema = parameters as { properties?: Record<string, Property>; required?: string[] };
  const rows = Object.entries(schema.properties ?? {}).map(
    ([key, property]) =>
      `| \`${key}\` | ${words(property)} | ${schema.required?.includes(key) ? "yes" : "no"} | ${property.description ?? ""} |`,
  );
  return `## \`${name}\`

${description} Effect: ${effect}.

| Argument | Type | Required | Meaning |
|---|---|---|---|
${rows.join("\n")}
`;
}

interface Property {
  readonly type?: string;
  readonly anyOf?: readonly Property[];
  readonly description?: string;
}
const words = ({ type, anyOf = [] }: Property): string => type ?? anyOf.map(words).join(" or ");

/** docs/errors.md */
export function errorsPage(): string {
  const rows = Object.entries(CATEGORIES).map(
    ([name, { retry, blame, advice }]) => `| \`${name}\` | ${RETRY[retry]} | ${blame} | ${advice} |`,
  );
  return `# Errors

This page is generated from \`src/core/error.ts\`. A failed call has one of these categories. The model reads a block, never a bare string:

\`\`\`
[tool_error]
category: rate_limited
error: too many requests
suggestion: Rate limit exceeded. The system will retry if possible.
retryable: true
\`\`\`

If the tool produced output before it failed, the output follows after a blank line.

| Category | Tried again | Whose mistake | What the model reads |
|---|---|---|---|
${rows.join("\n")}

"By the system" applies to tools that only read or fetch; \`tools.retry\` says how often and for how long. A write that failed is never repeated.

Exit codes of \`zeph call\`: 0 ok, 2 usage or configuration, 3 denied, 4 needs a yes that was not given, 5 the tool failed, 130 cancelled.
`;
}

const RETRY = { never: "no", reformat: "after the arguments were repaired", system: "by the system" };

/** docs/gates.md. What was measured and what was written by hand is taken over from the page as it is. */
export function gatesPage(page: string): string {
  const rows = ABOUT_GATES.map(
    ({ name, asks, settings, byDefault }) => `| [\`${name}\`](#${name}) | ${asks} | ${listed(settings)} | ${byDefault} |`,
  );
  return `# Gates: how a call is decided

Every call passes one door. The door asks the blocklist first, which nothing can switch off; then every gate, in a fixed order; then, if all of them agree, your own hooks.
Each of them answers *pass*, *ask* or *deny*, with its rule and its reason. The strictest answer counts. A gate that fails or hangs denies.
\`zeph policy check\`, \`zeph.judge(tool, args)\` and \`/policy check\` show every answer and run nothing. [policy.md](policy.md) shows how to write rules.

This page is generated from \`src/gates/about*.ts\`; a test runs each example. The measured numbers and the last part are written by hand.

| Gate | What it asks | Settings | Default |
|---|---|---|---|
${rows.join("\n")}

${ABOUT_GATES.map(gateSection).join("\n")}
## What it costs to decide

${kept(page, "bench:gates")}

${kept(page, "by hand")}
`;
}

function gateSection({ name, asks, cost, example }: AboutGate): string {
  const { toml, call, before = [], verdict, rule, why, told, given } = example;
  const asCode = (text: string) => (text.includes("`") ? `\`\` ${text} \`\`` : `\`${text}\``);
  const shown = ({ tool, args, caller }: typeof call) => `\`${tool} ${JSON.stringify(args)}\`${caller ? ` by ${callerWords(caller)}` : ""}`;
  return `## ${name}

${asks} What it costs: ${cost}.

${toml === "" ? "" : `\`\`\`toml\n${toml}\n\`\`\`\n\n`}${given === undefined ? "" : `Given ${given}: `}${before.length > 0 ? `After ${before.map(shown).join(", ")}, ` : ""}${shown(call)} → **${verdict}**${rule === null ? "" : `, by ${asCode(rule)}`}:

> ${why}
${told === undefined ? "" : `\nThe model reads: \`${told}\`.\n`}`;
}

/** Who calls, in words: a person's own call needs none. */
function callerWords({ trust, callerId, phase, client }: Caller): string {
  if (client) return `the agent ${client.name}`;
  if (phase === "executor") return "a model";
  return `${trust === "untrusted" ? "an" : "a"} ${trust} caller${callerId === undefined ? "" : ` named "${callerId}"`}`;
}

/** Settings of one table are named behind it. */
function listed(settings: readonly string[]): string {
  if (settings.length === 0) return "none";
  const tables = new Map<string, string[]>();
  for (const key of settings) {
    const end = key.lastIndexOf(".");
    const table = key.slice(0, Math.max(end, 0));
    tables.set(table, [...(tables.get(table) ?? []), key.slice(end + 1)]);
  }
  const text = ([table, keys]: [string, string[]]) =>
    table === "" || keys.length === 1
      ? keys.map((key) => `\`${table === "" ? key : `${table}.${key}`}\``).join(", ")
      : `\`${table}\`: ${keys.map((key) => `\`${key}\``).join(", ")}`;
  return [...tables].map(text).join("; ");
}

/** What stands between two marks, with them. */
function kept(page: string, mark: string): string {
  const [part] = new RegExp(`<!-- ${mark} -->[\\s\\S]*<!-- /${mark} -->`).exec(page) ?? [];
  if (part === undefined) throw new Error(`The page has no part <!-- ${mark} -->.`);
  return part;
}
