import { randomUUID } from "node:crypto";
import { type CreateElicitationResponse, type ElicitationPropertySchema, methods } from "@agentclientprotocol/sdk";
import type { Elicitation, Elicited, Field, FieldValue, Form } from "../../core/ports/elicitation.ts";
import { boundedMiddle, visible } from "../../text/visible.ts";
import type { Wire } from "./wire.ts";

const CANCEL: Elicited = { action: "cancel" };

/** Puts the question of an MCP server to the person, where the editor can. Else nobody answered. */
export async function askElicitation(wire: Wire, asked: Elicitation, signal: AbortSignal): Promise<Elicited> {
  const can = wire.can.elicitation;
  if (signal.aborted || !(asked.kind === "form" ? can?.form : can?.url)) return CANCEL;
  const message = visible(boundedMiddle(`${asked.from} asks: ${asked.message}`, 4000));
  const about = { sessionId: wire.sessionId, message };
  const request =
    asked.kind === "form"
      ? { ...about, mode: "form" as const, requestedSchema: schemaOf(asked) }
      : { ...about, mode: "url" as const, elicitationId: randomUUID(), url: asked.url };
  try {
    const answer: CreateElicitationResponse = await wire.client.request(methods.client.elicitation.create, request, {
      cancellationSignal: signal,
      stopWaitingOnCancel: true,
    });
    return signal.aborted ? CANCEL : elicited(asked, answer);
  } catch {
    return CANCEL;
  }
}

function schemaOf({ fields }: Form) {
  return {
    type: "object" as const,
    properties: Object.fromEntries(fields.map((field) => [field.name, propertyOf(field)])),
    required: fields.filter(({ required }) => required).map(({ name }) => name),
  };
}

function propertyOf(field: Field): ElicitationPropertySchema {
  const about = {
    ...(field.title !== undefined && { title: visible(field.title) }),
    ...(field.description !== undefined && { description: visible(field.description) }),
    ...(field.default !== undefined && { default: field.default }),
  };
  const options = (field.options ?? []).map(({ value, label }) => ({ const: value, title: visible(label) }));
  const { least, most } = field;
  if (field.type === "choice") return { type: "string", ...about, oneOf: options } as ElicitationPropertySchema;
  if (field.type === "choices") return { type: "array", ...about, items: { anyOf: options } } as ElicitationPropertySchema;
  if (field.type === "boolean") return { type: "boolean", ...about } as ElicitationPropertySchema;
  if (field.type !== "text")
    return {
      type: field.type,
      ...about,
      ...(least !== undefined && { minimum: least }),
      ...(most !== undefined && { maximum: most }),
    } as ElicitationPropertySchema;
  return {
    type: "string",
    ...about,
    ...(field.format !== undefined && { format: field.format }),
    ...(least !== undefined && { minLength: least }),
    ...(most !== undefined && { maxLength: most }),
  } as ElicitationPropertySchema;
}

const LONGEST_VALUE = 100_000;

/** Only what was asked for is passed on. */
function elicited(asked: Elicitation, answer: CreateElicitationResponse): Elicited {
  if (answer.action === "decline") return { action: "decline" };
  if (answer.action !== "accept") return CANCEL;
  const given = "content" in answer && typeof answer.content === "object" && answer.content !== null ? answer.content : {};
  const fields = asked.kind === "form" ? asked.fields : [];
  const content: Record<string, FieldValue> = {};
  for (const { name } of fields) {
    const value = Object.hasOwn(given, name) ? (given as Record<string, unknown>)[name] : undefined;
    if (isValue(value)) content[name] = value;
  }
  return { action: "accept", content };
}

const isValue = (value: unknown): value is FieldValue =>
  typeof value === "boolean" ||
  (typeof value === "number" && Number.isFinite(value)) ||
  (typeof value === "string" && value.length <= LONGEST_VALUE) ||
  (Array.isArray(value) && value.length <= 1000 && value.every((one) => typeof one === "string" && one.length <= LONGEST_VALUE));
