import { posix } from "node:path";
import { realFolder } from "../../files/working-folder.ts";
import type { HookClient, HookedCall, OtherInput } from "../../hook/client.ts";
import { understand } from "../../shell/understand.ts";
import { quoteShell } from "../../text/quote-shell.ts";
import { oneLine, visible } from "../../text/visible.ts";
import type { ExecTickets } from "./tickets.ts";

export interface RewriteParts {
  readonly tickets: ExecTickets;
  /** The program that hands a ticket on; its whole path. */
  readonly program: string;
  /** Once for each session. */
  readonly isFirst: (session: string) => boolean;
}

/** A command as it was judged, and what is known of whoever will run the new one. */
export interface JudgedCommand {
  readonly client: HookClient;
  readonly call: HookedCall;
  /** With the change of folder that the client makes before it. */
  readonly command: string;
  /** Processes of the client: what they start may use the ticket. */
  readonly processes: readonly string[];
  /** A person said yes to what the gates asked. */
  readonly agreed: boolean;
  /** A person may be asked before it runs, and takes the time they take. */
  readonly waits: boolean;
}

/** A person is shown the whole command; of one that is longer than they would read, both ends and what is between in figures. */
const LONGEST_COMMENT = 4000;
const SHOWN_END = 1500;
/** Names of arguments that say in which folder a command runs. */
const FOLDERS = ["workdir", "dir_path", "directory"];

/** The same call with another command: one that runs the first behind our walls. */
export function rewriteCall(judged: JudgedCommand, { tickets, program, isFirst }: RewriteParts): OtherInput {
  const { client, call, command, processes, agreed, waits } = judged;
  const note = isFirst(`${client.name} ${call.session}`) ? NOTHING_STAYS : null;
  const isTold = note !== null && client.can.context === "before";
  const ticket = tickets.issue({
    client: client.name,
    session: call.session,
    cwd: call.cwd,
    // A process is in a folder by its real name, whichever name the client has for it.
    from: [call.cwd, ...(call.at === undefined ? [] : [call.at]), ...FOLDERS.flatMap((name) => foldersNamed(call, name))].map(realFolder),
    command,
    processes,
    agreed,
    waits,
    note: isTold ? null : note,
  });
  const shown = commentOf(String(call.args.command));
  const args = { ...call.args, command: `${quoteShell(program)} exec ${ticket} # ${shown}` };
  return { args, ...(isTold && { context: note }) };
}

/** On one line, because what stands on a second one would be run. */
function commentOf(command: string): string {
  const text = oneLine(visible(command), Number.POSITIVE_INFINITY);
  if (text.length <= LONGEST_COMMENT) return text;
  const left = text.length - 2 * SHOWN_END;
  return `${text.slice(0, SHOWN_END)} [… ${left} characters are not shown …] ${text.slice(-SHOWN_END)}`;
}

const foldersNamed = ({ cwd, at = cwd, args }: HookedCall, name: string): readonly string[] => {
  const named = args[name];
  return typeof named === "string" ? [posix.resolve(at, named)] : [];
};

const NOTHING_STAYS =
  "Each command runs behind Zeph's walls in a shell of its own: variables, functions and background jobs do not stay for the next one. Never type zeph-hook yourself; call the command itself.";

/** Whether a text runs one of ours that a model has learned. One that only names the program, as `grep` does, is a command like any other. */
export function isRewritten(command: string, program: string): boolean {
  if (!command.includes(program) && !OWN_NAME.test(command)) return false;
  const { commands, isUnread } = understand(command);
  return isUnread || commands.some(({ argv }) => isTicketCall(argv, program));
}

const OWN_NAME = /zeph-hook|hook-client\.cjs|zeph-exec/;

function isTicketCall([first, second, third]: readonly (string | null)[], program: string): boolean {
  const name = posix.basename(first ?? "");
  if (name === "zeph-exec") return true;
  if (first === program || /^zeph-hook(-linux-\w+)?$/.test(name) || name === "hook-client.cjs") return second === "exec";
  return posix.basename(second ?? "") === "hook-client.cjs" && third === "exec";
}

export const CALL_ITSELF = "zeph: this text is a ticket that was good once. Call the command itself, as you would without Zeph.";
