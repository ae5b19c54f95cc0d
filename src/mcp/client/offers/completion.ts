import { abortAfter, unlessAborted } from "../../../text/abort.ts";
import { record } from "../../../text/json.ts";
import type { Connection } from "../connection/connection.ts";
import type { CompletionSubject, TypedValue } from "../connection/offer-requests.ts";
import { isPlain } from "./offer-list.ts";

/** Somebody has pressed a key and waits. */
const LONGEST_MS = 1500;
const MOST_VALUES = 100;
const LONGEST_VALUE = 500;
const LONGEST_TYPED = 2000;

/** Values that a server suggests. Whatever goes wrong, or takes too long, suggests nothing. */
export async function suggestValues(
  reach: (signal: AbortSignal) => Promise<Connection>,
  subject: CompletionSubject,
  typed: TypedValue,
): Promise<readonly string[]> {
  if (typed.value.length > LONGEST_TYPED) return [];
  const late = abortAfter(LONGEST_MS);
  const work = async (): Promise<readonly string[]> => {
    const { offers } = await reach(late);
    if (!offers.completes) return [];
    const { values } = record(record(await offers.complete(subject, typed, late)).completion);
    if (!Array.isArray(values)) return [];
    return values.slice(0, MOST_VALUES).filter((value) => isPlain(value, LONGEST_VALUE));
  };
  return unlessAborted(
    work().catch(() => []),
    late,
    () => [],
  );
}
