import { join } from "node:path";
import { CLIENT_SWITCHES, type ClientSwitch, type SwitchFile, type SwitchValue } from "../../core/clients/client-switches.ts";
import { readOwnText } from "../../files/own-file.ts";
import { attempt } from "../../text/attempt.ts";
import { isRecord } from "../../text/json.ts";
import { parseToml } from "../../text/toml.ts";
import type { ClientPlan } from "./client-plan.ts";
import { jsonData, parseJsonTree } from "./json-tree.ts";
import { clientFolder, type Whereabouts } from "./place.ts";

const MOST_BYTES = 4 * 1024 * 1024;

/** What switches the hooks of a client off here, as far as files and variables tell: a sentence each. */
export function switchesOn(plan: ClientPlan, place: Whereabouts): readonly string[] {
  const mine = CLIENT_SWITCHES.filter(({ client, effect }) => client === plan.name && effect === "off");
  return [...new Set(mine.flatMap((one) => saidOf(one, plan, place) ?? []))];
}

function saidOf({ way }: ClientSwitch, plan: ClientPlan, place: Whereabouts): string | null {
  if (way.kind === "variable") {
    const value = place.env[way.variable];
    // Another folder is looked into where it is.
    if (way.holds || !isSet(value)) return null;
    return `${way.variable} is set: ${plan.name} runs no hook of Zeph where it is started with it.`;
  }
  if (way.kind !== "setting") return null;
  const path = pathOf(way.file, plan, place);
  const value = valueAt(dataIn(path, way.file.form), way.at);
  return doesIt(value, way.is) ? `${path}: ${way.at.join(".")} switches the hooks of Zeph off.` : null;
}

/** As programs read a variable: everything but nothing, 0 and false. */
const isSet = (value: unknown): boolean => value !== undefined && !["", "0", "false", "no", "off"].includes(String(value).toLowerCase());

function pathOf({ in: where, path }: SwitchFile, plan: ClientPlan, place: Whereabouts): string {
  if (where === "machine") return path;
  return where === "project" ? join(place.cwd, path) : join(clientFolder(plan, place), path);
}

/** A file that cannot be read says nothing: what is wrong with it is told elsewhere, where it is one of ours. */
function dataIn(path: string, form: SwitchFile["form"]): unknown {
  const text = attempt(() => readOwnText(path, { maxBytes: MOST_BYTES }), null);
  if (text === null || text.trim() === "") return null;
  if (form === "toml") return attempt(() => parseToml(text, "settings"), null);
  if (form === "json") return attempt(() => jsonData(parseJsonTree(text, "allowed")), null);
  return Object.fromEntries(
    [...text.matchAll(VARIABLE)].map(([, name = "", value = ""]) => [name, value.trim().replace(/^(["'])(.*)\1$/, "$2")]),
  );
}

const VARIABLE = /^[ \t]*(?:export[ \t]+)?([A-Za-z_]\w*)[ \t]*=(.*)$/gm;

const valueAt = (data: unknown, path: readonly string[]): unknown =>
  path.reduce<unknown>((value, key) => (isRecord(value) ? value[key] : undefined), data);

function doesIt(value: unknown, wanted: SwitchValue): boolean {
  if (wanted === "set") return isSet(value);
  const texts = Array.isArray(value) ? value.filter((one): one is string => typeof one === "string") : [];
  if (wanted === "names zeph") return texts.some((one) => one.includes("zeph"));
  // Which files a pattern leaves out is for the client to say; one that may mean ours is taken to.
  if (wanted === "leaves zeph out") return texts.some((one) => /^[-!]/.test(one) && /zeph|[*?[]/.test(one));
  return value === wanted;
}
