import { hasTerminalAbove } from "../../../files/client-terminal.ts";
import { answerAlone } from "../../../runtime/hook/answer-alone.ts";
import type { Invocation } from "../program/invocation.ts";
import { readText } from "../stdin.ts";

/** Clients give a hook a minute and then run the call. Before that there is an answer, or the word no. */
const WHOLE_MS = 45_000;
/** Exit code 2 denies; every other failure lets the call run in most clients, which is what --on-failure allow wants. */
const DENIED = 2;
const FAILED = 1;
const failedExit = (): number => (process.env.ZEPH_HOOK_ON_FAILURE === "allow" ? FAILED : DENIED);

/** What a client starts: its JSON on stdin, the answer on stdout. Whatever goes wrong here is a denial. */
export async function runHook({ words: [client = "", event = ""], settings, terminal }: Invocation): Promise<number> {
  const limit = setTimeout(() => {
    process.stderr.write(NO_ANSWER);
    process.exit(failedExit());
  }, WHOLE_MS);
  try {
    const input = await readText(terminal.stdin);
    const tty = hasTerminalAbove(process.pid);
    const { stdout, stderr, exit } = await answerAlone({ v: 1, client, event, cwd: process.cwd(), input, tty }, settings);
    terminal.stdout.write(stdout);
    terminal.stderr.write(stderr);
    return exit;
  } catch (error) {
    terminal.stderr.write(`${NO_ANSWER.trimEnd()} (${(error as Error).message})\n`);
    return failedExit();
  } finally {
    clearTimeout(limit);
  }
}

const NO_ANSWER = "zeph did not answer; the call is not made\n";
