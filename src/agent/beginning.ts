import type { Message } from "../core/ports/model.ts";

/** What a model is told of the day and the place, a line for each subject. */
export type Facts = ReadonlyMap<Subject, string>;
const SUBJECTS = ["Date", "Git branch", "Git, unstaged only", "Commands", "Questions"] as const;
type Subject = (typeof SUBJECTS)[number];

/** The model's own work changes this all the time, and it knows of that. */
const OF_THE_BEGINNING: ReadonlySet<Subject> = new Set(["Git, unstaged only"]);

/** For the end of the system text. It stays as it is for the whole conversation, so that a provider can keep what it has read. */
export const beginningText = (facts: Facts, later: readonly string[]): string =>
  [
    "When this conversation began:",
    ...linesOf(facts),
    ...(later.length > 0 ? [`Further tools: ${later.join(", ")}. Call one by its name; search_tools tells you its parameters.`] : []),
  ].join("\n");

/** What has changed since the model was told last, as a message of the loop; null when that is nothing. */
export function changedFacts(begun: string, messages: readonly Message[], now: Facts): string | null {
  const notes = messages.flatMap((one) => (one.role === "user" && one.from === "loop" && one.text.startsWith(HEAD) ? [one.text] : []));
  const told = new Map([begun, ...notes].flatMap(readFacts));
  const changed = new Map([...now].filter(([subject, text]) => !OF_THE_BEGINNING.has(subject) && told.get(subject) !== text));
  return changed.size === 0 ? null : [HEAD, ...linesOf(changed)].join("\n");
}

const HEAD = "[changed since the conversation began]";

const linesOf = (facts: Facts): string[] => [...facts].map(([subject, text]) => `${subject}: ${text}`);

const readFacts = (text: string): [Subject, string][] =>
  text.split("\n").flatMap((line): [Subject, string][] => {
    const subject = SUBJECTS.find((one) => line.startsWith(`${one}: `));
    return subject ? [[subject, line.slice(subject.length + 2)]] : [];
  });
