import { createHash } from "node:crypto";
import type { TrustRecords } from "../../core/ports/store.ts";
import { attempt } from "../../text/attempt.ts";
import { record } from "../../text/json.ts";

/** Commands a person allowed for good, kept by their hash beside what else they vouched for. */
export function createAllowedCommands(trust: TrustRecords): { has(key: string): boolean; add(key: string): void } {
  return {
    has: (key) => trust.get(subject(key)) !== null,
    add: (key) => void trust.set(subject(key), key).catch(() => {}),
  };
}

/** The command of such a record and its folder; null for a record of another kind. */
export function allowedCommandOf({ subject, hash: key }: TrustRecord): { readonly command: string; readonly folder: string } | null {
  if (!subject.startsWith(SUBJECT)) return null;
  const [tool, , , folder, input] = attempt((): unknown[] => JSON.parse(key), []);
  const { command } = record(input);
  return { command: typeof command === "string" ? command : String(tool), folder: String(folder) };
}

type TrustRecord = Awaited<ReturnType<TrustRecords["list"]>>[number];

const SUBJECT = "command ";
const subject = (key: string) => `${SUBJECT}${createHash("sha256").update(key).digest("hex")}`;
