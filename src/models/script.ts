import * as z from "zod";
import type { Model, ModelEvent } from "../core/ports/model.ts";
import { OwnFileError, readOwnFile } from "../files/own-file.ts";
import { makeOnce } from "../text/make-once.ts";
import { type ScriptPace, scriptModel } from "./script-model.ts";

const count = makeOnce(() => z.int().min(0));
const event = makeOnce(() =>
  z.discriminatedUnion("type", [
    z.strictObject({ type: z.literal("text"), text: z.string() }),
    z.strictObject({ type: z.literal("thinking"), text: z.string() }),
    z.strictObject({
      type: z.literal("request"),
      request: z.strictObject({ id: z.string().min(1), name: z.string().min(1), args: z.unknown(), problem: z.string().optional() }),
    }),
    z.strictObject({
      type: z.literal("end"),
      finish: z.enum(["stop", "calls", "length", "refused", "other"]),
      usage: z.strictObject({ input: count(), cacheRead: count(), cacheWrite: count(), output: count() }).optional(),
    }),
  ]),
);

const pace = makeOnce(() =>
  z.union([z.strictObject({ ms_per_token: z.number().min(0).max(60_000) }), z.strictObject({ chars_per_second: z.number().min(1) })]),
);
const script = makeOnce(() => z.strictObject({ pace: pace().optional(), turns: z.array(z.array(event())) }));

export interface Script {
  readonly turns: ModelEvent[][];
  readonly pace?: ScriptPace;
}

/** Turns written as JSON: a list of turns, each a list of events; or `turns` beside a `pace`. Throws an Error that says where it is wrong. */
export function parseScript(text: string): Script {
  let data: unknown;
  try {
    data = JSON.parse(text);
  } catch (error) {
    throw new Error(`The script is not valid JSON: ${(error as Error).message}`);
  }
  const parsed = script().safeParse(Array.isArray(data) ? { turns: data } : data);
  if (parsed.success) return { turns: parsed.data.turns as ModelEvent[][], ...(parsed.data.pace && { pace: paceOf(parsed.data.pace) }) };
  const [issue] = parsed.error.issues;
  const [field, ...path] = issue!.path;
  if (field === "pace")
    throw new Error('The script is not right: its pace is {"ms_per_token": 20} or {"chars_per_second": 200}, from 0 and from 1 on.');
  const [turn, at, ...rest] = path;
  const where =
    turn === undefined
      ? ""
      : `turn ${Number(turn) + 1}${at === undefined ? "" : `, event ${Number(at) + 1}`}${rest.length > 0 ? `, ${rest.join(".")}` : ""}: `;
  throw new Error(
    `The script is not right: ${where}${issue!.message}. It is a list of turns, each a list of events such as {"type":"text","text":"Hello"}.`,
  );
}

const paceOf = (written: z.infer<ReturnType<typeof pace>>): ScriptPace =>
  "ms_per_token" in written ? { msPerToken: written.ms_per_token } : { charsPerSecond: written.chars_per_second };

const MAX_SCRIPT = 8 * 1024 * 1024;

/** A script read from a file. */
export async function readScript(path: string, id: string): Promise<Model> {
  try {
    const { turns, pace } = parseScript(readOwnFile(path, { maxBytes: MAX_SCRIPT }).bytes.toString("utf8"));
    return scriptModel(turns, { id, ...(pace && { pace }) });
  } catch (error) {
    const isMissing = error instanceof OwnFileError && error.reason === "missing";
    throw new Error(`The script ${path} cannot be used: ${isMissing ? "there is no such file." : (error as Error).message}`);
  }
}
