import { mkdirSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import type { Question, ZephEvent } from "../../../core/event.ts";
import type { Outcome } from "../../../core/layer.ts";
import type { AuditEntry } from "../../../core/ports/audit.ts";
import { wallsName } from "../../../core/ports/walls.ts";
import { sleep } from "../../../core/retry.ts";
import { viewQuestion } from "../../../question/question.ts";
import { colouredDiff, questionText } from "../../../question/text.ts";
import { openAgent } from "../../../runtime/agent/agent.ts";
import { openDesk, scriptModel } from "../../../runtime/create.ts";
import { visible } from "../../../text/visible.ts";
import { whileOpen } from "../../../text/while-open.ts";
import { wrap } from "../../../text/width/columns.ts";
import { duration } from "../../../text/words.ts";
import { EXIT } from "../exit.ts";
import { whoDecided } from "../run/print.ts";
import { listenForStop } from "../stop.ts";
import { type Terminal, widthOf } from "../terminal/terminal.ts";
import { CONFIG, FILES, SECRET, STEPS, turnsOf } from "./script.ts";

const PAUSE_MS = 350;

/** `zeph demo`: the script stands in for a model; everything after it is the real thing, in a folder that is gone afterwards. */
export async function demo(terminal: Terminal): Promise<number> {
  const { signal } = listenForStop();
  const root = realpathSync(mkdtempSync(join(tmpdir(), "zeph-demo-")));
  const remove = () => rmSync(root, { recursive: true, force: true });
  process.once("exit", remove);
  try {
    const cwd = furnish(root);
    const screen = screenOf(terminal);
    screen.opening(cwd);
    await act(cwd, screen, signal);
    if (signal.aborted) return EXIT.cancelled;
    await showAudit(cwd, screen);
    screen.closing();
    return EXIT.ok;
  } finally {
    remove();
  }
}

/** A world of its own: nothing of the user's is read or written, whatever their configuration and environment say. */
function furnish(root: string): string {
  for (const name of Object.keys(process.env)) if (name.startsWith("ZEPH_")) delete process.env[name];
  process.env.XDG_STATE_HOME = join(root, "state");
  process.env.XDG_CONFIG_HOME = join(root, "config");
  const cwd = join(root, "workspace");
  for (const [name, text] of Object.entries(FILES)) {
    mkdirSync(dirname(join(cwd, name)), { recursive: true });
    writeFileSync(join(cwd, name), text);
  }
  writeFileSync(join(root, SECRET), "nobody's business\n");
  return cwd;
}

type Screen = ReturnType<typeof screenOf>;

/** Plays the scenes. Those that need walls are left out where there are none, and the demo says so. */
async function act(cwd: string, screen: Screen, signal: AbortSignal): Promise<void> {
  const confirm = (question: Question) => {
    // A command is asked about only where there is no sandbox, and there the demo runs none.
    const answer = question.tool === "bash" && question.why.some((why) => why.startsWith("No sandbox")) ? "no" : "once";
    screen.question(question, answer);
    return answer;
  };
  const agent = await openAgent({ cwd, config: CONFIG, confirm, confirmedBy: "script", model: scriptModel(turnsOf(STEPS)) });
  await whileOpen(agent, async () => {
    const walls = (await agent.zeph.reach())?.walls;
    const lacks = walls?.backend === "none" ? walls.reason : undefined;
    if (lacks !== undefined) {
      screen.lacking(lacks);
      await agent.useModel(scriptModel(turnsOf(screen.steps())));
    }
    for await (const event of agent.send("Make the greeting polite.", { signal })) {
      screen.event(event);
      // Read at leisure on a terminal; at once everywhere else.
      if (event.type === "text") await sleep(screen.isWatched ? PAUSE_MS : 0, signal);
    }
  });
}

async function showAudit(cwd: string, screen: Screen): Promise<void> {
  await whileOpen(openDesk(cwd), async ({ audit }) => {
    const { lines } = await audit.tail(100);
    const found = await audit.verify();
    screen.audit(
      lines.map((line) => JSON.parse(line) as AuditEntry),
      found.length > 0 && found.every(({ intact }) => intact),
    );
  });
}

/** How it looks. Everything goes through here, so that it can be read at 60 columns as well. */
function screenOf({ stdout, out }: Terminal) {
  const width = widthOf(stdout);
  const put = (text = "") => void stdout.write(`${text}\n`);
  const say = (text: string) => put(wrap(visible(text), width));
  const body = (text: string) => put(text.replace(/\n$/, "").replace(/^/gm, "  "));
  let step = 0;
  let steps = STEPS;

  const ended = (outcome: Outcome, ms: number) => {
    if (outcome.ok) {
      body(visible(outcome.output.text));
      // The question has shown a new file already.
      if (outcome.output.diff?.startsWith("--- a/")) body(colouredDiff(outcome.output.diff, out));
      const { walls } = outcome.output;
      const behind = walls ? `, behind ${wallsName(walls)}${walls.builder === "shipped" ? " (brought along)" : ""}` : "";
      return put(out.green(`  ok, ${duration(ms)}, allowed by ${outcome.decision.by ?? "rules"}${behind}`));
    }
    if (outcome.output) body(wrap(visible(outcome.output.text), width - 2));
    else body(wrap(visible(outcome.error.message), width - 2));
    const { decision, error } = outcome;
    const how = decision.verdict === "deny" ? `denied by the gate ${whoDecided(decision)}` : `failed, ${error.category}`;
    put(out.red(`  ${how}`));
  };

  const says = (text: string) => {
    const title = steps[step]?.title ?? "The model is done";
    step += 1;
    put();
    put(out.bold(`${step}. ${title}`));
    put(`  ${out.magenta("script:")} ${wrap(visible(text), width - 10).replaceAll("\n", `\n${" ".repeat(10)}`)}`);
  };

  return {
    isWatched: stdout.isTTY,
    opening(cwd: string) {
      put(out.bold("Zeph demo"));
      say(
        "A scripted model drives real tools through every gate. There is no model and no network here, and your own files are not touched.",
      );
      put(out.dim(`workspace ${cwd}`));
    },
    steps: () => steps,
    lacking(reason: string) {
      const left = STEPS.filter(({ needs }) => needs === "walls");
      steps = STEPS.filter(({ needs }) => needs === undefined);
      put();
      put(out.bold("Not shown on this machine"));
      say(`No walls stand around commands here, so none is run, and ${left.length} scenes are left out:`);
      for (const { title } of left) body(`- ${title}`);
      say(reason);
      say("zeph doctor tries the walls again and says what is missing.");
    },
    event(event: ZephEvent) {
      if (event.type === "text") says(event.text);
      if (event.type === "tool_start") {
        const { name, args } = event.request;
        const shown = JSON.stringify(args);
        const room = width - name.length - 3;
        put(`  ${out.cyan(visible(name))} ${visible(shown.length > room ? `${shown.slice(0, room - 1)}…` : shown)}`);
      }
      if (event.type === "tool_end") ended(event.outcome, event.durationMs);
    },
    question(question: Question, answer: string) {
      const view = viewQuestion(question);
      if (!("tooLong" in view)) body(questionText(view, { colors: out, columns: Number.POSITIVE_INFINITY }));
      put(`  ${out.magenta("script:")} ${answer}`);
    },
    audit(entries: readonly AuditEntry[], intact: boolean) {
      put();
      put(out.bold("What the audit log says"));
      for (const entry of entries) body(auditText(entry));
      put(intact ? out.green("  verified: the chain is intact, nothing was edited or cut") : out.red("  the chain is broken"));
    },
    closing() {
      put();
      put(out.bold("Go on"));
      body(
        "zeph           talk with a model, or call the tools yourself\nzeph tools     list the tools\nzeph doctor    test the sandbox on this machine\nzeph init      write a configuration to start from",
      );
    },
  };
}

function auditText({ kind, tool = "-", outcome, gate, approved_by, error_category, note }: AuditEntry): string {
  if (kind === "note") return `note    ${note}`;
  const who = outcome === "denied" ? `by ${gate}` : (error_category ?? `by ${approved_by}`);
  return `${kind.padEnd(7)} ${visible(tool).padEnd(6)} ${(outcome ?? "about to run").padEnd(13)} ${visible(who)}`;
}
