import type { ToolCall } from "../../core/call.ts";
import type { Facts } from "../../core/ports/facts.ts";
import type { PathTouch } from "../../core/touch.ts";
import { programName } from "../../shell/options.ts";
import { splitGit } from "../../shell/programs/git.ts";
import type { SimpleCommand, Understanding, Variable } from "../../shell/understanding.ts";
import { attempt } from "../../text/attempt.ts";
import { compileGlob, escapeGlob, type Flavour, type Matcher } from "../../text/glob.ts";
import { display } from "../../text/path.ts";
import { spelled } from "../../text/url.ts";
import { isOutside } from "./rules-confirm.ts";

/** One thing a rule is matched against. */
export interface RuleSubject {
  readonly flavour: Flavour;
  /** As the caller wrote it; for messages, and for rules that ask or deny. */
  readonly written: string;
  /** What it really is. Only these satisfy a rule that allows: `src/../x` must not pass for something below `src`. */
  readonly sure: readonly string[];
  /** The same without what stands in front of it. A rule that asks or denies is not got round by putting something there. */
  readonly bare?: string;
  /** Other ways to write the same command. A rule that asks or denies holds for them, too; an answer only gets stricter by them. */
  readonly spellings?: readonly string[];
}

export interface RuleAsWritten {
  readonly pattern: string;
  readonly action: "allow" | "ask" | "deny";
  /** The pattern is no glob: it is what a whole call comes to, letter by letter. */
  readonly exact?: boolean | undefined;
  /** It speaks of this caller alone. */
  readonly caller?: string | undefined;
}

export interface CompiledRule extends RuleAsWritten {
  readonly index: number;
  /** The pattern of names it was written under, where that is not the tool's own. */
  readonly under?: string;
  readonly matches: Record<Flavour, Matcher>;
}

/** The call a subject belongs to: what exact rules are about, and the caller. */
export interface Whole {
  readonly identity: () => string;
  readonly caller: string | undefined;
}

export const compileRules = (rules: readonly RuleAsWritten[], facts: Facts): CompiledRule[] =>
  rules.map((rule, index) => ({ ...rule, index, matches: rule.exact ? NOTHING : matchers(rule, facts) }));

export function firstPermissionRule(rules: readonly CompiledRule[], subject: RuleSubject, whole: Whole): CompiledRule | undefined {
  const asWritten = findRule(rules, subject, whole, []);
  if (!subject.spellings || subject.spellings.length === 0) return asWritten;
  const respelled = findRule(rules, subject, whole, subject.spellings);
  // An earlier rule that asks about another spelling does not stand before a later one that denies what was written.
  return strictnessOf(respelled) > strictnessOf(asWritten) ? respelled : asWritten;
}

const findRule = (
  rules: readonly CompiledRule[],
  { flavour, written, sure, bare }: RuleSubject,
  whole: Whole,
  spellings: readonly string[],
): CompiledRule | undefined =>
  rules.find(({ action, exact, pattern, caller, matches }) => {
    if (caller !== undefined && caller !== whole.caller) return false;
    if (exact) return whole.identity() === pattern;
    const fits = matches[flavour];
    return sure.some(fits) || (action !== "allow" && (fits(written) || (bare !== undefined && fits(bare)) || spellings.some(fits)));
  });

/** What no rule speaks of is asked about, and other answers may cover that. */
const strictnessOf = (rule: CompiledRule | undefined): number => (rule ? { allow: 0, ask: 2, deny: 3 }[rule.action] : 1);

const NOTHING: Record<Flavour, Matcher> = { path: () => false, text: () => false };

/** What the rules of a tool are about: each of its paths, its command or URL, else its arguments as canonical JSON. */
export function subjectsOf(call: ToolCall, facts: Facts): readonly RuleSubject[] {
  const subjects = call.touches.flatMap((touch): RuleSubject[] => {
    if (touch.kind === "path") return [pathSubject(touch, facts)];
    if (touch.kind === "url") return [urlSubject(touch.url)];
    return touch.kind === "command" ? [plain(touch.text)] : [];
  });
  return subjects.length > 0 ? unique(subjects) : [plain(call.canonicalInput)];
}

/**
 * What the rules of a shell are about: the whole text, each simple command in it, and each file outside the workspace that it changes.
 * All of them must be allowed, so `git *` covers neither `git status; ./x` nor `git log > ~/.bashrc`; `> ~/notes/**` could.
 */
export function commandSubjects(command: string, { commands, unknown, touches }: Understanding, facts: Facts): readonly RuleSubject[] {
  const simple = commands.filter(({ argv }) => argv.length > 0);
  const alone = simple.length === 1 && unknown.length === 0 ? [normal(simple[0]!)] : [];
  const elsewhere = touches.flatMap((touch) =>
    touch.kind === "path" && touch.access !== "read" && isOutside(touch.path, facts) ? [plain(`> ${touch.path}`)] : [],
  );
  const whole: RuleSubject = { flavour: "text", written: command, sure: [command, ...alone] };
  const each = simple.map(
    (one): RuleSubject => ({
      flavour: "text",
      written: one.text,
      sure: [normal(one)],
      bare: words(one.argv),
      spellings: spellingsOf(one.argv),
    }),
  );
  return [whole, ...each, ...elsewhere];
}

