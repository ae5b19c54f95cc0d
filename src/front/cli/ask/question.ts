import type { Interface } from "node:readline/promises";
import type { Answer, Question } from "../../../core/event.ts";
import type { Touch } from "../../../core/touch.ts";
import { visible } from "../../../text/visible.ts";
import { beside, type Colors, prose, type Terminal, widthOf, wrap } from "../terminal/terminal.ts";

/** Puts the question on stderr and waits for a word on stdin. Enter alone is a no; null when nobody can answer any more. */
export async function ask(question: Question, rl: Interface, { stderr, err }: Terminal, signal: AbortSignal): Promise<Answer | null> {
  // It was stopped while another question was open.
  if (signal.aborted) return null;
  stderr.write(`\n${questionText(question, err, stderr.isTTY ? widthOf(stderr) : undefined)}\n`);
  const offered = OFFERS.filter(({ answer }) => answer !== "always" || question.always_rule !== undefined);
  const prompt = `${err.bold("Allow it?")} ${offered.map(({ label }) => label).join(", ")}: `;
  for (;;) {
    const word = await readAnswer(prompt, rl, stderr, signal);
    if (word === null) return null;
    const offer = offered.find(({ words }) => words.includes(word.trim().toLowerCase()));
    if (offer) return offer.answer;
    stderr.write(`${prose(`Please answer ${offered.map(({ words }) => words[0]).join(", ")}. Enter alone means no.`, stderr)}\n`);
  }
}

/** What is typed after a question. Null when nobody can answer any more. */
export async function readAnswer(prompt: string, rl: Interface, stderr: Terminal["stderr"], signal: AbortSignal): Promise<string | null> {
  if (signal.aborted) return null;
  forget(rl);
  const word = await typed(rl, prompt, signal);
  if (word === "closed") stderr.write("\n");
  return word === null || word === "closed" ? null : word.typed;
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

/** Null when the call was cancelled. */
async function typed(rl: Interface, prompt: string, signal: AbortSignal): Promise<{ readonly typed: string } | "closed" | null> {
  let end = () => {};
  const closed = new Promise<"closed">((resolve) => {
    end = () => resolve("closed");
    rl.once("close", end);
  });
  try {
    return await Promise.race([rl.question(prompt, { signal }).then((typed) => ({ typed })), closed]);
  } catch {
    return null;
  } finally {
    rl.off("close", end);
  }
}

/**
 * The whole call, nothing shortened: a person must see what they allow. With a width our own words break between words; what was asked for
 * stays as it is.
 */
export function questionText(
  { tool, args, why, touches, always_rule }: Question,
  colors: Colors,
  columns = Number.POSITIVE_INFINITY,
): string {
  const given = typeof args === "object" && args !== null ? Object.entries(args) : [["arguments", args] as const];
  // One place is our own words; a command is not.
  const place = touches.length === 1 && touches[0]!.kind !== "command" ? touchText(touches[0]!) : null;
  const said: (readonly [string, string])[] = [
    ...(place === null ? [] : [["touches", place] as const]),
    ...(always_rule === undefined ? [] : [["always", `writes the rule: ${always_rule}`] as const]),
  ];
  const rows: (readonly [string, string])[] = [
    ...given.map(([name, value]) => [name, valueText(value)] as const),
    ...(touches.length > 0 && !place ? [["touches", touches.map(touchText).join("\n")] as const] : []),
  ];
  const width = Math.max(...[...rows, ...said].map(([name]) => name.length)) + 2;
  return [
    `${colors.yellow("Question:")} ${colors.bold(visible(tool))} needs a yes.`,
    ...why.map((reason) => wrap(visible(reason), columns, "  ")),
    ...rows.map(([name, text]) => row(visible(name), visible(text), width, colors)),
    ...said.map(([name, text]) => beside(`  ${colors.cyan(name)}`, visible(text), width + 2, columns)),
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
