import type { AuditEntry } from "../../core/ports/audit.ts";
import { attempt } from "../../text/attempt.ts";
import { bounded } from "../../text/visible.ts";

const KINDS: ReadonlySet<unknown> = new Set<AuditEntry["kind"]>(["intent", "call", "settled", "egress", "note"]);
const NUMBERS: ReadonlySet<string> = new Set<keyof AuditEntry>([
  "policy_version",
  "duration_ms",
  "exit_code",
  "hop",
  "status",
  "bytes",
  "port",
  "sent",
  "received",
  "ms",
  "times",
]);
const FLAGS: ReadonlySet<string> = new Set<keyof AuditEntry>(["waiting", "truncated", "rewritten"]);
const LONGEST = 300;
/** The log keeps arguments far flatter; what is nested without end breaks whoever writes it out. */
const DEEPEST = 50;

/**
 * A line of a log as an entry; null when it is none. Whoever can write into a log may write anything: one odd line must not keep anybody from
 * reading the others. A text that is none becomes one, and what has no meaning otherwise is left out.
 */
export function soundEntry(value: unknown): AuditEntry | null {
  if (typeof value !== "object" || value === null || !KINDS.has((value as AuditEntry).kind)) return null;
  if (isSoundWhole(value as Record<string, unknown>)) return value as AuditEntry;
  const sound = Object.entries(value).flatMap(([name, one]) => (isSound(name, one) ? [[name, one]] : made(name, one)));
  return { ts: "", ...Object.fromEntries(sound) } as AuditEntry;
}

/** Every line of a log comes through here, so nothing is made of it. */
function isSoundWhole(value: Readonly<Record<string, unknown>>): boolean {
  if (typeof value.ts !== "string") return false;
  for (const name in value) if (!isSound(name, value[name])) return false;
  return true;
}

function isSound(name: string, value: unknown): boolean {
  if (name === "args") return isShallow(value, DEEPEST);
  if (typeof value === "string") return !NUMBERS.has(name) && !FLAGS.has(name) && name !== "objections";
  if (NUMBERS.has(name)) return typeof value === "number";
  if (FLAGS.has(name)) return typeof value === "boolean";
  return name === "objections" && Array.isArray(value) && value.every(isObjection);
}

const isShallow = (value: unknown, left: number): boolean =>
  typeof value !== "object" || value === null || (left > 0 && Object.values(value).every((one) => isShallow(one, left - 1)));

function isObjection(value: unknown): boolean {
  if (typeof value !== "object" || value === null) return false;
  const { gate, kind } = value as Record<string, unknown>;
  return (
    typeof gate === "string" && typeof kind === "string" && Object.values(value).every((one) => one === null || typeof one === "string")
  );
}

function made(name: string, value: unknown): [string, unknown][] {
  if (name === "args") return [[name, "(nested too deeply)"]];
  if (name === "objections") return Array.isArray(value) ? [[name, value.filter(isObjection)]] : [];
  if (NUMBERS.has(name) || FLAGS.has(name) || value === null) return [];
  return [
    [
      name,
      bounded(
        attempt(() => JSON.stringify(value), ""),
        LONGEST,
      ),
    ],
  ];
}
