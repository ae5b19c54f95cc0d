import { quoteShell } from "../../text/quote-shell.ts";
import type { ClientName, HookMoment } from "../client.ts";
import type { OnFailure } from "./client-plan.ts";

/** What stands at the end of every command line of ours: a comment for the shell, and how `remove` knows what it may take. */
const markOf = (client: ClientName): string => `# written by: zeph hook install ${client}`;

export const NO_ANSWER = "zeph did not answer; the call is not made. See: zeph hook status";

/** Clients that take exit code 2 for a no and tell nobody why: theirs is said in words of their own. */
const NO_IN_JSON: Readonly<Partial<Record<ClientName, object>>> = {
  copilot: { permissionDecision: "deny", permissionDecisionReason: NO_ANSWER },
};

/**
 * The command line that a client runs. Most clients let a call through when their hook cannot be started, so the shell itself says no then.
 * A post hook has nothing to refuse.
 */
export function hookLine(program: readonly string[], client: ClientName, event: HookMoment, onFailure: OnFailure): string {
  const call = `${program.map(quoteShell).join(" ")} ${client} ${event}`;
  if (event === "post") return `${call} ${markOf(client)}`;
  if (onFailure === "allow") return `ZEPH_HOOK_ON_FAILURE=allow ${call} || ${letThrough(client)} ${markOf(client)}`;
  const no = NO_IN_JSON[client];
  // Nothing may stand beside it, so what was printed is shown only where the program ended well.
  if (no) return `said=$(${call}) && printf '%s\\n' "$said" || printf '%s\\n' '${JSON.stringify(no)}' ${markOf(client)}`;
  return `${call} || { echo '${NO_ANSWER}' >&2; exit 2; } ${markOf(client)}`;
}

/** In the folder of Zeph's state: a line for each call that was let through while nobody answered. hookd puts them into the audit log. */
export const LET_THROUGH_FILE = "let-through";

/** Exit code 2 is Zeph's no, and stays one. Every other failure lets the call run, and leaves a line about it where that can be written. */
const letThrough = (client: ClientName): string =>
  `{ [ $? -ne 2 ] || exit 2; date -u "+%Y-%m-%dT%H:%M:%SZ ${client}" >> "\${XDG_STATE_HOME:-$HOME/.local/state}/zeph/${LET_THROUGH_FILE}"; } 2> /dev/null || :`;

/** Whether a command line of ours decides about calls: the one that `hookLine` writes for the moment before them. */
export const isJudgingLine = (command: string): boolean => / [a-z]+ pre(?=[\s)])/.test(command);

export const isOwnCommand =
  (client: ClientName) =>
  (command: string): boolean =>
    command.trimEnd().endsWith(markOf(client));

/** Command lines of an entry, whatever its client calls them. */
export function commandsIn(entry: unknown): readonly string[] {
  if (typeof entry !== "object" || entry === null) return [];
  const { command, bash } = entry as { readonly command?: unknown; readonly bash?: unknown };
  return [command, bash].filter((line): line is string => typeof line === "string");
}
