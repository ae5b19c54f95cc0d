import { createHash } from "node:crypto";
import * as z from "zod";
import { makeOnce } from "../../text/make-once.ts";
import { didYouMean } from "../../text/nearest.ts";
import type { NewTask, TaskPayload } from "../task.ts";

/** What holds for lines that say nothing else. */
export interface BatchDefaults {
  readonly batch: string;
  /** Who asks, and in which trace. Neither makes another task of a line. */
  readonly asker?: Pick<TaskPayload, "person" | "traceparent">;
  readonly repo?: TaskPayload["repo"];
  readonly model?: string;
  readonly label?: string;
  readonly onUnknown?: "tell" | "stop";
  /** Names of limits that were set for the batch. With one, all tasks have it; with several, a line names its own, or its model is called so. */
  readonly limits: readonly string[];
  /** Reads an address, with or without a branch. */
  readonly readRepo: (text: string) => NonNullable<TaskPayload["repo"]>;
}

export interface KeyedBatchTask extends NewTask {
  readonly key: string;
}

/** Why a line is no task. */
class BatchLineError extends Error {
  override readonly name = "BatchLineError";
}

/** A line of a batch: `{"text": "Update the changelog", "repo": "https://host/app.git@main"}`. Its key is its own, or a hash of all that it says, within the batch. */
export function readBatchLine(text: string, defaults: BatchDefaults): KeyedBatchTask {
  const line = parseLine(text);
  const { batch, readRepo } = defaults;
  const model = line.model ?? defaults.model;
  const repo = typeof line.repo === "string" ? readRepo(line.repo) : (withoutGaps(line.repo) ?? defaults.repo);
  const label = line.label ?? defaults.label;
  const onUnknown = line.on_unknown ?? defaults.onUnknown;
  const limit = line.limit ?? chooseLimit(defaults.limits, model);
  const limits = readLimits(line);
  const task = {
    ...(line.session !== undefined && { session: line.session }),
    ...(limit !== undefined && { limit }),
    ...(label !== undefined && { label }),
    ...(line.max_attempts !== undefined && { maxAttempts: line.max_attempts }),
    ...(onUnknown !== undefined && { onUnknown }),
    payload: {
      format: 1 as const,
      text: line.text,
      ...(repo && { repo }),
      ...(model !== undefined && { model }),
      ...(limits && { limits }),
    },
  };
  const key = line.key ?? hashLine(batch, line.session, task.payload);
  return { ...task, payload: { ...task.payload, ...defaults.asker }, batch, key };
}

const withoutGaps = (repo: { readonly url: string; readonly ref?: string | undefined } | undefined) =>
  repo && { url: repo.url, ...(repo.ref !== undefined && { ref: repo.ref }) };

/** The same work in the same batch. How it is limited, labelled and tried again may be changed without making it another task. */
const hashLine = (batch: string, session: string | undefined, payload: TaskPayload): string =>
  createHash("sha256")
    .update(JSON.stringify([batch, session ?? null, payload]))
    .digest("hex");

const name = () => z.string().min(1).max(200);
const some = () => z.int().positive();
const lineSchema = makeOnce(() =>
  z.strictObject({
    text: z.string().refine((text) => text.trim() !== "", "it is empty"),
    key: name().optional(),
    repo: z.union([z.string(), z.strictObject({ url: z.string(), ref: z.string().optional() })]).optional(),
    session: name().optional(),
    model: name().optional(),
    limit: name().optional(),
    label: name().optional(),
    max_attempts: some().max(100).optional(),
    on_unknown: z.enum(["tell", "stop"]).optional(),
    max_turns: some().optional(),
    max_tokens: some().optional(),
    max_usd: z.number().positive().optional(),
    max_time: z.number().positive().optional(),
  }),
);
type BatchLine = z.output<ReturnType<typeof lineSchema>>;

function parseLine(text: string): BatchLine {
  let data: unknown;
  try {
    data = JSON.parse(text);
  } catch (error) {
    throw new BatchLineError(`it is no JSON (${(error as Error).message}).`);
  }
  const read = lineSchema().safeParse(data);
  if (read.success) return read.data;
  const { issues } = read.error;
  // A misspelt field says more than the one that is missing because of it.
  throw new BatchLineError(explain(issues.find(({ code }) => code === "unrecognized_keys") ?? issues[0]!, data));
}

function explain(issue: z.core.$ZodIssue, data: unknown): string {
  const fields = Object.keys(lineSchema().shape);
  if (issue.code === "unrecognized_keys") {
    const [wrong = ""] = issue.keys;
    return `"${wrong}" is no field of a task.${didYouMean(wrong, fields) || ` Fields are ${fields.join(", ")}.`}`;
  }
  const [field] = issue.path;
  if (field === undefined) return 'a task is an object: {"text": "what to do"}.';
  if (!(field in (data as object))) return `"${String(field)}" is missing.`;
  return `"${String(field)}": ${issue.message}.`;
}

function chooseLimit(limits: readonly string[], model: string | undefined): string | undefined {
  if (limits.length <= 1) return limits[0];
  if (model !== undefined && limits.includes(model)) return model;
  throw new BatchLineError(`it names no "limit", and there are several: ${limits.join(", ")}.`);
}

function readLimits({ max_turns: turns, max_tokens: tokens, max_usd: usd, max_time: seconds }: BatchLine): TaskPayload["limits"] {
  const given = Object.entries({ turns, tokens, usd, seconds }).filter(([, value]) => value !== undefined);
  return given.length === 0 ? undefined : Object.fromEntries(given);
}
