import { ToolError } from "../../../core/error.ts";
import type { Outcome } from "../../../core/layer.ts";
import type { Caller } from "../../../core/session.ts";
import type { Judgement, Zeph } from "../../../runtime/create.ts";
import { explainArguments, type Given } from "../arguments.ts";
import { exitCode } from "../exit.ts";
import type { Terminal } from "../terminal/terminal.ts";
import { answerLine, printOutcome } from "./print.ts";

/** The decision of the rules about a call. One that cannot even be judged ends as it would have ended. */
export async function judgeCall(zeph: Zeph, tool: string, given: Given, caller?: Caller): Promise<Judgement | Outcome> {
  try {
    return await zeph.judge(tool, given.args, caller);
  } catch (error) {
    if (!(error instanceof ToolError)) throw error;
    return explainArguments({ ok: false, callId: "", error, decision: { verdict: "none" } }, given);
  }
}

/** Such a call, told as `zeph call` tells it. Returns the exit code. */
export function printUnjudged(outcome: Outcome, form: "text" | "json", terminal: Terminal): number {
  if (form === "json") terminal.stdout.write(answerLine(outcome, 0));
  else printOutcome(outcome, terminal);
  return exitCode(outcome);
}
