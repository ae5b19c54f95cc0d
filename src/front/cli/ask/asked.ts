import type { Interface } from "node:readline/promises";
import type { Answer, Answered, Question } from "../../../core/event.ts";
import type { Elicit } from "../../../core/ports/elicitation.ts";
import type { RuntimeOptions } from "../../../runtime/create.ts";
import type { Stop } from "../stop.ts";
import type { Keyboard } from "../terminal/keyboard.ts";
import type { Terminal } from "../terminal/terminal.ts";
import { ask, readAnswer } from "./question.ts";

/** Who answers questions: nobody, when it is empty. */
export type Asked = Pick<RuntimeOptions, "confirm" | "confirmedBy" | "elicit">;

/** What the flags answer before anything is asked. */
export interface Ahead {
  /** `--yes`. It is no way past a denial, and does not answer whether a command may run without walls. */
  readonly yes: boolean;
  /** `--without-walls` answers exactly that. */
  readonly withoutWalls: boolean;
}

export const aheadOf = (flags: Readonly<Record<string, unknown>>): Ahead => ({
  yes: flags.yes === true,
  withoutWalls: flags.withoutWalls === true,
});

/** Null where the flags do not answer everything that is asked. */
export function answerAhead({ yes, withoutWalls }: Ahead, { without_walls }: Question): Answered | null {
  if (without_walls !== undefined && !withoutWalls) return null;
  if (without_walls !== "only" && !yes) return null;
  return {
    answer: "once",
    by: without_walls === undefined ? "--yes" : without_walls === "only" ? "--without-walls" : "--yes --without-walls",
  };
}

type Confirm = NonNullable<Asked["confirm"]>;

/** The flags first, then whoever is there; nobody, where nobody is. */
export const answering = (ahead: Ahead, otherwise?: Confirm): Pick<Asked, "confirm"> =>
  ahead.yes || ahead.withoutWalls || otherwise
    ? { confirm: (question) => answerAhead(ahead, question) ?? otherwise?.(question) ?? null }
    : {};

/** What to type where nobody could be asked. */
export const howToAnswer = (without: Question["without_walls"]): string => {
  const rule = "or allow it with a rule under [tools.permissions]";
  if (without === undefined) return `There is nobody to ask. Add --yes to say yes, ${rule}.`;
  const flags = without === "only" ? "--without-walls" : "--yes --without-walls";
  return `There is nobody to ask. zeph doctor says how to get walls. ${flags} runs it without them, with all your rights.`;
};

/** Asks a person who types nothing else: the keyboard is taken for the question alone. */
export const askOnce = (question: Question, terminal: Terminal, { signal, stop }: Stop): Promise<Answer | null> =>
  atKeyboard(terminal, stop, (rl) => ask(question, rl, terminal, signal));

/** The same for what an MCP server wants to know. */
export const elicitOnce =
  (terminal: Terminal, { signal, stop }: Stop): Elicit =>
  async (asked, given) => {
    const { elicited } = await import("./elicit.ts");
    const open = AbortSignal.any([signal, given]);
    return atKeyboard(terminal, stop, (rl) => elicited(asked, (prompt) => readAnswer(prompt, rl, terminal.stderr, open), terminal));
  };

/** The same at a keyboard where more is typed than answers. `during` keeps what else is told out of the way. */
export const eliciting =
  (terminal: Terminal, keyboard: Keyboard, running: AbortSignal, during: During): Elicit =>
  async (asked, given) => {
    const { elicited } = await import("./elicit.ts");
    return during(() => keyboard.asking((read) => elicited(asked, read, terminal), AbortSignal.any([running, given])));
  };

type During = <T>(question: () => Promise<T>) => Promise<T>;

/** One question at a time: two would read each other's answers. */
export function oneByOne(during: During): During {
  let free: Promise<unknown> = Promise.resolve();
  return (question) => {
    const mine = free.then(() => during(question));
    free = mine.catch(() => {});
    return mine;
  };
}

const alone = oneByOne((question) => question());

async function atKeyboard<T>({ stdin, stderr }: Terminal, stop: () => void, put: (rl: Interface) => Promise<T>): Promise<T> {
  const { createInterface } = await import("node:readline/promises");
  return alone(async () => {
    const rl = createInterface({ input: stdin, output: stderr, terminal: true });
    rl.on("SIGINT", stop);
    try {
      return await put(rl);
    } finally {
      rl.close();
    }
  });
}
