import type { ZephEvent } from "../core/event.ts";
import { toolLine } from "./ending.ts";
import { duration, harmless, warn } from "./print.ts";
import { openSpinner } from "./spinner.ts";
import { cutTo, prose, type Terminal, widthOf } from "./terminal.ts";
import { plainVoice, type Voice } from "./voice.ts";

/** What a person sees of a turn: the model's words on stdout, everything else on stderr. */
export interface Screen {
  /** Waits while a question is on the screen. */
  event(event: ZephEvent): Promise<void>;
  /** One question at a time, and nothing is written into it. */
  during<T>(question: () => Promise<T>): Promise<T>;
  /** A turn is over, however it ended: nothing moves, and the next line is a new one. */
  rest(): void;
}

const THINKING = "thinking…";
const LONGEST_LABEL = 40;

export async function openScreen(terminal: Terminal): Promise<Screen> {
  const { stderr, err } = terminal;
  const voice = await openVoice(terminal);
  const spinner = openSpinner(terminal);
  const running = new Map<string, string>();
  let free: Promise<unknown> = Promise.resolve();
  const note = (text: string) => void stderr.write(`${text}\n`);
  /** The name of what is waited for. */
  const wait = () => {
    if (voice.atLineStart()) spinner.show(cutTo(harmless([...running.values()].join(", ")), LONGEST_LABEL) || THINKING);
  };

  const show: { readonly [T in ZephEvent["type"]]: (event: Extract<ZephEvent, { type: T }>) => void } = {
    turn_start: () => {},
    text: ({ text }) => voice.say(text),
    thinking: () => {},
    tool_start: ({ request }) => void running.set(request.id, request.name),
    question: () => {},
    tool_end({ request, outcome, durationMs }) {
      running.delete(request.id);
      note(toolLine(request, outcome, durationMs, widthOf(stderr), err));
    },
    background: ({ command, exitCode }) => note(err.dim(`In the background ${harmless(command)} has ended: exit ${exitCode}`)),
    retry({ why, inMs, attempt, discards }) {
      const void_ = discards ? " What it had begun to say is void." : "";
      note(err.yellow(prose(`${harmless(why)}${void_} Trying again in ${duration(inMs)} (${attempt}).`, stderr)));
    },
    usage: () => {},
    warning: ({ message }) => warn(terminal, message),
    done: ({ why, message }) => {
      if (message !== undefined) note((why === "failed" ? err.red : err.yellow)(prose(harmless(message), stderr)));
    },
  };

  const rest = () => {
    spinner.hide();
    voice.end();
    running.clear();
  };
  return {
    rest,
    async event(event) {
      // Another question may have come while one was waited for.
      for (let before: unknown; before !== free; ) {
        before = free;
        await free;
      }
      spinner.hide();
      // What is not the model's text begins on a line of its own.
      if (event.type !== "text" && event.type !== "usage") voice.end();
      (show[event.type] as (event: ZephEvent) => void)(event);
      if (event.type !== "done") wait();
    },
    async during(question) {
      const mine = free.then(async () => {
        spinner.hide();
        voice.end();
        try {
          return await question();
        } finally {
          wait();
        }
      });
      free = mine.catch(() => {});
      return mine;
    },
  };
}

/** Markdown is rendered where there is colour to render it with; everywhere else the text goes out as it comes. */
async function openVoice(terminal: Terminal): Promise<Voice> {
  if (!terminal.out.isColorSupported) return plainVoice(terminal.stdout);
  const { markdownVoice } = await import("./markdown.ts");
  return markdownVoice(terminal);
}
