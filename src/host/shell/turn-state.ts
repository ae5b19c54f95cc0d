import type { Touch } from "../../core/touch.ts";

/** What a shell remembers from one call to the next inside a turn. */
export interface ShellState {
  readonly cwd: string;
  /** Variables exported by earlier commands of the turn. */
  readonly exported: Readonly<Record<string, string>>;
  readonly history: readonly string[];
}

/** One state for each turn, dropped when it ends. A call outside any turn has a turn of its own, so at most a few are kept. */
export interface TurnStates {
  get(at: Standpoint): ShellState & {
    /** The folder in which the turn stood and which is not there any more: it stands where a turn begins. */
    readonly gone?: string;
  };
  set(at: Standpoint, state: ShellState): void;
  end(turnId: string): void;
  /** Turns that have not begun start in this folder, as long as it is there. Not those in which nobody is there who chose it. */
  startIn(folder: string): void;
  /** The folder in which such a turn starts: the one that was named so, or the workspace's top. */
  start(turn: Pick<Standpoint, "unattended">): string;
  /** From now on all start at the workspace's top. */
  restart(): void;
}

/**
 * A skill that is carried out stands where its turn stands. What it exports stays with it: a variable only it was given must not live on under
 * another name.
 */
export interface Standpoint {
  readonly turnId: string;
  readonly skillName?: string;
  readonly unattended?: true;
}

const MOST_TURNS = 64;
const MOST_HISTORY = 500;
const MOST_SKILLS = 64;

interface Kept extends ShellState {
  readonly ofSkills: ReadonlyMap<string, ShellState["exported"]>;
}

/** `isThere`: whether a folder is still where it was. */
export function createTurnStates(cwd: string, isThere: (folder: string) => boolean = () => true): TurnStates {
  const states = new Map<string, Kept>();
  let chosen = cwd;
  const thereOr = (folder: string, other: string) => (folder === cwd || isThere(folder) ? folder : other);
  const start: TurnStates["start"] = ({ unattended }) => (unattended ? cwd : thereOr(chosen, cwd));
  const find = (at: Standpoint): Kept => states.get(at.turnId) ?? { cwd: start(at), exported: {}, history: [], ofSkills: new Map() };
  return {
    start,
    startIn: (folder) => {
      chosen = folder;
    },
    restart: () => {
      chosen = cwd;
    },
    get(at) {
      const { skillName } = at;
      const { ofSkills, ...state } = find(at);
      const now = thereOr(state.cwd, start(at));
      return {
        ...state,
        cwd: now,
        ...(skillName !== undefined && { exported: ofSkills.get(skillName) ?? state.exported }),
        ...(now !== state.cwd && { gone: state.cwd }),
      };
    },
    set(at, { cwd, exported, history }) {
      const { turnId, skillName } = at;
      const before = find(at);
      const own = skillName === undefined ? [] : [[skillName, exported] as const];
      states.delete(turnId);
      states.set(turnId, {
        cwd,
        exported: skillName === undefined ? exported : before.exported,
        history: history.slice(-MOST_HISTORY),
        ofSkills: new Map([...before.ofSkills, ...own].slice(-MOST_SKILLS)),
      });
      if (states.size > MOST_TURNS) states.delete(states.keys().next().value!);
    },
    end: (turnId) => void states.delete(turnId),
  };
}

/** The variables of a turn, with what one call added, changed or took away. */
export function mergeExported(now: Exported, before: Exported, after: Exported): Exported {
  const next: Record<string, string> = { ...now };
  for (const name of Object.keys(before)) if (!(name in after)) delete next[name];
  for (const [name, value] of Object.entries(after)) if (before[name] !== value) next[name] = value;
  return next;
}

type Exported = ShellState["exported"];

/** Only these can change what the next command finds; others are spared the question. No repetition in it: a command may be one long word. */
const MAY_CHANGE = /\b(?:cd|pushd|popd|export|declare|typeset|readonly|source|eval|unset|set|shopt)\b|(?:^|[\s;&|({])\.\s|\w\+?=/;

/** A command that says nothing at its end has not kept what these did. */
const IS_KEPT = /\b(?:cd|pushd|popd|export)\b/;

/** The descriptor the state is written to. */
export const STATE_FD = 9;

/** The command, asked to say where it ended up and what it exported. On one line with it, so that line numbers in messages stay true. */
export const withStateReport = (command: string): string =>
  `trap '{ builtin pwd && command env -0; } 2>/dev/null >&${STATE_FD}' EXIT; ${command}`;

export const setsState = (command: string): boolean => IS_KEPT.test(command);

export const mayChangeState = (command: string): boolean => MAY_CHANGE.test(command);

export const MAX_STATE = 256 * 1024;
const NOT_KEPT = new Set(["PWD", "OLDPWD", "SHLVL", "_"]);

/** Variables that decide what the next command really runs. Anyone can write to the descriptor, so these count only when the command openly sets them. */
const DECIDES =
  /^(?:PATH|IFS|ENV|BASH_ENV|BASH_FUNC_.*|SHELLOPTS|BASHOPTS|CDPATH|GLOBIGNORE|PROMPT_COMMAND|PS4|LD_.*|DYLD_.*|GIT_.*|NODE_.*|PYTHON.*|PERL.*|RUBY.*|JAVA_.*|.*PAGER|.*EDITOR|VISUAL|BROWSER|.*SHELL|.*_COMMAND|HOME|TMPDIR|XDG_.*|.*_PROXY|.*_proxy|.*_OPTIONS|.*OPTS|.*FLAGS|.*_CONFIG_PATH|LESSOPEN|LESSCLOSE|INPUTRC|CURL_HOME|WGETRC|OPENSSL_CONF|SSL_CERT_.*|SSH_.*|DOCKER_.*|KUBECONFIG|CARGO_.*|RUSTC.*|CC|CXX|PIP_.*|npm_config_.*|NPM_CONFIG_.*|BASH_.*)$/;

const openlySets = (touches: readonly Touch[], name: string): boolean =>
  touches.some(
    (touch) =>
      touch.kind === "command" &&
      /^(?:export|declare|typeset|readonly)$/.test(touch.argv[0] ?? "") &&
      touch.argv.some((word) => word === name || word?.startsWith(`${name}=`)),
  );

/** What the command told; null when it did not get to it, or told something that is no state. `gone`: given to it, and not there at its end. */
export function readStateReport(
  bytes: Buffer,
  given: Readonly<Record<string, string>>,
  touches: readonly Touch[],
): { cwd: string; exported: Record<string, string>; gone: ReadonlySet<string> } | null {
  if (bytes.length === 0 || bytes.length > MAX_STATE) return null;
  const end = bytes.indexOf(10);
  const cwd = bytes.toString("utf8", 0, end);
  if (end === -1 || !cwd.startsWith("/")) return null;
  const exported: Record<string, string> = {};
  const gone = new Set(Object.keys(given));
  for (const line of bytes.toString("utf8", end + 1).split("\0")) {
    const at = line.indexOf("=");
    const name = line.slice(0, at);
    if (at < 1 || NOT_KEPT.has(name) || !/^[A-Za-z_]\w*$/.test(name)) continue;
    gone.delete(name);
    if (given[name] === line.slice(at + 1) || (DECIDES.test(name) && !openlySets(touches, name))) continue;
    exported[name] = line.slice(at + 1);
  }
  return { cwd, exported, gone };
}
