import type { ToolCall } from "../core/call.ts";
import type { Question } from "../core/event.ts";
import type { Facts } from "../core/ports/facts.ts";
import { plural } from "../text/words.ts";
import { deletePath } from "./delete-path.ts";
import { unifiedDiff } from "./diff.ts";
import { edit, editedText } from "./edit.ts";
import { write } from "./write.ts";

/** More of a change than a person reads before they answer. */
const LONGEST = 60_000;

/**
 * What a call of `write`, `edit` or `delete_path` would change, for the person who is asked about it. Empty where that cannot be told: the arguments are
 * shown anyway. The other tools that change files make or move something without a change of text: their arguments say it all.
 */
export async function previewChange(
  { tool, input }: Pick<ToolCall, "tool" | "input">,
  peek: NonNullable<Facts["peek"]>,
  redact: (text: string) => string,
): Promise<Pick<Question, "preview" | "preview_whole">> {
  if (tool !== write && tool !== edit && tool !== deletePath) return {};
  const before = await peek(input.path);
  if (before === undefined || (before === null && tool !== write)) return {};
  const after = tool === write ? (input.content as string) : tool === edit ? afterEdit(before!, input) : null;
  if ((after === null && tool !== deletePath) || after === before) return {};
  // Before they are compared: the marks at the head of a diff's lines would hide a secret of several lines.
  const [old, fresh] = [before === null ? null : redact(before), after === null ? null : redact(after)];
  const diff = await unifiedDiff(input.path, old, fresh);
  if (diff === undefined || !diff.includes("\n@@ ")) return {};
  if (diff.length > LONGEST) return { preview: cut(diff) };
  return { preview: diff, ...(old === before && fresh === after && { preview_whole: true }) };
}

/** Null for an edit that fails anyway. */
function afterEdit(before: string, input: Parameters<typeof editedText>[1]): string | null {
  if (input.old_string === "") return null;
  try {
    return editedText(before, input).after;
  } catch {
    return null;
  }
}

function cut(diff: string): string {
  const shown = diff.slice(0, diff.lastIndexOf("\n", LONGEST) + 1);
  return `${shown}[${plural(diff.slice(shown.length).trimEnd().split("\n").length, "more line")} of the change left out]\n`;
}
