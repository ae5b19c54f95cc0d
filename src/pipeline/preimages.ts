import type { ToolCall } from "../core/call.ts";
import { withNote } from "../core/draft.ts";
import type { InnerLayer } from "../core/layer.ts";
import type { Touch } from "../core/touch.ts";
import { display } from "../text/path.ts";

interface KeptBy {
  readonly turn: string;
  readonly call: string;
  readonly conversation?: string;
}

interface Keeping {
  readonly cwd: string;
  /** Keeps what the touches would change; returns what is not kept, and why. */
  keep(touches: readonly Touch[], by: KeptBy): Promise<readonly { readonly path: string; readonly why: string }[]>;
  /** The call is over. */
  settle(by: KeptBy): Promise<void>;
}

const MOST_NAMED = 5;

/** Keeps files as they are before a call changes them. What is deleted and could not be kept is said: there is no way back from it. */
export const preimages =
  ({ cwd, keep, settle }: Keeping): InnerLayer =>
  async ({ call }, { turn }, next) => {
    if (!changesFiles(call)) return next();
    const { turnId, conversationId } = turn;
    const by = { turn: turnId, call: call.id, ...(conversationId !== undefined && { conversation: conversationId }) };
    const unkept = await keep(call.touches, by);
    const outcome = await next().finally(() => settle(by));
    const deletes = call.touches.some((touch) => touch.kind === "path" && touch.access === "delete" && !touch.tree);
    if (unkept.length === 0 || !deletes || !outcome.ok) return outcome;
    const named = unkept.slice(0, MOST_NAMED).map(({ path, why }) => `${display(path, cwd)} (${why})`);
    const more = unkept.length > MOST_NAMED ? ` and ${unkept.length - MOST_NAMED} more` : "";
    return { ...outcome, output: withNote(outcome.output, `[not kept before it was changed: ${named.join(", ")}${more}]`) };
  };

const changesFiles = ({ tool, touches }: ToolCall): boolean =>
  (tool.effect === "writes" || tool.effect === "runs") && touches.some((touch) => touch.kind === "path" && touch.access !== "read");
