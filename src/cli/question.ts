import type { Interface } from "node:readline/promises";
import type { Answer, Question } from "../core/event.ts";
import type { Touch } from "../core/touch.ts";
import { harmless } from "./print.ts";
import type { Colors, Terminal } from "./terminal.ts";

/** Puts the question on stderr and waits for a word on stdin. Enter alone is a no; null when nobody can answer any more. */
export async function ask(question: Question, rl: Interface, { stderr, err }: Terminal, signal: AbortSignal): Promise<Answer | null> {
  stderr.write(`\n${questionText(question, err)}\n`);
  const offered = OFFERS.filter(({ answer }) => answer !== "always" || question.always_rule !== undefined);
  const prompt = `${err.bold("Allow it?")} ${offered.map(({ label }) => label).join(", ")}: `;
  for (;;) {
    forget(rl);
    const word = await typed(rl, prompt, signal);
    if (word === null) return null;
    const offer = offered.find(({ words }) => words.includes(word.trim().toLowerCase()));
    if (offer) return offer.answer;
    stderr.write(`Please answer ${offered.map(({ words }) => words[0]).join(", ")}. Enter alone means no.\n`);
  }
}

/** What was typed before the question was there cannot be an answer to it. */
function forget(rl: Interface): void {
  if (rl.line === "") return;
  rl.write(null, { ctrl: true, name: "e" });
  rl.write(null, { ctrl: true, name: "u" });
}

interface Offer {
  readonly answer: Answer;
  readonly label: string;
  readonly words: readonly string[];
}
const OFFERS: readonly Offer[] = [
  { answer: "once", label: "[o]nce", words: ["o", "once", "y", "yes"] },
  { answer: "session", label: "[s]ession", words: ["s", "session"] },
  { answer: "always", label: "[a]lways", words: ["a", "always"] },
  { answer: "no", label: "[N]o", words: ["n", "no", ""] },
];

/** Null when the input is closed or the call cancelled. */
async function typed(rl: Interface, prompt: string, signal: AbortSignal): Promise<string | null> {
  let end = () => {};
  const closed = new Promise<null>((resolve) => {
    end = () => resolve(null);
    rl.once("close", end);
  });
  try {
    return await Promise.race([rl.question(prompt, { signal }), closed]);
  } catch {
    return null;
  } finally {
    rl.off("close", end);
  }
}

/** The whole call, nothing shortened: a person must see what they allow. */
export function questionText({ tool, args, why, touches, always_rule }: Question, colors: Colors): string {
  const given = typeof args === "object" && args !== null ? Object.entries(args) : [["arguments", args] as const];
  const rows: (readonly [string, string])[] = [
    ...given.map(([name, value]) => [name, valueText(value)] as const),
    ...(touches.length > 0 ? [["touches", touches.map(touchText).join("\n")] as const] : []),
    ...(always_rule === undefined ? [] : [["always", `writes the rule: ${always_rule}`] as const]),
  ];
  const width = Math.max(...rows.map(([name]) => name.length)) + 2;
  return [
    `${colors.yellow("Question:")} ${colors.bold(harmless(tool))} needs a yes.`,
    ...why.map((reason) => `  ${harmless(reason)}`),
    ...rows.map(([name, text]) => row(harmless(name), harmless(text), width, colors)),
  ].join("\n");
}

function row(name: string, text: string, width: number, colors: Colors): string {
  // Space at the edges counts, so it must be seen.
  if (text === text.trim() && !text.includes("\n")) return `  ${colors.cyan(name.padEnd(width))}${text}`;
  const lines = text.replace(/\n$/, "").split("\n");
  return [`  ${colors.cyan(name)}`, ...lines.map((line) => `    ${colors.dim("|")} ${line}`)].join("\n");
}

const valueText = (value: unknown) => (typeof value === "string" ? value : JSON.stringify(value, null, 2));

export function touchText(touch: Touch): string {
  if (touch.kind === "path") return `${touch.access} ${touch.path}${touch.tree ? " and everything below" : ""}`;
  if (touch.kind === "command") return `run ${touch.text}`;
  return touch.kind === "url" ? `reach ${touch.url}` : `unknown: ${touch.why}`;
}
