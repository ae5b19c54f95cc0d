/** One word a variable may hold, or the words of an array. null: not known. */
export type VariableValue = readonly (string | null)[] | null;

const MAX_VALUES = 32;
const MAX_LENGTH = 8192;

/**
 * What the variables of a script can hold. Values are only ever added: after `a=x; a=y` both are possible, so that no order of
 * branches, loops and functions can hide one. A variable that may never have been set here comes from outside, and is unknown.
 */
export class Variables {
  readonly #values = new Map<string, { values: VariableValue[]; sure: boolean }>();
  /** Names with more than one assignment: inside loops and functions a later one may come first. */
  readonly #again: ReadonlySet<string>;
  #anything = false;

  constructor(again: ReadonlySet<string>) {
    this.#again = again;
  }

  /** `sure`: it is certainly run before what follows. */
  assign(name: string, value: VariableValue, sure: boolean): void {
    const known = this.#values.get(name) ?? { values: [], sure: false };
    this.#values.set(name, known);
    if (sure) known.sure = true;
    if (known.values.includes(null)) return;
    const tooLong = value !== null && value.reduce((sum, word) => sum + (word?.length ?? 0), value.length) > MAX_LENGTH;
    const next = tooLong || known.values.length >= MAX_VALUES ? null : value;
    if (!known.values.some((old) => same(old, next))) known.values.push(next);
  }

  /** Something ran that may have set anything. */
  forget(): void {
    this.#anything = true;
  }

  /** `repeated`: inside a loop or a function. */
  read(name: string, repeated: boolean): readonly VariableValue[] {
    const known = this.#values.get(name);
    if (!known) return [null];
    const open = RUN_TIME.test(name) || this.#anything || !known.sure || (repeated && this.#again.has(name));
    return open && !known.values.includes(null) ? [...known.values, null] : known.values;
  }

  isSet(name: string): boolean {
    return this.#values.has(name);
  }
}

/** The shell sets these itself while it runs, whatever a script has put into them. */
const RUN_TIME =
  /^(_|REPLY|OPT(ARG|IND|ERR)|MAPFILE|PIPESTATUS|FUNCNAME|COPROC(_PID)?|DIRSTACK|OLDPWD|PWD|RANDOM|SRANDOM|LINENO|SECONDS|EPOCH(SECONDS|REALTIME)|SHLVL|PPID|E?UID|GROUPS|HOST(NAME|TYPE)|MACHTYPE|OSTYPE|HIST(CMD|FILE)|READLINE_\w+|COMP_\w+|COMPREPLY|BASH(PID|_(ARG[CV]|ARGV0|COMMAND|EXECUTION_STRING|LINENO|REMATCH|SOURCE|SUBSHELL|VERSINFO|VERSION|ALIASES|CMDS|LOADABLES_PATH|MONOSECONDS|TRAPSIG))?)$/;

const same = (a: VariableValue, b: VariableValue) =>
  a === b || (a !== null && b !== null && a.length === b.length && a.every((word, i) => word === b[i]));

/** Names that are set more than once somewhere, found without parsing; too many is fine, too few is not. */
export function assignedTwice(source: string): Set<string> {
  const seen = new Set<string>();
  const twice = new Set<string>();
  const note = (name: string) => (seen.has(name) ? twice.add(name) : seen.add(name));
  for (let at = source.search(/[=[]/); at !== -1 && at < source.length; at++) {
    if (source[at] !== "=" && source[at] !== "[") continue;
    const end = source[at - 1] === "+" ? at - 1 : at;
    let start = end;
    while (start > 0 && end - start < 64 && isWordCode(source.charCodeAt(start - 1))) start--;
    if (start < end) note(source.slice(start, end));
  }
  for (const line of source.split(/[;&|\n]/)) {
    if (!SETTERS.test(line)) continue;
    for (const [name] of line.matchAll(/[A-Za-z_]\w*/g)) note(name);
  }
  return twice;
}

const isWordCode = (code: number) => (code >= 97 && code <= 122) || (code >= 65 && code <= 90) || (code >= 48 && code <= 57) || code === 95;

const SETTERS = /\b(for|select|read|mapfile|readarray|getopts|printf|declare|typeset|local|unset|let|export|readonly)\b/;
