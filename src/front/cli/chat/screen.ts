import { answeredWords, type ZephEvent } from "../../../core/event.ts";
import { visible } from "../../../text/visible.ts";
import { cutTo } from "../../../text/width/columns.ts";
import { duration, grouped } from "../../../text/words.ts";
import { approveHint, toolLine } from "../run/ending.ts";
import { reloadText } from "../run/reload-text.ts";
import { createSpinner, elapsed } from "../terminal/spinner.ts";
import { prose, type Terminal, widthOf } from "../terminal/terminal.ts";
import { createPlainWriter, type TextWriter } from "../terminal/text-writer.ts";
import { type CallOutputs, collapsedOutput } from "./call-outputs.ts";
import { planLines } from "./plan-view.ts";

/** The view of a turn: the model's words on stdout, everything else on stderr. */
export interface Screen {
  /** Waits while a question is on the screen. */
  event(event: ZephEvent): Promise<void>;
  /** A line of our own, that no turn tells. */
  note(text: string): Promise<void>;
  /** Shows an answer that a model gave elsewhere, drawn as its answers here are. */
  answer(text: string): Promise<void>;
  /** One question at a time, and nothing is written into it. What it takes is not the time of the call it is about. */
  during<T>(question: () => Promise<T>, callId?: string): Promise<T>;
  /** A turn is over, however it ended: nothing moves, and the next line is a new one. */
  rest(): void;
}

/** The parts of a screen that a person watches and can ask for more. */
export interface Watched {
  /** Keeps what calls came to. With it each call has a number, and a piece of its output below its line. */
  readonly outputs: CallOutputs;
  /** The line that is typed while something else is on the screen. */
  readonly typed: () => string;
}

const WARNING = "warning:";
const THINKING = "thinking…";
const LONGEST_LABEL = 40;
/** A shorter thought is not worth a line. */
const LONG_THOUGHT_MS = 1000;
const LONGEST_THOUGHT = 256 * 1024;

