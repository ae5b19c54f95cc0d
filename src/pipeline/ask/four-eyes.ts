import type { Answered } from "../../core/event.ts";

/** Whether a yes names nobody, or the very person who called. A no counts from anybody. */
export const lacksSecondPerson = ({ answer, by }: Answered, caller: string | undefined): boolean =>
  answer !== "no" && (by === undefined || by === caller);

export const ANOTHER_PERSON =
  "The answer does not count: it has to name the person who gave it, and that has to be another one than the caller (tools.four_eyes).";
