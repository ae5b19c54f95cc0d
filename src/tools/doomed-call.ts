import type { ToolCall } from "../core/call.ts";
import { ToolError } from "../core/error.ts";
import type { EntryState, Facts } from "../core/ports/facts.ts";
import { attempt } from "../text/attempt.ts";
import { isWithin, nameOf, parentOf } from "../text/path.ts";
import { copyPath } from "./copy-path.ts";
import { createDirectory } from "./create-directory.ts";
import { deletePath } from "./delete-path.ts";
import { diagnostics } from "./diagnostics.ts";
import { assertEditInput, edit, editedText } from "./edit.ts";
import { findPath } from "./find-path.ts";
import { grep } from "./grep.ts";
import { listDirectory } from "./list-directory.ts";
import { movePath } from "./move-path.ts";
import { assertFileName, write } from "./write.ts";

type Kind = EntryState["kind"] | "nothing";

const ANYTHING: readonly Kind[] = ["file", "folder", "link", "other"];
const NOTHING: readonly Kind[] = ["nothing"];

/** What may lie at the path that a tool names, or at its destination. */
const PLACES: ReadonlyMap<unknown, readonly Kind[]> = new Map<unknown, readonly Kind[]>([
  [edit, ["file"]],
  [write, ["file", "nothing"]],
  [createDirectory, ["folder", "nothing"]],
  [movePath, NOTHING],
  [copyPath, NOTHING],
  [deletePath, ANYTHING],
  [grep, ANYTHING],
  [diagnostics, ANYTHING],
  [listDirectory, ["folder"]],
  [findPath, ["folder"]],
]);

type Eyes = Pick<Facts, "canonical" | "exists" | "entryState" | "isStale" | "peek">;

/**
 * Why a call of a file tool fails whatever a person says about it; null where that is not known. What is in a file, and whether it is there, is
 * told only where the caller might read it without a question: `mayRead`.
 */
export async function explainDoomed(
  { tool, input, touches }: Pick<ToolCall, "tool" | "input" | "touches">,
  facts: Eyes,
  mayRead: (path: string) => Promise<boolean>,
): Promise<ToolError | null> {
  const place = PLACES.get(tool);
  if (place === undefined) return null;
  try {
    if (tool === edit) {
      assertEditInput(input);
      const path = attempt(() => facts.canonical(input.path), null);
      // Who has read it knows what is in it.
      if (path !== null && facts.isStale?.(path) === true) throw changedSinceRead(input.path);
    }
    if (tool === write) assertFileName(input.path);
    for (const touch of touches) {
      if (touch.kind !== "path" || !(await mayRead(touch.path))) return null;
      const isSource = place === NOTHING && touch.access !== "write";
      assertKind(touch.path, isSource ? ANYTHING : place, facts);
      if (touch.access === "write") await assertParent(touch.path, facts, mayRead);
    }
    if (place === NOTHING) assertOutside(input, facts);
    const text = tool === edit ? await facts.peek?.(input.path) : undefined;
    if (typeof text === "string") editedText(text, input);
    return null;
  } catch (error) {
    return error instanceof ToolError ? error : null;
  }
}

function assertKind(path: string, allowed: readonly Kind[], { canonical, exists, entryState }: Eyes): void {
  if (!exists(path)) {
    if (!allowed.includes("nothing")) throw wrongPlace(`${path}: does not exist (ENOENT).`);
    return;
  }
  if (allowed === NOTHING) throw new ToolError("permanent_failure", `${path} exists already. Choose another destination.`);
  // A link that leads nowhere is left to the tool.
  const kind = attempt(() => entryState?.(canonical(path))?.kind, undefined);
  if (kind === undefined || allowed.includes(kind)) return;
  if (kind === "folder") throw wrongPlace(`${path} is a folder, not a file (EISDIR).`);
  throw wrongPlace(
    `${path} is ${kind === "file" ? "a file" : "neither a file nor a folder"}${allowed.includes("folder") ? ", not a folder (ENOTDIR)" : ""}.`,
  );
}

/** What something is to be made in has to be a folder. */
async function assertParent(path: string, { canonical, entryState }: Eyes, mayRead: (path: string) => Promise<boolean>): Promise<void> {
  const stateAt = (above: string) => attempt(() => entryState?.(above) ?? null, null);
  let above = parentOf(attempt(() => canonical(path), "/"));
  while (above !== "/" && stateAt(above) === null) above = parentOf(above);
  const kind = stateAt(above)?.kind;
  if (kind === "file" && (await mayRead(above))) throw wrongPlace(`${path}: ${nameOf(above)} is a file, not a folder (ENOTDIR).`);
}

function assertOutside({ source, destination }: { readonly source: string; readonly destination: string }, { canonical }: Eyes): void {
  const [from, to] = [source, destination].map((path) => attempt(() => canonical(path), null));
  if (from && to && isWithin(from, to))
    throw new ToolError("invalid_parameters", `${destination} lies inside the source, so it cannot hold it.`);
}

const wrongPlace = (message: string): ToolError => new ToolError("permanent_failure", message, { advice: "Check the path." });

const changedSinceRead = (path: string): ToolError =>
  new ToolError("permanent_failure", `${path} changed on disk since it was last read here. Read it again, then edit.`);