export async function createScreen(terminal: Terminal, watched?: Watched): Promise<Screen> {
  const { stderr, err } = terminal;
  let writer: TextWriter | null = null;
  let began: number | null = null;
  const spinner = createSpinner(terminal, { began: () => began, ...(watched && { typed: watched.typed }) });
  const running = new Map<string, { readonly name: string; readonly since: number; readonly askedMs: number }>();
  let thought: { text: string; readonly since: number } | null = null;
  let free: Promise<unknown> = Promise.resolve();
  const note = (text: string) => void stderr.write(`${text}\n`);
  /** The name of what is waited for. */
  const wait = () => {
    if (writer && !writer.atLineStart()) return;
    const all = [...running.values()];
    const label = cutTo(visible(all.map(({ name }) => name).join(", ")), LONGEST_LABEL);
    spinner.show(label || THINKING, all[0]?.since ?? thought?.since);
  };
  /** It thinks no more, and goes on to say or do something. */
  const endThought = () => {
    if (!thought) return;
    const { text, since } = thought;
    thought = null;
    watched?.outputs.think(text);
    const ms = performance.now() - since;
    if (watched && ms >= LONG_THOUGHT_MS) note(err.dim(`thought for ${elapsed(ms)}, /show thinking`));
  };

  const show: { readonly [T in ZephEvent["type"]]: (event: Extract<ZephEvent, { type: T }>) => void } = {
    turn_start: () => {
      began = performance.now();
    },
    text: ({ text }) => writer!.say(text),
    thinking({ text }) {
      thought ??= { text: "", since: performance.now() };
      if (thought.text.length < LONGEST_THOUGHT) thought.text += text;
    },
    tool_start: ({ request }) => void running.set(request.id, { name: request.name, since: performance.now(), askedMs: 0 }),
    question: () => {},
    answered: (event) => note(err.dim(prose(visible(answeredWords(event)), stderr))),
    progress({ callId, progress: { message } }) {
      const call = running.get(callId);
      if (call && message !== undefined) running.set(callId, { ...call, name: `${call.name.split(":", 1)[0]}: ${message}` });
    },
    tool_end({ request, outcome, durationMs }) {
      const { askedMs = 0 } = running.get(request.id) ?? {};
      running.delete(request.id);
      const n = watched?.outputs.add(request, outcome);
      note(toolLine(request, outcome, Math.max(0, durationMs - askedMs), widthOf(stderr), err, n));
      if (n === undefined) return;
      for (const line of collapsedOutput(outcome, n, widthOf(stderr), err)) note(line);
      const lifted = approveHint(outcome);
      if (lifted !== null) note(err.dim(`  ${lifted} lets exactly this call through, once`));
    },
    background: ({ command, exitCode }) => note(err.dim(`The background command ${visible(command)} ended: exit ${exitCode}`)),
    // The call that started it says so, and its end is told with the model's.
    run_start: () => {},
    run_end: () => {},
    egress: () => {},
    retry({ why, inMs, attempt, discards }) {
      const void_ = discards ? " The text of its last answer does not count." : "";
      note(err.yellow(prose(`${visible(why)}${void_} Trying again in ${duration(inMs)} (${attempt}).`, stderr)));
    },
    budget: ({ limit, used, most }) => note(err.yellow(prose(`${Math.floor((100 * used) / most)} % of limits.${limit} are used.`, stderr))),
    usage: () => {},
    plan: ({ goal }) => note(planLines(goal, widthOf(stderr), err).join("\n")),
    compacted: ({ messages, tokens }) =>
      note(err.dim(prose(`${compactedText(messages)}: ${grouped(tokens.before)} -> ${grouped(tokens.after)} tokens.`, stderr))),
    reload: (event) => note((event.problem === undefined ? err.dim : err.yellow)(prose(visible(reloadText(event)), stderr))),
    warning({ message }) {
      const text = prose(`${WARNING} ${visible(message)}`, stderr);
      note(err.yellow(WARNING) + text.slice(WARNING.length));
    },
    // Said with the call.
    rollback: () => {},
    // Said by a warning.
    without_walls: () => {},
    done: ({ why, message }) => {
      if (message !== undefined) note((why === "failed" ? err.red : err.yellow)(prose(visible(message), stderr)));
    },
  };

  const rest = () => {
    spinner.hide();
    writer?.end();
    running.clear();
    thought = null;
    began = null;
  };
  /** Another question may have come while one was waited for. */
  const untilFree = async () => {
    for (let before: unknown; before !== free; ) {
      before = free;
      await free;
    }
  };
  return {
    rest,
    async note(text) {
      await untilFree();
      spinner.hide();
      writer?.end();
      note(err.dim(prose(visible(text), stderr)));
      if (began !== null) wait();
    },
    async answer(text) {
      await untilFree();
      writer ??= await openVoice(terminal);
      spinner.hide();
      writer.end();
      writer.say(text);
      writer.end();
    },
    async event(event) {
      await untilFree();
      writer ??= await openVoice(terminal);
      spinner.hide();
      // What is not the model's text begins on a line of its own.
      if (event.type !== "text" && event.type !== "usage") writer.end();
      if (event.type !== "thinking") endThought();
      (show[event.type] as (event: ZephEvent) => void)(event);
      if (event.type === "done") began = null;
      // Between turns only a warning comes, and nothing is waited for.
      else if (began !== null || running.size > 0) wait();
    },
    async during(question, callId = "") {
      const asked = performance.now();
      const mine = free.then(async () => {
        spinner.hide();
        writer?.end();
        try {
          return await question();
        } finally {
          const call = running.get(callId);
          const ms = performance.now() - asked;
          if (call) running.set(callId, { ...call, since: call.since + ms, askedMs: call.askedMs + ms });
          wait();
        }
      });
      free = mine.catch(() => {});
      return mine;
    },
  };
}

const compactedText = (messages: number): string =>
  `${messages === 1 ? "One earlier message is" : `${grouped(messages)} earlier messages are`} sent as a summary from now on`;

/** Markdown is rendered where there is colour to render it with; everywhere else the text goes out as it comes. */
async function openVoice(terminal: Terminal): Promise<TextWriter> {
  if (!terminal.out.isColorSupported) return createPlainWriter(terminal.stdout);
  const { createMarkdownWriter } = await import("../terminal/markdown.ts");
  return createMarkdownWriter(terminal);
}
