import { parseSync } from "oxc-parser";

/** A file of the source and its text. */
interface SourceText {
  readonly file: string;
  readonly text: string;
}

/** Files that may know tools by their names, and why. */
export const KNOW_TOOLS: Readonly<Record<string, string>> = {
  "src/agent/repetition.ts": "a request is looked at before its tool is known",
  "src/catalog/config.ts": "the default of a setting that lists names",
  "src/core/facets.ts": "says how the tools of servers are named",
  "src/neighbours/import/own-tools.ts": "which of our tools do what a rule of another agent speaks of",
  "src/front/acp/calls.ts": "an editor shows a command as one",
  "src/front/acp/diffs.ts": "an editor shows an edit as a diff",
  "src/front/acp/call-titles.ts": "an editor has a kind and a title for each of our tools",
  "src/front/cli/demo/demo.ts": "a fixed script of calls",
  "src/front/cli/run/call.ts": "the arguments of a command line",
  "src/runtime/adapters/claude-agent-sdk.ts": "says how Claude names the tools of a server",
  "src/gates/permissions/permissions.ts": "rules of these tools say whether walls stand in for knowing a command",
  "src/gates/permissions/rule-verdicts.ts": "a rule about writing files covers deleting them",
  "src/gates/suspicion/names.ts": "reads the one argument of edit that quotes a file",
  "src/gates/utility/utility.ts": "the default of a setting that lists names",
  "src/models/fenced-model.ts": "a model without tool calls is taught their names",
  "src/runtime/audit-details.ts": "says for the audit log which of our tools act as another user",
  "src/runtime/rules/conversation-listener.ts": "a request is looked at before it is judged",
};

/** The names of our own tools, as `tools/` defines them. */
export const toolNames = (sources: readonly SourceText[]): ReadonlySet<string> =>
  new Set(
    sources
      .filter(({ file }) => file.startsWith("src/tools/"))
      .flatMap(({ text }) => [...text.matchAll(/defineOwnTool\(\{\s*name: "(\w+)"/g)].map(([, name]) => name!)),
  );

/** Where a file compares a tool's name to a literal, lists names of tools, or looks for the prefix of a server's. */
export function findNamedTools({ file, text }: SourceText, names: ReadonlySet<string>): string[] {
  if (!/\bmcp__/.test(text) && ![...names].some((name) => text.includes(`"${name}"`))) return [];
  const found: string[] = [];
  const visit = (node: any): void => {
    if (Array.isArray(node)) for (const child of node) visit(child);
    else if (typeof node?.type === "string") {
      if (node.type === "BinaryExpression" && /^[!=]==?$/.test(node.operator))
        for (const [one, other] of [
          [node.left, node.right],
          [node.right, node.left],
        ])
          if (isName(one) && names.has(other?.value)) found.push(text.slice(node.start, node.end));
      if (node.type === "ArrayExpression" && node.elements.length > 1 && node.elements.every((item: any) => names.has(item?.value)))
        found.push(text.slice(node.start, node.end));
      if (/^(Literal|TemplateElement)$/.test(node.type) && /^\^?(?:\(\?:)?mcp__/.test(String(node.value?.raw ?? node.value)))
        found.push(text.slice(node.start, node.end));
      for (const child of Object.values(node)) if (typeof child === "object") visit(child);
    }
  };
  visit(parseSync(file, text, { lang: "ts" }).program);
  return found;
}

const isName = (node: any): boolean =>
  /^(name|tool|toolName)$/.test(node?.type === "MemberExpression" ? node.property.name : (node?.name ?? ""));
