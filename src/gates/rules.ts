import type { ToolCall } from "../core/call.ts";
import type { Facts } from "../core/facts.ts";
import { compileGlob, type Flavour, type Matcher } from "../core/glob.ts";
import { canonicalJson } from "../core/json.ts";
import { display } from "../core/path.ts";
import type { PathTouch } from "../core/touch.ts";

/** One thing a rule is matched against. */
export interface Subject {
  readonly flavour: Flavour;
  /** As the caller wrote it; for messages, and for rules that ask or deny. */
  readonly written: string;
  /** What it really is. Only these satisfy a rule that allows: `src/../x` must not pass for something below `src`. */
  readonly sure: readonly string[];
}

export interface CompiledRule {
  readonly index: number;
  readonly pattern: string;
  readonly action: "allow" | "ask" | "deny";
  readonly matches: Record<Flavour, Matcher>;
}

export const compileRules = (rules: readonly { pattern: string; action: CompiledRule["action"] }[], home: string): CompiledRule[] =>
  rules.map(({ pattern, action }, index) => ({ index, pattern, action, matches: matchers(pattern, home) }));

export const firstMatch = (rules: readonly CompiledRule[], { flavour, written, sure }: Subject): CompiledRule | undefined =>
  rules.find(({ action, matches }) => sure.some(matches[flavour]) || (action !== "allow" && matches[flavour](written)));

/** What the rules of a tool are about: each of its paths, its command or URL, else its arguments as canonical JSON. */
export function subjectsOf(call: ToolCall, facts: Facts): readonly Subject[] {
  const subjects = call.touches.flatMap((touch): Subject[] => {
    if (touch.kind === "path") return [pathSubject(touch, facts)];
    if (touch.kind === "url") return [plain(touch.url)];
    return touch.kind === "command" ? [plain(touch.text)] : [];
  });
  return subjects.length > 0 ? unique(subjects) : [plain(canonicalJson(call.input))];
}

function pathSubject({ access, path }: PathTouch, facts: Facts): Subject {
  const real = resolve(access === "delete" ? facts.entry : facts.canonical, path);
  return { flavour: "path", written: path, sure: [real, display(real, facts.cwd)] };
}

const plain = (text: string): Subject => ({ flavour: "text", written: text, sure: [text] });

/** A path that cannot be resolved stands for itself; it cannot be opened. */
function resolve(how: (path: string) => string, path: string): string {
  try {
    return how(path);
  } catch {
    return path;
  }
}

const unique = (subjects: readonly Subject[]): Subject[] => [...new Map(subjects.map((subject) => [subject.sure[0], subject])).values()];

/** `*` alone means every call, also where a path has folders. */
function matchers(pattern: string, home: string): Record<Flavour, Matcher> {
  if (pattern === "*") return { path: () => true, text: () => true };
  const path = pattern.startsWith("~/") ? home + pattern.slice(1) : pattern.replace(/^\.\//, "");
  return {
    path: compileGlob(path, { flavour: "path", letters: "any case" }),
    text: compileGlob(pattern, { flavour: "text", letters: "any case" }),
  };
}
