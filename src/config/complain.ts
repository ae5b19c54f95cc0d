import * as z from "zod";
import { didYouMean, nearest } from "../text/nearest.ts";
import { badGlobs } from "./globs.ts";
import { RENAMED_SETTINGS } from "./renamed.ts";
import { configSchema, someConfig } from "./schema.ts";
import { allSettings, envName } from "./settings.ts";
import { schemaAt, shapeOfSchema, unwrap, valueAtPath } from "./shape.ts";
import { dotted, foundWords, oneOf, typeWords } from "./type-words.ts";

/** A mistake in one value. The path says where in the configuration. */
export interface Complaint {
  readonly path: readonly (string | number)[];
  readonly message: string;
}

/** Nobody reads further, and each one costs a search for what may have been meant. */
const MOST_COMPLAINTS = 25;

/** Everything wrong with a whole or partial configuration; of very much the first part, and how much is left out. */
export function complaints(data: unknown): Complaint[] {
  const issues = isSound(data) ? [] : (configSchema().safeParse(data).error?.issues ?? []).flatMap(perKey);
  const seen = new Map<string, Complaint>();
  const add = (complaint: Complaint) => {
    const key = dotted(complaint.path);
    if (!seen.has(key)) seen.set(key, complaint);
  };
  for (const issue of issues.slice(0, MOST_COMPLAINTS)) fromIssue(issue, data).slice(0, MOST_COMPLAINTS).forEach(add);
  for (const complaint of globComplaints(data).slice(0, MOST_COMPLAINTS)) add(complaint);
  const all = [...seen.values()];
  const left = Math.max(0, issues.length - MOST_COMPLAINTS) + Math.max(0, all.length - MOST_COMPLAINTS);
  return left === 0 ? all : [...all.slice(0, MOST_COMPLAINTS), { path: [], message: `And ${left} more that are not shown.` }];
}

/** Most data is, and then less of the schema is needed than to say what is wrong. */
const isSound = (data: unknown): boolean =>
  typeof data === "object" && data !== null && someConfig(data as Record<string, unknown>).success;

/** An issue may speak of ten thousand keys at once. */
const perKey = (issue: z.core.$ZodIssue): z.core.$ZodIssue[] =>
  issue.code === "unrecognized_keys" ? issue.keys.map((key) => ({ ...issue, keys: [key] })) : [issue];

/** The valid way to write rules. The sample that went round with the documents is not TOML. */
export const RULES_FORM = (tool: string) =>
  `Write each rule as its own entry:\n\n    [[tools.permissions.${tool}]]\n    pattern = "git *"\n    action = "allow"\n`;

/** `"x" is not a setting.` and what may have been meant. */
export function unknownKey(path: readonly (string | number)[]): string {
  const key = dotted(path);
  const renamed = RENAMED_SETTINGS.find(({ from }) => from === key);
  if (renamed) return `"${key}" is now "${renamed.to}". Run \`zeph --migrate-config\` to have it rewritten.`;
  return `"${key}" is not a setting.${suggestion(path)}`;
}

/** The warning about a variable that is no setting. */
export function unknownVariable(name: string): string {
  const renamed = RENAMED_SETTINGS.find(({ from }) => envName(from.split(".")) === name);
  if (renamed) return `The variable ${name} is no longer read; it is now ${envName(renamed.to.split("."))}.`;
  return `The variable ${name} is not a setting and was ignored.${didYouMean(
    name,
    allSettings().map(({ env }) => env),
  )}`;
}

function suggestion(path: readonly (string | number)[]): string {
  const parent = path.slice(0, -1);
  const name = String(path.at(-1));
  const around = schemaOf(parent);
  const near = nearest(name, around ? namesIn(around) : []).map((close) => dotted([...parent, close]));
  // The right name in the wrong table is as common as a slip of the finger.
  const meant = near.length > 0 ? near : [...new Set(allSettings().flatMap(({ path }) => placesFor(name, path)))];
  return meant.length > 0 ? ` Did you mean ${oneOf(meant)}?` : "";
}

/** The keys of a table, whichever form it has. */
function namesIn(schema: z.ZodType): string[] {
  const inner = unwrap(schema);
  if (inner instanceof z.ZodUnion) return inner.options.flatMap((option) => namesIn(option as z.ZodType));
  return Object.keys(shapeOfSchema(inner) ?? {});
}

/** The settings and tables of that name on the way to a setting. */
const placesFor = (name: string, path: readonly string[]): string[] =>
  path.flatMap((part, n) => (part === name ? [dotted(path.slice(0, n + 1))] : []));

function fromIssue(issue: z.core.$ZodIssue, data: unknown): Complaint[] {
  const path = issue.path as (string | number)[];
  if (issue.code === "unrecognized_keys") return issue.keys.map((key) => ({ path: [...path, key], message: unknownKey([...path, key]) }));
  const meant = issue.code === "invalid_union" && meantForm(issue);
  if (meant) return meant.flatMap((inner) => fromIssue({ ...inner, path: [...path, ...inner.path] }, data));
  return [
    {
      path,
      message: `${path.length > 0 ? `"${dotted(path)}"` : "The configuration"} ${wrong(issue, path, data)}${permissionsHint(path, data)}`,
    },
  ];
}

/** Of several forms the one that the value has, with something wrong inside; undefined when it has none of them, or several. */
function meantForm({ errors }: z.core.$ZodIssueInvalidUnion): z.core.$ZodIssue[] | undefined {
  const fitting = errors.filter((issues) => !issues.some(({ code, path }) => code === "invalid_type" && path.length === 0));
  return fitting.length === 1 ? fitting[0] : undefined;
}

/** The schema of what stands at a path, in whichever form of a value has such a thing. */
function schemaOf(path: readonly (string | number)[]): z.ZodType | undefined {
  const direct = schemaAt(configSchema(), path);
  if (direct) return direct;
  for (let length = path.length - 1; length > 0; length--) {
    const around = schemaAt(configSchema(), path.slice(0, length));
    const inner = around && unwrap(around);
    if (!(inner instanceof z.ZodUnion)) continue;
    for (const option of inner.options) {
      const found = schemaAt(option as z.ZodType, path.slice(length));
      if (found) return found;
    }
  }
  return undefined;
}

function wrong(issue: z.core.$ZodIssue, path: readonly (string | number)[], data: unknown): string {
  const schema = schemaOf(path);
  const found = valueAtPath(data, path);
  if (issue.code === "custom" || !schema) return `is not right: ${issue.message}`;
  if (found === undefined) return `is missing. It must be ${typeWords(schema)}.`;
  return `must be ${typeWords(schema)}, but ${foundWords(found)} was found.`;
}

/** Rules written as a table (`[x]`) and not as entries of a list (`[[x]]`). */
function permissionsHint(path: readonly (string | number)[], data: unknown): string {
  const [tools, permissions, tool] = path;
  if (tools !== "tools" || permissions !== "permissions" || path.length > 4) return "";
  const found = valueAtPath(data, path);
  if (path.length === 4 && typeof found === "object") return "";
  return ` ${RULES_FORM(typeof tool === "string" ? tool : "bash")}`;
}

const globComplaints = (data: unknown): Complaint[] =>
  badGlobs(data).map(({ path, message }) => ({ path, message: `"${dotted(path)}" ${message}` }));
