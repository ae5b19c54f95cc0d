import { didYouMean } from "../text/nearest.ts";
import type { DependenciesConfig } from "./config.ts";
import { circlesOf, wayRound } from "./cycles.ts";

export interface DependencyParts {
  readonly config: Pick<DependenciesConfig, "boost_per_dep" | "max_total_boost" | "rules">;
  readonly alwaysOn: ReadonlySet<string>;
  /** The names of all tools there are now. */
  readonly tools: () => readonly string[];
  /** The tool a name stands for: some have more than one. */
  readonly nameOf?: (name: string) => string;
  readonly warn: (message: string) => void;
}

/** Which tools have succeeded in this session, and what that means for the others. The catalogue and the gate share it. */
export interface Dependencies {
  /** How many tools have rules; and how many have succeeded. */
  readonly rules: number;
  done(): number;
  /** Tools that a tool requires and that have not succeeded, whatever the conversation. */
  missing(tool: string): readonly string[];
  /** It requires something, and all of that has succeeded. */
  isMet(tool: string): boolean;
  boost(tool: string): number;
  /** The same as `missing`, but nothing for what may be called all the same: always-on tools and what this conversation's catalogue offers. */
  unmet(tool: string, turn: { readonly conversationId?: string }): readonly string[];
  succeeded(tool: string): void;
  /** From now on this decides what is offered in a conversation, and so what may be called in it; null takes it back. */
  offers(conversation: string, isOffered: ((tool: string) => boolean) | null): void;
  /** Warns of rules that name no tool. It is done once, before the first call or turn at the latest: then all tools are there. */
  check(): void;
  clear(): void;
}

export const DEADLOCK = "Every tool requires one that has not been used, so nothing could begin: tools.dependencies is off for this turn.";

/** Conversations that are open at once; far more than anybody has. */
const MOST_OPEN = 1000;

export function createDependencies({ config, alwaysOn, tools, nameOf = (name) => name, warn }: DependencyParts): Dependencies {
  const rules = byTool(config.rules, nameOf);
  const requires = withoutCircles(rules, warn);
  const succeeded = new Set<string>();
  const offering = new Map<string, (tool: string) => boolean>();
  let hasWarned = false;
  let isChecked = false;

  const check = () => {
    if (!isChecked) warnOfUnknown(rules, tools(), warn);
    isChecked = true;
  };
  const missing = (tool: string) => (requires.get(tool) ?? []).filter((one) => !succeeded.has(one));
  /** Outside a conversation nothing is chosen: all tools there are count. */
  const isDeadlock = () => tools().every((tool) => alwaysOn.has(tool) || missing(tool).length > 0);

  return {
    rules: rules.size,
    done: () => succeeded.size,
    missing,
    isMet: (tool) => (requires.get(tool) ?? []).length > 0 && missing(tool).length === 0,
    boost(tool) {
      const done = new Set(rules.get(tool)?.prefers.filter((one) => succeeded.has(one)));
      return Math.min(done.size * config.boost_per_dep, config.max_total_boost);
    },
    check,
    unmet(tool, { conversationId }) {
      check();
      const names = missing(tool);
      if (names.length === 0 || alwaysOn.has(tool)) return [];
      const isOffered = conversationId === undefined ? undefined : offering.get(conversationId);
      if (isOffered) return isOffered(tool) ? [] : names;
      if (!isDeadlock()) return names;
      if (!hasWarned) warn(DEADLOCK);
      hasWarned = true;
      return [];
    },
    succeeded: (tool) => void succeeded.add(tool),
    offers(conversation, isOffered) {
      check();
      offering.delete(conversation);
      if (isOffered) offering.set(conversation, isOffered);
      if (offering.size > MOST_OPEN) offering.delete(offering.keys().next().value!);
    },
    clear() {
      succeeded.clear();
      hasWarned = false;
    },
  };
}

type Rules = ReadonlyMap<string, DependenciesConfig["rules"][string]>;

/** Rules speak of the tool, whatever name it goes by; two rules for one tool count together. */
function byTool(rules: DependenciesConfig["rules"], nameOf: (name: string) => string): Rules {
  const all = new Map<string, DependenciesConfig["rules"][string]>();
  for (const [name, { requires, prefers }] of Object.entries(rules)) {
    const before = all.get(nameOf(name));
    all.set(nameOf(name), {
      requires: [...(before?.requires ?? []), ...requires.map(nameOf)],
      prefers: [...(before?.prefers ?? []), ...prefers.map(nameOf)],
    });
  }
  return all;
}

/** Tools that wait for each other would wait for ever. */
function withoutCircles(rules: Rules, warn: (message: string) => void): Map<string, readonly string[]> {
  const requires = new Map<string, readonly string[]>([...rules].map(([tool, rule]) => [tool, [...new Set(rule.requires)]]));
  const circles = circlesOf(requires);
  for (const circle of circles)
    warn(
      `tools.dependencies: ${wayRound(circle, requires).join(" → ")} is a circle. \`requires\` of ${circle.join(", ")} is left out; take one of them out of the rules.`,
    );
  for (const tool of circles.flat()) requires.set(tool, []);
  return requires;
}

function warnOfUnknown(rules: Rules, known: readonly string[], warn: (message: string) => void): void {
  const names = new Set(known);
  for (const [tool, { requires, prefers }] of rules) {
    if (!names.has(tool)) warn(`tools.dependencies.rules.${tool}: there is no tool of this name.${didYouMean(tool, known)}`);
    for (const name of new Set(requires))
      if (!names.has(name))
        warn(
          `tools.dependencies.rules.${tool} requires "${name}", and there is no tool of this name: ${tool} stays hidden until there is one.${didYouMean(name, known)}`,
        );
    for (const name of new Set(prefers))
      if (!names.has(name))
        warn(`tools.dependencies.rules.${tool} prefers "${name}", and there is no tool of this name.${didYouMean(name, known)}`);
  }
}
