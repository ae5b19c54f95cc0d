import { isRecord } from "../../../text/json.ts";

/** A tool that a client offers to its model. */
export interface OfferedTool {
  readonly name: string;
  /** Of a tool of a server, where a provider keeps those apart. */
  readonly namespace?: string;
  readonly schema: Readonly<Record<string, unknown>>;
}

/** A call that a scripted model wants. `input` is a text in place of arguments. */
export interface WantedCall {
  readonly name: string;
  readonly args: Readonly<Record<string, unknown>>;
  readonly namespace?: string | undefined;
  readonly input?: string | undefined;
}

/** One object, or the lines of a stream. */
export type WireAnswer = { readonly kind: "json"; readonly value: object } | { readonly kind: "events"; readonly lines: readonly string[] };

/** How a provider's clients ask, and how they are answered: with one call, or with the last word. */
export interface ModelWire {
  readonly path: RegExp;
  /** What is offered, and the texts of the results so far. */
  read(body: Readonly<Record<string, unknown>>): { readonly tools: readonly OfferedTool[]; readonly results: readonly string[] };
  answer(
    body: Readonly<Record<string, unknown>>,
    call: WantedCall | null,
    about: { readonly id: string; readonly url: string },
  ): WireAnswer;
}

export const LAST_WORD = "Done.";

/** A line of a stream whose events have names. */
export const namedEvent = (data: { readonly type: string }): string => `event: ${data.type}\ndata: ${JSON.stringify(data)}\n\n`;
export const plainEvent = (data: object): string => `data: ${JSON.stringify(data)}\n\n`;

/** The objects of a list in what a client sent. */
export const recordsIn = (value: unknown): readonly Readonly<Record<string, unknown>>[] =>
  Array.isArray(value) ? value.filter(isRecord) : [];

/** A tool by what is said of it; none where it takes nothing that can be made up. */
export const offeredTool = (name: unknown, schema: unknown): readonly OfferedTool[] =>
  typeof name === "string" ? [{ name, schema: isRecord(schema) ? schema : {} }] : [];

/** Everything that is text in a result, however it is wrapped. */
export const allText = (value: unknown): string => {
  if (typeof value === "string") return value;
  return typeof value === "object" && value !== null ? Object.values(value).map(allText).join("\n") : "";
};
