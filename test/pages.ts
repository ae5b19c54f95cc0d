import { CATEGORIES } from "../src/core/error.ts";
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
