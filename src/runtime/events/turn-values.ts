import { extractPaths } from "../../text/paths-in-text.ts";

/** What the results of a turn named, each once, newest last. */
export interface ParsedValues {
  readonly urls: readonly string[];
  readonly paths: readonly string[];
  /** Whole results, or lines of them, that are JSON tables or lists. */
  readonly json: readonly unknown[];
}

/** Remembers what the results of each turn named, until the turn ends. Everything is bounded: a result may be as long as it likes. */
export interface TurnValues {
  add(turnId: string, text: string): void;
  of(turnId: string): ParsedValues;
  end(turnId: string): void;
}

const MOST_TURNS = 64;
const MOST_TEXT = 200_000;
const MOST_NAMED = 100;
const MOST_JSON = 20;
const MOST_JSON_TEXT = 20_000;

interface Collected {
  readonly urls: Set<string>;
  readonly paths: Set<string>;
  readonly json: Map<string, unknown>;
}

export function createTurnValues(): TurnValues {
  const turns = new Map<string, Collected>();
  return {
    add(turnId, whole) {
      const known = turns.get(turnId) ?? { urls: new Set(), paths: new Set(), json: new Map() };
      turns.set(turnId, known);
      if (turns.size > MOST_TURNS) turns.delete(turns.keys().next().value!);
      const text = whole.slice(0, MOST_TEXT);
      for (const [url] of text.matchAll(URLS)) keep(known.urls, url.replace(/[.,;:!?)\]]+$/, ""));
      for (const path of extractPaths(text)) keep(known.paths, path);
      for (const [source, value] of tablesIn(text)) {
        known.json.delete(source);
        known.json.set(source, value);
        if (known.json.size > MOST_JSON) known.json.delete(known.json.keys().next().value!);
      }
    },
    of(turnId) {
      const known = turns.get(turnId);
      return { urls: [...(known?.urls ?? [])], paths: [...(known?.paths ?? [])], json: [...(known?.json.values() ?? [])] };
    },
    end: (turnId) => void turns.delete(turnId),
  };
}

const URLS = /\bhttps?:\/\/[^\s<>"'`\\^{}|]{1,2000}/gi;

function keep(list: Set<string>, one: string): void {
  list.delete(one);
  list.add(one);
  if (list.size > MOST_NAMED) list.delete(list.values().next().value!);
}

/** A result that is JSON is one value; else each line that is. Numbers and words alone are JSON too, and say nothing. */
function* tablesIn(text: string): Generator<[string, unknown]> {
  const whole = tableOf(text);
  if (whole !== undefined) return yield [text, whole];
  let found = 0;
  for (const line of text.split("\n")) {
    const value = found < MOST_JSON ? tableOf(line) : undefined;
    if (value === undefined) continue;
    found++;
    yield [line, value];
  }
}

function tableOf(text: string): unknown {
  const trimmed = text.length <= MOST_JSON_TEXT ? text.trim() : "";
  if (!/^[[{][\s\S]*[\]}]$/.test(trimmed)) return undefined;
  try {
    return JSON.parse(trimmed) as unknown;
  } catch {
    return undefined;
  }
}
