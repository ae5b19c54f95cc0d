import * as z from "zod";
import type { Model, ModelEvent } from "../core/ports/model.ts";
import { OwnFileError, readOwnFile } from "../files/own-file.ts";
import { makeOnce } from "../text/make-once.ts";
import { scriptModel } from "./script-model.ts";

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

/** Turns written as JSON: a list of turns, each a list of events. Throws an Error that says where it is wrong. */
export function parseScript(text: string): ModelEvent[][] {
  let data: unknown;
  try {
    data = JSON.parse(text);
  } catch (error) {
    throw new Error(`The script is not valid JSON: ${(error as Error).message}`);
  }
  const parsed = z.array(z.array(event())).safeParse(data);
  if (parsed.success) return parsed.data as ModelEvent[][];
  const [issue] = parsed.error.issues;
  const [turn, at, ...rest] = issue!.path;
  const where =
    turn === undefined
      ? ""
      : `turn ${Number(turn) + 1}${at === undefined ? "" : `, event ${Number(at) + 1}`}${rest.length > 0 ? `, ${rest.join(".")}` : ""}: `;
  throw new Error(
    `The script is not right: ${where}${issue!.message}. It is a list of turns, each a list of events such as {"type":"text","text":"Hello"}.`,
  );
}

const MAX_SCRIPT = 8 * 1024 * 1024;

/** A script read from a file. */
export async function readScript(path: string, id: string): Promise<Model> {
  try {
    return scriptModel(parseScript(readOwnFile(path, { maxBytes: MAX_SCRIPT }).bytes.toString("utf8")), id);
  } catch (error) {
    const isMissing = error instanceof OwnFileError && error.reason === "missing";
    throw new Error(`The script ${path} cannot be used: ${isMissing ? "there is no such file." : (error as Error).message}`);
  }
}
