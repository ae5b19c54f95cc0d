import * as z from "zod";
import { CATEGORIES } from "../src/core/error.ts";
import type { AnyTool } from "../src/core/tool.ts";
import { background } from "../src/tools/background.ts";
import { bash } from "../src/tools/bash.ts";
import { ALIASES, TOOLS } from "../src/tools/index.ts";

/** docs/tools.md */
export function toolsPage(): string {
  const aliases = [...ALIASES].map(([alias, name]) => `\`${alias}\` is another name for \`${name}\`.`).join(" ");
  return `# Tools

This page is generated from \`src/tools/\`. \`zeph tools\` shows the same on the command line. Relative paths start at the working directory. ${aliases}

${[bash(() => []), background, ...TOOLS].map(section).join("\n")}`;
}

function section({ name, description, effect, input }: AnyTool): string {
  const schema = z.toJSONSchema(input, { io: "input" }) as { properties: Record<string, Property>; required?: string[] };
  const rows = Object.entries(schema.properties).map(
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
  readonly type: string;
  readonly description?: string;
}
const words = ({ type }: Property) => type;

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

What the tool produced all the same follows after a blank line.

| Category | Tried again | Whose mistake | What the model is told |
|---|---|---|---|
${rows.join("\n")}

"By the system" holds for tools that only read or fetch: \`tools.retry\` says how often and for how long. A write that failed is never repeated.

Exit codes of \`zeph call\`: 0 ok, 2 usage or configuration, 3 denied, 4 needs a confirmation nobody gave, 5 the tool failed, 130 cancelled.
`;
}

const RETRY = { never: "no", reformat: "after the arguments were repaired", system: "by the system" };
