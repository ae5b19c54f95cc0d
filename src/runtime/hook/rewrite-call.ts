import type { BeforeAnswer, HookClient, HookedCall } from "../../hook/client.ts";
import { quoteShell } from "../../text/quote-shell.ts";
import { oneLine, visible } from "../../text/visible.ts";
import type { ExecTickets } from "./tickets.ts";

export interface RewriteParts {
  readonly tickets: ExecTickets;
  /** The program that hands a ticket on; its whole path. */
  readonly program: string;
  /** Whether the client's own rules let this command run unasked. A rewritten text escapes them, so nothing is rewritten that they were not asked about. */
  mayRewrite(call: HookedCall, client: HookClient): Promise<boolean>;
}

const LONGEST_COMMENT = 200;

/** The same call with another command: one that runs the first behind our walls. Null where the call stays as it is. */
export async function rewriteCall(
  call: HookedCall,
  client: HookClient,
  { tickets, program, mayRewrite }: RewriteParts,
): Promise<BeforeAnswer | null> {
  const { command, run_in_background } = call.args;
  // What is to outlive its call is not for us: our commands end with whoever waits for them.
  if (client.can.rewrite === "no" || typeof command !== "string" || run_in_background === true) return null;
  if (!(await mayRewrite(call, client))) return null;
  const ticket = tickets.issue({ client: client.name, session: call.session, cwd: call.cwd, command, agreed: true });
  const args = { ...call.args, command: `${quoteShell(program)} exec ${ticket} # ${oneLine(visible(command), LONGEST_COMMENT)}` };
  return client.can.rewrite === "bare" ? { kind: "rewrite", args } : { kind: "allow", why: "zeph runs it behind its walls", args };
}
