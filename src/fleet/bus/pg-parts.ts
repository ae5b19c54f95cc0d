import { randomBytes } from "node:crypto";
import type { Outgoing } from "./outbox.ts";

/** A notification is shorter than 8000 bytes. */
const MOST_PART = 7900;

const ours = randomBytes(6).toString("base64url");
let told = 0;

/** Each part has a number of its own: PostgreSQL sends two equal notifications of a transaction once. */
export function writeParts({ subject, text }: Outgoing): readonly string[] {
  const whole = onlyAscii(JSON.stringify([subject, text]));
  const count = Math.ceil(whole.length / MOST_PART);
  const id = `${ours}${(told++).toString(36)}`;
  return Array.from({ length: count }, (_, n) => `${id} ${n + 1} ${count} ${whole.slice(n * MOST_PART, (n + 1) * MOST_PART)}`);
}

/** Puts parts together: fewer than 100, because 64 kB are at most 25. Those of a message follow each other, because a transaction's notifications are queued under one lock. */
export function createPartReader(): (sender: number, payload: string) => Outgoing | null {
  let begun: { readonly key: string; readonly next: number; readonly text: string } | null = null;
  return (sender, payload) => {
    const [, id, at, of, text] = /^([\w-]{1,32}) (\d{1,2}) (\d{1,2}) (.*)$/s.exec(payload) ?? [];
    if (id === undefined) return null;
    const key = `${sender} ${id} ${of}`;
    const before = at === "1" ? "" : begun?.key === key && begun.next === Number(at) ? begun.text : null;
    begun = before === null || at === of ? null : { key, next: Number(at) + 1, text: before + text };
    return before === null || at !== of ? null : readWhole(before + text);
  };
}

function readWhole(whole: string): Outgoing | null {
  try {
    const [subject, text] = JSON.parse(whole);
    return typeof subject === "string" && typeof text === "string" ? { subject, text } : null;
  } catch {
    return null;
  }
}

/** Characters are bytes then, and no cut falls into one. */
const onlyAscii = (json: string): string => json.replace(/[^ -~]/g, (char) => `\\u${char.charCodeAt(0).toString(16).padStart(4, "0")}`);
