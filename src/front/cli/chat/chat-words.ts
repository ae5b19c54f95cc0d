import { ToolError } from "../../../core/error.ts";
import { ModelError } from "../../../core/model-error.ts";
import type { Message } from "../../../core/ports/model.ts";
import type { Agent } from "../../../runtime/agent/agent-types.ts";
import { bounded, visible } from "../../../text/visible.ts";
import { isForPeople } from "../for-people.ts";

const LONGEST_NOTE = 300;

/** In one line. */
export const brief = (text: string): string => {
  const line = text.replace(/\s+/g, " ").trim();
  return bounded(line, LONGEST_NOTE);
};

/** Where a conversation was left. */
export function lastWords(history: readonly Message[]): string {
  const last = history.findLast((message) => message.role === "user" && message.from === undefined) as { text: string } | undefined;
  return `Continuing after: ${visible(last?.text.slice(0, 1000) ?? "").replace(/\s+/g, " ")}`;
}

/** Whether a line may be kept: one that holds a secret is called back in this run only. */
export const keepable =
  ({ zeph }: Agent) =>
  (text: string): boolean =>
    zeph.redact(text) === text;

export const isTold = (error: unknown): error is Error => isForPeople(error) || error instanceof ToolError;

/** No key, no provider, no server: the tools work all the same. */
export const isWithoutModel = (error: unknown): error is ModelError => error instanceof ModelError && error.fault === "no_key";

/** The model and its address: a person should know where their words go. */
export const modelText = ({ id, address }: Agent["model"]): string => (address === undefined ? id : `${id} at ${address}`);
