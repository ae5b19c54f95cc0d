import type { Line } from "../../line.ts";
import { diagnostic, isSystemFile, type ReadDiagnostic, readPlace } from "../diagnostic.ts";
import { frameEnd } from "../frame.ts";

/** What a C compiler says before a diagnostic: the function, the chain of includes, the chain of templates. */
export interface Preamble {
  readonly end: number;
  /** For a diagnostic in a file: the places in these chains that are not the system's, and the rest. */
  read(file: string): { readonly notes: readonly ReadDiagnostic[]; readonly drawn: readonly Line[] };
}

const INSIDE = /^[^\s:][^:]*: (?:In|At) \S.*:$/;
const INCLUDED = /^(?:In file included| {10,30}) ?from ([^\s:][^:]*):(\d{1,7})(?::\d{1,6})?[,:]$/;
const REQUIRED = /^([^\s:][^:]*):(\d{1,7})(?::(\d{1,6}))?: {2,6}((?:recursively )?required (?:from|by|for) .+|\[ skipping .{1,200})$/;
/** What pylint says before the remarks on a file. */
const MODULE = /^\*{5,} Module \S{1,300}$/;
/** Most lines are none of these, which is soon seen. */
const MAY_BE = /[:,]$|: {2,6}(?:\[|re)|^\*/;
const MOST_LINES = 200;
const LONG = 120;

export function readPreamble(lines: readonly Line[], at: number): Preamble {
  const required: ReadDiagnostic[] = [];
  const included: ReadDiagnostic[] = [];
  let end = at;
  while (end < Math.min(lines.length, at + MOST_LINES)) {
    const line = lines[end]!;
    if (!MAY_BE.test(line.text)) break;
    const [, user, userLine] = INCLUDED.exec(line.text) ?? [];
    const [, file, fileLine, column, why] = REQUIRED.exec(line.text) ?? [];
    if (user !== undefined) included.push(note("included from here", user, userLine!, undefined, line));
    else if (file !== undefined) required.push(note(why!, file, fileLine!, column, line));
    else if (!INSIDE.test(line.text) && !MODULE.test(line.text)) break;
    end = file !== undefined ? frameEnd(lines, end + 1) : end + 1;
  }
  return { end, read: (file) => chains(file, lines.slice(at, end), ours(required), ours(included)) };
}

/** They are all the reader can change when the error itself is in a header of the system. */
function chains(file: string, all: readonly Line[], required: readonly ReadDiagnostic[], included: readonly ReadDiagnostic[]) {
  const notes = required.length > 0 ? required : isSystemFile(file) ? included : [];
  const said = new Set(notes.flatMap((found) => found.said));
  return { notes, drawn: all.filter((line) => !said.has(line)) };
}

const ours = (all: readonly ReadDiagnostic[]): ReadDiagnostic[] => all.filter((found) => !isSystemFile(found.file));

function note(why: string, file: string, line: string, column: string | undefined, said: Line): ReadDiagnostic {
  return diagnostic(readPlace(file, line, column), "note", why.length > LONG ? why.replace(/ [‘'].*/, " here") : why, [said]);
}
