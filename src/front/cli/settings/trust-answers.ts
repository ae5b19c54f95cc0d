import type { TrustRecords } from "../../../core/ports/store.ts";
import { allowedCommandOf } from "../../../runtime/rules/allowed-commands.ts";
import { oneLine } from "../../../text/visible.ts";
import type { Print } from "./trust.ts";

type TrustRecord = Awaited<ReturnType<TrustRecords["list"]>>[number];

const LONGEST = 200;

/** An answer "always" to a command, for the list; null for a record of another kind. */
export function describeAnswer(record: TrustRecord) {
  const allowed = allowedCommandOf(record);
  if (!allowed) return null;
  const { subject, since } = record;
  return {
    subject,
    since,
    ...allowed,
    current: true,
    text: `${subject}  (always allowed: ${oneLine(allowed.command, LONGEST)} in ${allowed.folder})`,
  };
}

/** Takes an answer "always" back, by its name in the list. False where the name is none of those. */
export async function revokeAnswer(name: string | undefined, trust: TrustRecords, print: Print): Promise<boolean> {
  const answer = (await trust.list()).map(describeAnswer).find((one) => one?.subject === name);
  if (!answer) return false;
  await trust.remove(answer.subject);
  print({ subject: answer.subject, trusted: false }, `No longer trusted: ${answer.text}\n`);
  return true;
}
