import type { ClientPlan } from "../../../hook/install/client-plan.ts";
import { OWN_SESSION, recordedCalls, verdictIn } from "../../../hook/install/probe-inputs.ts";
import { visible } from "../../../text/visible.ts";
import { duration } from "../../../text/words.ts";
import { withStores } from "../command.ts";
import { EXIT } from "../exit.ts";
import { readArgs, UsageError } from "../io.ts";
import type { Invocation } from "../program/invocation.ts";
import { jsonLine } from "../run/print.ts";
import { namedClients } from "./choose-clients.ts";
import { ANSWER_LIMIT_MS, examineFiles, judgingLines } from "./examine.ts";
import { runShellLine } from "./run-line.ts";

const USAGE = "Usage: zeph hook test <client> [--live [--program <path>]] [--json]";

interface Trial {
  readonly what: string;
  readonly input: string;
  readonly wanted: readonly ("deny" | "ask" | "pass")[];
}

interface Tried {
  readonly what: string;
  readonly line: string;
  readonly exit: number | null;
  readonly verdict: "deny" | "ask" | "pass" | null;
  readonly ok: boolean;
  readonly ms: number;
  readonly stdout: string;
  readonly stderr: string;
}

/** `zeph hook test`: runs the very command line of the client's file, through a shell, with recorded input. Exit 0, or 5 when an answer is wrong. */
export async function testHook({ words, settings, terminal }: Invocation): Promise<number> {
  const { values, positionals } = readArgs(words, USAGE, 1, {
    json: { type: "boolean" },
    live: { type: "boolean" },
    program: { type: "string" },
  });
  const [plan] = namedClients(positionals);
  if (!plan) throw new UsageError(`Say which client's hook to test.\n${USAGE}`);
  if (values.program !== undefined && !values.live) throw new UsageError(`--program is for --live.\n${USAGE}`);
  return withStores(settings, terminal, async ({ at }) => {
    const cwd = process.cwd();
    if (values.live) {
      const { testHookLive } = await import("./live/live-command.ts");
      const place = { state: at.state, home: at.home, cwd, env: process.env };
      return testHookLive(plan, place, { program: values.program, isJson: values.json === true }, terminal);
    }
    const lines = judgingLines(examineFiles(plan, { state: at.state, home: at.home, cwd, env: process.env }));
    if (lines.length === 0)
      throw new UsageError(`No hook of Zeph that judges calls is in the files of ${plan.name}. zeph hook install ${plan.name} writes it.`);
    const tried: Tried[] = [];
    for (const line of lines) for (const trial of trialsOf(plan, cwd)) tried.push(await tryOnce(line, trial, cwd));
    const { stdout, out } = terminal;
    if (values.json) stdout.write(jsonLine(tried));
    else {
      for (const line of lines) stdout.write(`${visible(`sh -c ${line}`)}\n`);
      for (const { what, exit, verdict, ok, ms, stderr } of tried) {
        const answer = `exit ${exit ?? "never"}, ${verdict === null ? "no answer" : WORDS[verdict]}, ${duration(ms)}`;
        stdout.write(`${ok ? out.green("ok   ") : out.red("wrong")}  ${visible(`${what}: ${answer}`)}\n`);
        if (!ok && stderr.trim() !== "") stdout.write(`       ${visible(stderr.trim().slice(0, 500))}\n`);
      }
    }
    return tried.every(({ ok }) => ok) ? EXIT.ok : EXIT.failed;
  });
}

const WORDS = { deny: "denied", ask: "asked about", pass: "let through" } as const;

function trialsOf({ name }: ClientPlan, cwd: string): readonly Trial[] {
  const { denied, allowed } = recordedCalls(name, { cwd, session: `${OWN_SESSION}test` });
  return [
    { what: "a call that is denied", input: JSON.stringify(denied), wanted: ["deny"] },
    // A person may have rules that ask about every read.
    { what: "a call that is allowed", input: JSON.stringify(allowed), wanted: ["pass", "ask"] },
    { what: "an input that is no JSON", input: '{"tool_name": ', wanted: ["deny"] },
    { what: "an input of another shape", input: '{"tool_name": 7}', wanted: ["deny"] },
  ];
}

async function tryOnce(line: string, { what, input, wanted }: Trial, cwd: string): Promise<Tried> {
  const { code, stdout, stderr, ms } = await runShellLine(line, { input, cwd, env: process.env, limitMs: ANSWER_LIMIT_MS });
  const verdict = verdictIn({ code, stdout });
  return { what, line, exit: code, verdict, ok: verdict !== null && wanted.includes(verdict), ms: Math.round(ms), stdout, stderr };
}
