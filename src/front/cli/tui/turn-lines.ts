import type { ZephEvent } from "../../../core/event.ts";
import { visible } from "../../../text/visible.ts";
import { grouped } from "../../../text/words.ts";
import { type CallOutputs, collapsedOutput } from "../chat/call-outputs.ts";
import { totalsText } from "../chat/chat-totals.ts";
import { planLines } from "../chat/plan-view.ts";
import { approveHint, argumentSummary, toolLine } from "../run/ending.ts";
import { duration } from "../run/print.ts";
import { reloadText } from "../run/reload-text.ts";
import { elapsed } from "../terminal/spinner.ts";
import type { ScreenTerminal } from "./screen-terminal.ts";
import type { ScreenWriter } from "./screen-writer.ts";
import type { Theme } from "./theme.ts";
import { cutLine, wrapLine } from "./width.ts";

/** Makes lines of the events of turns: finished ones for the scrollback, and those that are still under way. */
export interface TurnLines {
  event(event: ZephEvent): void;
  /** What is said and done just now. */
  live(width: number): string[];
  /** A turn is over, however it ended. */
  rest(): void;
  /** The person thinks about a question: that is not the time of the call. */
  asked(callId: string, ms: number): void;
}

export interface TurnLinesParts {
  readonly writer: Pick<ScreenWriter, "commit" | "size">;
  readonly terminal: Pick<ScreenTerminal, "err">;
  readonly outputs: CallOutputs;
  theme(): Theme;
}

const WIDEST = 100;
const MOST_CALLS = 4;

export function createTurnLines({ writer, terminal, outputs, theme }: TurnLinesParts): TurnLines {
  const running = new Map<string, { name: string; what: string; since: number; askedMs: number; message: string }>();
  let began: number | null = null;
  let tail = "";
  const width = () => Math.min(WIDEST, writer.size().columns - 2);
  const note = (text: string) => writer.commit(wrapLine(text, width()));
  const say = (text: string) => {
    const lines = (tail + text).split("\n");
    tail = lines.pop()!;
    for (const line of lines) writer.commit(wrapLine(` ${visible(line)}`, width(), { hang: " " }));
  };
  const endText = () => {
    if (tail !== "") say("\n");
  };
  const show: { readonly [T in ZephEvent["type"]]?: (event: Extract<ZephEvent, { type: T }>) => void } = {
    turn_start: () => {
      began = performance.now();
    },
    text: ({ text }) => say(text),
    tool_start: ({ request }) =>
      void running.set(request.id, {
        name: request.name,
        what: argumentSummary(request.args),
        since: performance.now(),
        askedMs: 0,
        message: "",
      }),
    progress({ callId, progress: { message } }) {
      const call = running.get(callId);
      if (call && message !== undefined) call.message = visible(message);
    },
    tool_end({ request, outcome, durationMs }) {
      const askedMs = running.get(request.id)?.askedMs ?? 0;
      running.delete(request.id);
      const n = outputs.add(request, outcome);
      const colors = terminal.err;
      writer.commit([
        toolLine(request, outcome, Math.max(0, durationMs - askedMs), width(), colors, n),
        ...collapsedOutput(outcome, n, width(), colors),
      ]);
      const lifted = approveHint(outcome);
      if (lifted !== null) note(theme().dim(`  ${lifted} lets exactly this call through, once`));
    },
    background: ({ command, exitCode }) => note(theme().dim(`  in the background: ${visible(command)} ended, exit ${exitCode}`)),
    retry: ({ why, inMs, attempt }) => note(theme().warn(`! ${visible(why)} Again in ${duration(inMs)} (${attempt}).`)),
    budget: ({ limit, used, most }) => note(theme().warn(`! ${Math.floor((100 * used) / most)} % of limits.${limit} are used.`)),
    plan: ({ goal }) => writer.commit(planLines(goal, width(), terminal.err)),
    compacted: ({ method, messages, tokens }) =>
      note(
        theme().dim(`  compacted (${method}): ${grouped(messages)} messages, ${grouped(tokens.before)} → ${grouped(tokens.after)} tokens`),
      ),
    reload: (event) => note((event.problem === undefined ? theme().dim : theme().warn)(`  ${visible(reloadText(event))}`)),
    warning: ({ message }) => note(theme().warn(`! ${visible(message)}`)),
    done({ why, message, totals }) {
      if (message !== undefined) note((why === "failed" ? theme().bad : theme().warn)(`! ${visible(message)}`));
      const ms = performance.now() - (began ?? performance.now());
      note(theme().dim(`  ${duration(ms)}, ${totalsText(totals)}`));
    },
  };
  const rest = () => {
    endText();
    running.clear();
    began = null;
  };
  return {
    rest,
    event(event) {
      if (event.type !== "text" && event.type !== "usage" && event.type !== "thinking" && event.type !== "progress") endText();
      (show[event.type] as ((event: ZephEvent) => void) | undefined)?.(event);
      if (event.type === "done") rest();
    },
    asked(callId, ms) {
      const call = running.get(callId);
      if (call) call.askedMs += ms;
    },
    live(columns) {
      if (began === null) return [];
      const { accent, bold, dim, signs } = theme();
      const spin = accent(signs.spinner[Math.floor(performance.now() / 100) % signs.spinner.length]!);
      const said = tail === "" ? [] : wrapLine(` ${visible(tail)}`, width(), { hang: " " });
      if (running.size === 0) return tail === "" ? [`${spin} ${dim(`thinking ${elapsed(performance.now() - began)}, Esc stops`)}`] : said;
      const all = [...running.values()];
      const shown = all.slice(0, MOST_CALLS).map(({ name, what, since, askedMs, message }) => {
        const time = dim(elapsed(performance.now() - since - askedMs));
        return cutLine(`${spin} ${bold(visible(name))} ${cutLine(what, Math.max(8, columns - 30))} ${time} ${dim(message)}`, columns - 1);
      });
      return [...said, ...shown, ...(all.length > MOST_CALLS ? [dim(`  and ${all.length - MOST_CALLS} more`)] : [])];
    },
  };
}
