import { type Line, standFor, sumOf } from "../line.ts";

/** Events of a test run, one in each line: `{"Action":"pass","Test":"TestAdd"}`, `["pass",{"title":"adds"}]`, `{"type":"test","event":"ok","name":"adds"}`. */
interface TestEvent {
  readonly line: Line;
  /** The test it is about; null where it names none. */
  readonly test: string | null;
  readonly outcome: "passed" | "failed" | "begins" | null;
  /** What the test printed, where the event only carries it. */
  readonly printed: string | null;
}

const FEWEST = 3;
const SHARE = 0.8;
const LONGEST = 100_000;
const GLANCE = 40;
const OPENS = /^[[{]/;
const OUTCOMES = ["result", "event", "Action", "action", "status", "outcome", "state", "type"];
const NAMES = ["Test", "test", "fullName", "fullTitle", "testID", "name", "title"];
const PASSED = /^(?:test:)?(?:ok|pass(?:ed)?|success(?:ful)?)$/i;
const FAILED = /^(?:test:)?(?:fail(?:ed|ure)?|errore?d?|timeout)$/i;
const BEGINS = /^(?:test:)?(?:start(?:ed)?|run|pause|cont|enqueue|dequeue|testStart)$/i;

/** The events of a test run without those of tests that passed. The output of a failing test is shown as it was printed. null: these are no such events. */
export function failedEvents(lines: readonly Line[]): { readonly lines: readonly Line[]; readonly harmless: number } | null {
  const begin = lines.slice(0, GLANCE);
  if (begin.filter(({ text }) => OPENS.test(text)).length < begin.length / 2) return null;
  const events = lines.map(eventOf);
  const told = events.filter((event) => event !== null);
  if (told.length < lines.filter(({ text }) => text !== "").length * SHARE) return null;
  const testsThat = (outcome: TestEvent["outcome"]) =>
    new Set(told.flatMap((event) => (event.outcome === outcome ? (event.test ?? []) : [])));
  const failed = testsThat("failed");
  const passed = new Set([...testsThat("passed")].filter((test) => !failed.has(test)));
  if (passed.size < FEWEST) return null;
  let harmless = 0;
  const shown = lines.flatMap((line, n) => {
    const event = events[n];
    if (!event) return [line];
    const goes = event.test !== null && (passed.has(event.test) || (event.outcome === "begins" && failed.has(event.test)));
    if (goes) harmless += sumOf([line]).errors;
    else return [event.printed === null ? line : standFor(event.printed, [line])];
    return [];
  });
  return { lines: shown, harmless };
}

function eventOf(line: Line): TestEvent | null {
  if (!OPENS.test(line.text) || line.text.length > LONGEST) return null;
  const [head, record] = read(line.text);
  if (!record) return null;
  const data = isRecord(record.data) ? { ...record, ...record.data } : record;
  const words = [head, ...OUTCOMES.map((key) => data[key])].filter((word) => typeof word === "string");
  const name = NAMES.map((key) => nameIn(data[key])).find((value) => value !== null) ?? null;
  const outcome = words.some((word) => FAILED.test(word))
    ? "failed"
    : words.some((word) => PASSED.test(word))
      ? "passed"
      : words.some((word) => BEGINS.test(word))
        ? "begins"
        : null;
  const printed = typeof data.Output === "string" ? data.Output.trimEnd() : null;
  return { line, test: name === null ? null : `${String(data.Package ?? data.file ?? "")} ${name}`, outcome, printed };
}

function read(text: string): [unknown, Record<string, unknown> | null] {
  try {
    const value: unknown = JSON.parse(text);
    if (Array.isArray(value)) return [value[0], isRecord(value[1]) ? value[1] : null];
    return [null, isRecord(value) ? value : null];
  } catch {
    return [null, null];
  }
}

const isRecord = (value: unknown): value is Record<string, unknown> => typeof value === "object" && value !== null && !Array.isArray(value);

function nameIn(value: unknown): string | null {
  if (isRecord(value)) return nameIn(value.name ?? value.title ?? value.id);
  return typeof value === "string" || typeof value === "number" ? String(value) : null;
}