/**
 * Quotes and line breaks gone; a word only known at run time is matched as some word. What is set for the command alone is part of it:
 * `git *` does not cover `GIT_SSH_COMMAND=x git fetch`, `GIT_SSH_COMMAND=* git *` does. Variables that only say how to print are left out.
 */
const normal = ({ assignments, argv }: SimpleCommand): string =>
  [...assignments.filter((one) => !isCalm(one)).map(({ name, value }) => `${name}=${value ?? "…"}`), words(argv)].join(" ");

/** The program without its folder, and git without the options in front of its verb: `/usr/bin/git -C . push` and `git-push` are a `git push`. */
function spellingsOf(argv: SimpleCommand["argv"]): readonly string[] {
  const [program, ...args] = argv;
  if (typeof program !== "string") return [];
  const name = programName(program);
  const { verb, rest } = name === "git" ? splitGit(args) : { verb: undefined, rest: [] };
  const [, ownVerb] = /^git-(.+)/.exec(name) ?? [];
  const called = [
    words([name, ...args]),
    ...(typeof verb === "string" ? [words([name, verb, ...rest])] : []),
    // Any of the words may be the verb.
    ...(verb === null ? args.map((_, n) => words([name, ...args.slice(n)])) : []),
    ...(ownVerb === undefined ? [] : [words(["git", ownVerb, ...args])]),
  ];
  return [...new Set(called)].filter((spelling) => spelling !== words(argv));
}

const words = (argv: SimpleCommand["argv"]): string => argv.map((word) => word ?? "…").join(" ");

const isCalm = ({ name, value }: Variable): boolean =>
  value !== null && CALM.some(([names, values]) => names.test(name) && values.test(value));

/** Language, time zone, colours and how much is said; each with the values people give them. */
const CALM: readonly [RegExp, RegExp][] = [
  [/^(LANG|LANGUAGE|LC_[A-Z]+|TZ|TERM|COLORTERM|COLUMNS|LINES)$/, /^[\w.,:/@+-]*$/],
  [/^(CI|NO_COLOR|FORCE_COLOR|CLICOLOR|CLICOLOR_FORCE|VERBOSE|DEBUG|LOG_LEVEL|RUST_LOG|RUST_BACKTRACE)$/, /^[\w.,:*=-]*$/],
  [/^(NODE_ENV|RAILS_ENV|RACK_ENV|APP_ENV|MIX_ENV)$/, /^\w*$/],
  [/^(PYTHONUNBUFFERED|PYTHONDONTWRITEBYTECODE|PYTHONUTF8|GIT_TERMINAL_PROMPT|GIT_OPTIONAL_LOCKS|GIT_TRACE\w*)$/, /^[012]?$/],
  [/^DEBIAN_FRONTEND$/, /^noninteractive$/],
];

export function pathSubject({ access, path }: PathTouch, facts: Facts): RuleSubject {
  const real = resolve(access === "delete" ? facts.entry : facts.canonical, path);
  return { flavour: "path", written: path, sure: [real, display(real, facts.cwd)] };
}

/** As it would be sent: a rule must hold however an address is written. What is no address is never allowed. */
export function urlSubject(url: string): RuleSubject {
  const real = spelled(url);
  return { flavour: "text", written: url, sure: real === null ? [] : [real] };
}

const plain = (text: string): RuleSubject => ({ flavour: "text", written: text, sure: [text] });

/** A path that cannot be resolved stands for itself; it cannot be opened. */
const resolve = (how: (path: string) => string, path: string): string => attempt(() => how(path), path);

const unique = (subjects: readonly RuleSubject[]): RuleSubject[] => [
  ...new Map(subjects.map((subject) => [subject.sure[0], subject])).values(),
];

/** `*` alone means every call, also where a path has folders. */
function matchers({ pattern, action }: RuleAsWritten, facts: Facts): Record<Flavour, Matcher> {
  if (pattern === "*") return { path: () => true, text: () => true };
  const forms = placesOf(pattern, action, facts).map((path) => compileGlob(path, { flavour: "path", letters: "any case" }));
  return {
    path: (path) => forms.some((matches) => matches(path)),
    text: compileGlob(pattern, { flavour: "text", letters: "any case" }),
  };
}

/**
 * As it is written, and as it really lies: `~` may be a link, and so may the folders before the first wildcard. What allows follows no link that
 * a command could have made: it would allow whatever that leads to.
 */
function placesOf(pattern: string, action: RuleAsWritten["action"], facts: Facts): string[] {
  if (pattern !== "~" && !pattern.startsWith("~/") && !pattern.startsWith("/")) return [pattern.replace(/^\.\//, "")];
  const written = pattern.startsWith("~") ? facts.home + pattern.slice(1) : pattern;
  const segments = written.split("/");
  const wild = segments.findIndex((segment) => /[*?[\]{}\\]/.test(segment));
  const fixed = segments.slice(0, wild === -1 ? undefined : wild).join("/");
  const found = action === "allow" ? facts.settled?.(fixed || "/") : resolve(facts.canonical, fixed || "/");
  if (found === undefined || found === null) return [written];
  const real = escapeGlob(found).replace(/\/$/, "");
  return [...new Set([written, wild === -1 ? real : [real, ...segments.slice(wild)].join("/")])];
}
