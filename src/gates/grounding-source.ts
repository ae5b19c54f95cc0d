import type { ToolCall } from "../core/call.ts";
import { facetsOf } from "../core/facets.ts";
import type { Facts } from "../core/ports/facts.ts";
import type { ToolOutput } from "../core/tool.ts";
import { programName } from "../shell/options.ts";
import { attempt } from "../text/attempt.ts";
import { wordSet } from "../text/words.ts";
import { isOfServer } from "./sentinel/stranger.ts";

/** Programs that show what is stored, word for word. Whatever else prints an address may have put it together from what a model gave it. */
const SHOWS = wordSet("cat head tail less more nl sort uniq wc grep egrep fgrep rg ls git npm pnpm yarn pip pip3 cd pwd true curl wget gh");
/** With these even such a program prints what it was told to. */
const COMPOSES: Readonly<Record<string, RegExp>> = {
  git: /^(-c$|--format|--pretty|--line-prefix|--src-prefix|--dst-prefix)/,
  rg: /^(-\w*r|--replace)/,
  grep: /^--label/,
  curl: /^(-w|--write-out|-\w*[dF]|--data|--form|--json)/,
  gh: /^(-q|--jq|-t|--template)/,
};
const NEVER_COMPOSES = /^\b$/;

/** A call that can make something: a file, or an output that nobody but the model worded. */
export function makesText({ tool, touches }: Pick<ToolCall, "tool" | "touches">): boolean {
  if (isOfServer({ tool }) || tool.effect === "reads" || tool.effect === "fetches") return false;
  if (tool.effect !== "runs") return true;
  const commands = touches.filter((touch) => touch.kind === "command");
  return (
    commands.length === 0 ||
    touches.some((touch) => touch.kind === "unknown" || (touch.kind === "path" && touch.access !== "read")) ||
    !commands.every(({ argv: [program, ...args] }) => {
      const name = typeof program === "string" ? programName(program) : "";
      const composes = COMPOSES[name] ?? NEVER_COMPOSES;
      return SHOWS.has(name) && !args.some((word) => word === null || composes.test(word));
    })
  );
}

/**
 * Whether the addresses in a result are somebody else's: a page's, a server's, or those of files as they were before the model made anything. `since`
 * is when it first did; null when it has not.
 */
export function groundsAddresses(
  call: Pick<ToolCall, "tool" | "touches">,
  output: ToolOutput | undefined,
  since: number | null,
  facts: Pick<Facts, "canonical" | "changedAt"> | null,
): boolean {
  const { tool, touches } = call;
  if (tool.effect === "fetches" || isOfServer(call)) return true;
  // Of a program's own tool nothing is known; a skill's last words are a model's.
  if (tool.effect === "unknown") return facetsOf(tool).about !== "skill";
  if (tool.effect === "runs" ? makesText(call) : tool.effect !== "reads") return false;
  // What reads nothing that is named may give back what it was handed.
  if (tool.effect === "reads" && touches.length === 0) return false;
  if (since === null) return true;
  const isOld = (path: string) => {
    const place = attempt(() => facts?.canonical(path) ?? null, null);
    const at = place === null ? null : (facts?.changedAt?.(place) ?? null);
    return at !== null && at < since;
  };
  const named = touches.flatMap((touch) =>
    touch.kind === "path" && touch.access === "read" && !touch.tree && !touch.searches ? [touch.path] : [],
  );
  const raw = Array.isArray(output?.raw) ? output.raw.flatMap((item) => (typeof item?.path === "string" ? [item.path as string] : [])) : [];
  const files = [...new Set([...named, ...(output?.locations ?? []).map(({ path }) => path), ...raw])];
  return files.length > 0 && files.every(isOld);
}
