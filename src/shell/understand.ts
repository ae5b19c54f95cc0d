import { parse } from "unbash";
import { keepRecent } from "../text/keep-recent.ts";
import { hidden, tooMuch } from "./limits.ts";
import type { Understanding } from "./understanding.ts";
import { type Context, Walk } from "./walk.ts";

/** What a bash command means. Pure, never throws, never takes long; asked several times about one command, it reads it once. */
export function understand(command: string): Understanding {
  return keepRecent(memory, command, memory.get(command) ?? freeze(read(command)), REMEMBERED);
}

const REMEMBERED = 64;
const memory = new Map<string, Understanding>();

function read(command: string): Understanding {
  const limit = tooMuch(command);
  if (limit) return nothing(command, `The command was not read because ${limit}.`);
  const odd = hidden(command);
  if (!odd) return walked(command, { ...START, source: command }, null);
  const why = `The command was not read because ${odd}.`;
  // A line that ends as on Windows hides nothing from the blocklist: bash reads the next line whatever stands before its end.
  const lines = command.replace(/\r\n?/g, "\n");
  if (lines === command || hidden(lines)) return nothing(command, why);
  return walked(lines, { ...START, source: lines, range: { start: 0, end: command.length } }, why);
}

/** `why`: what was read is not what bash would read, so nobody can vouch for it. */
function walked(command: string, context: Context, why: string | null): Understanding {
  const walk = new Walk(command);
  if (why !== null) walk.doubt(why, context);
  try {
    walk.nested(parse(command), context);
    walk.finish();
  } catch (error) {
    // A parser that fails has understood nothing; what was found so far still counts.
    walk.doubt(`the command could not be read: ${error instanceof RangeError ? "it is nested too deep" : String(error)}`, context);
  }
  const understanding = walk.result();
  return why === null ? understanding : { ...understanding, isUnread: true };
}

const START: Context = {
  source: "",
  range: null,
  inside: "",
  depth: 0,
  sure: true,
  repeated: false,
  caller: null,
  background: false,
  pipeline: null,
  stdin: undefined,
};

const nothing = (command: string, why: string): Understanding => ({
  commands: [],
  constructs: [],
  unknown: [{ why, where: { start: 0, end: command.length, inside: "" } }],
  bombs: [],
  touches: [{ kind: "unknown", why }],
  isUnread: true,
});

/** An understanding is shared: a change would be seen by all that ask. */
function freeze(understanding: Understanding): Understanding {
  for (const list of Object.values(understanding)) Object.freeze(list);
  return Object.freeze(understanding);
}
