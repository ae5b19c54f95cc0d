import type { ElicitRequestFormParams, ElicitRequestURLParams, ElicitResult } from "@modelcontextprotocol/server";
import type { Answer, Question } from "../../core/event.ts";
import type { Elicitation, Elicited, Field, FieldValue } from "../../core/ports/elicitation.ts";
import { visible } from "../../text/visible.ts";

type Property = ElicitRequestFormParams["requestedSchema"]["properties"][string];

/** A person is shown all of a call: what is left out could be what matters. */
const LONGEST = 200_000;

/** A question about a call, as a form; null when it would be too long for one. */
export function questionForm({ tool, args, why, always_rule }: Question): ElicitRequestFormParams | null {
  const text = shown(tool, args);
  if (text.length > LONGEST) return null;
  const answers = always_rule === undefined ? YES : { ...YES, always: `always: ${visible(always_rule)}` };
  const choice: Property = { type: "string", title: "Allow it?", enum: [...Object.values(answers), "no"] };
  return {
    mode: "form",
    message: `Zeph asks before it runs ${tool}:\n\n${text}\n\nWhy it asks: ${visible(why.join(" "))}`,
    requestedSchema: { type: "object", properties: { answer: choice }, required: ["answer"] },
  };
}

const YES = { once: "yes, once", session: "yes, for this session" } as const;

/** Null when nobody answered. A form that was put away is not a no. */
export function answerTo({ always_rule }: Question, given: ElicitResult | null): Answer | null {
  if (given?.action === "decline") return "no";
  if (given?.action !== "accept") return null;
  const answer = given.content?.answer;
  if (answer === "no") return "no";
  if (answer === YES.once) return "once";
  if (answer === YES.session) return "session";
  return always_rule !== undefined && answer === `always: ${visible(always_rule)}` ? "always" : null;
}

function shown(tool: string, args: unknown): string {
  const command = tool === "bash" ? (args as { command?: unknown }).command : undefined;
  const rest = typeof command === "string" ? without(args as object, "command") : {};
  const others = Object.keys(rest).length > 0 ? `\n${JSON.stringify(rest, null, 2)}` : "";
  return visible(typeof command === "string" ? `${command}${others}` : JSON.stringify(args, null, 2));
}

const without = (args: object, name: string) => Object.fromEntries(Object.entries(args).filter(([key]) => key !== name));

/** A question of an MCP server behind Zeph, handed on to the client in front of it. */
export function forwarded(asked: Elicitation): ElicitRequestFormParams | ElicitRequestURLParams {
  const message = `${asked.from} asks: ${asked.message}`;
  if (asked.kind === "visit") return { mode: "url", message, url: asked.url, elicitationId: crypto.randomUUID() };
  const properties = Object.fromEntries(asked.fields.map((field) => [field.name, propertyOf(field)]));
  const required = asked.fields.filter((field) => field.required).map(({ name }) => name);
  return { mode: "form", message, requestedSchema: { type: "object", properties, ...(required.length > 0 && { required }) } };
}

/**
 * The call on whose behalf a server asks: one to its own tools. It does not say which; the newest is most likely the one. Without any nobody is
 * asked: the question would look like another server's.
 */
export function callBehind<T extends { readonly name: string }>(server: string, calls: Iterable<T>): T | undefined {
  return [...calls].findLast(({ name }) => name.startsWith(`mcp__${server}__`));
}

/** What is in the form is checked by the one who asked. */
export function elicited(given: ElicitResult | null): Elicited {
  if (given?.action === "accept") return { action: "accept", content: (given.content ?? {}) as Record<string, FieldValue> };
  return { action: given?.action === "decline" ? "decline" : "cancel" };
}

function propertyOf({ type, title, description, options = [], format, least, most, default: preset }: Field): Property {
  const about = {
    ...(title !== undefined && { title }),
    ...(description !== undefined && { description }),
    ...(preset !== undefined && { default: preset }),
  };
  const oneOf = options.map(({ value, label }) => ({ const: value, title: label }));
  const kinds: Readonly<Record<Field["type"], object>> = {
    text: {
      type: "string",
      ...(format !== undefined && { format }),
      ...(least !== undefined && { minLength: least }),
      ...(most !== undefined && { maxLength: most }),
    },
    number: { type: "number", ...(least !== undefined && { minimum: least }), ...(most !== undefined && { maximum: most }) },
    integer: { type: "integer", ...(least !== undefined && { minimum: least }), ...(most !== undefined && { maximum: most }) },
    boolean: { type: "boolean" },
    choice: { type: "string", oneOf },
    choices: {
      type: "array",
      items: { anyOf: oneOf },
      ...(least !== undefined && { minItems: least }),
      ...(most !== undefined && { maxItems: most }),
    },
  };
  return { ...kinds[type], ...about } as Property;
}
