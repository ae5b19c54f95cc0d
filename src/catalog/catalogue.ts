import type { Model, ToolSpec } from "../core/ports/model.ts";
import { alwaysOnOf, type TafcConfig, type ToolFilterConfig } from "./config.ts";
import { decide, SEARCH } from "./decide.ts";
import { DEADLOCK, type Dependencies } from "./dependencies.ts";
import type { Ranked, Ranking } from "./ranking.ts";
import { type Included, inWords, type OfferReason } from "./reason.ts";
import { namedIn } from "./select.ts";
import { withThought } from "./think-fields.ts";

export interface CatalogueParts {
  /** All tools a model may be shown, in the order of the registry. */
  readonly tools: () => readonly ToolSpec[];
  readonly filter: ToolFilterConfig;
  /** Own tools that are shown from the beginning, in their order; without it all are. */
  readonly start?: readonly string[];
  /** Whether a part of Zeph that is in use needs this tool, such as the skills that are there. */
  readonly isNeeded?: (tool: string) => boolean;
  readonly tafc: TafcConfig;
  readonly ranking: Ranking;
  /** Null where they are off. */
  readonly dependencies: Dependencies | null;
  /** Why a tool would do nothing now, such as loading a skill where there is none; null when it would do something. */
  readonly noUse?: (tool: string) => string | null;
  /** Whether Zeph itself brings a tool. */
  readonly isOwn?: (tool: string) => boolean;
  /** Other names of tools: to say one is to name the tool. */
  readonly aliases?: ReadonlyMap<string, string>;
  readonly warn: (message: string) => void;
  /** Told which tools are left out, and why. */
  readonly log?: (message: string) => void;
}

/** A turn as the catalogue sees it. */
export interface Occasion {
  /** What the person said; "" where nobody said anything. */
  readonly query: string;
  readonly conversation: string;
  readonly model: Pick<Model, "fenced">;
  /** Tools that were called in it, also before this process began. */
  readonly used?: () => Iterable<string>;
}

export interface CatalogueHit extends ToolSpec {
  /** Tools that have to succeed first. */
  readonly unmet: readonly string[];
}

/** The tools of one conversation. What was shown stays, in its place and to the byte, so that a provider can keep the beginning of a request. */
export interface Catalogue {
  /** A turn begins. Another conversation than before begins with nothing shown. */
  forTurn(occasion: Occasion, signal: AbortSignal): Promise<void>;
  /** What the next request offers. */
  tools(): readonly ToolSpec[];
  /** The model called it: it stays. */
  used(tool: string): void;
  /** A text asks for tools by their names, such as a skill: they are shown from the next request on. */
  askedFor(text: string): void;
  /** Tools that the model is not shown yet, and may call by their names. */
  later(): readonly string[];
  /** Tools that fit and are not offered, which they are from the next request on; and the names of those that are offered already. */
  search(
    query: string,
    limit: number,
    signal: AbortSignal,
  ): Promise<{ readonly found: readonly CatalogueHit[]; readonly offered: readonly string[] }>;
  reasons(): ReadonlyMap<string, OfferReason>;
  /** How the last turn was ranked; null when it was not. */
  rankedBy(): Ranked["by"] | null;
  /** Forgets what was shown. */
  restart(): void;
}

interface Shown {
  readonly from: ToolSpec;
  readonly spec: ToolSpec;
  readonly because: Included;
}

interface Turn extends Occasion {
  readonly ranked: Ranked | null;
  /** There were so few that they were not compared. */
  readonly isShort: boolean;
  readonly dependencies: "waiting" | "off";
}

const MOST_OFFERED = 5;

/** What `auto` takes for many. */
const MANY = 30;
const NOTHING_RANKED: Ranked = { scores: new Map(), by: "bm25" };

export function createCatalogue(parts: CatalogueParts): Catalogue {
  const { filter, tafc, ranking, dependencies, warn } = parts;
  const shown = new Map<string, Shown>();
  const kept = new Map<string, "used" | "found">();
  let turn: Turn | null = null;

  const isOwn = (filter.enabled === "auto" && parts.isOwn) || (() => false);
  const start = new Set(parts.start);
  const anyway = new Set(filter.enabled === true ? alwaysOnOf(filter) : []);
  let isFenced = false;
  const isStart = (tool: string) => start.has(tool) || tool === SEARCH || anyway.has(tool) || parts.isNeeded?.(tool) === true;
  const hasToBeAskedFor = (tool: string) => start.size > 0 && !isFenced && parts.isOwn?.(tool) === true && !isStart(tool);
  const isLater = (tool: string) => !kept.has(tool) && hasToBeAskedFor(tool) && !parts.noUse?.(tool);
  /** In the order of the beginning; the others as they are registered. */
  const listed = (): readonly ToolSpec[] => {
    const tools = parts.tools();
    if (start.size === 0) return tools;
    const known = new Map(tools.map((tool) => [tool.name, tool]));
    return [...[...start].flatMap((name) => known.get(name) ?? []), ...tools.filter(({ name }) => !start.has(name))];
  };
  const isMany = (tools: readonly ToolSpec[]) =>
    tools.length > MANY && tools.filter(({ name }) => name !== SEARCH && !parts.noUse?.(name) && !isLater(name)).length > MANY;
  const decided = (tools: readonly ToolSpec[], { query, ranked, dependencies: off }: Pick<Turn, "query" | "ranked" | "dependencies">) =>
    decide(
      {
        tools,
        isOwn,
        isLater,
        query,
        filter,
        ranked,
        dependencies,
        kept,
        shown: new Map([...shown].map(([name, { because }]) => [name, because])),
        noUse: parts.noUse ?? (() => null),
        ...(parts.aliases && { aliases: parts.aliases }),
      },
      off,
    );

  /** What was decided last, and on what grounds: a turn asks again with every request, and seldom has anything changed. */
  let last: { readonly grounds: readonly unknown[]; readonly reasons: ReadonlyMap<string, OfferReason> } | null = null;
  const groundsOf = (tools: readonly ToolSpec[], now: Turn): unknown[] => {
    const grounds: unknown[] = [now, kept.size];
    for (const { name, description, parameters } of tools)
      grounds.push(name, description, parameters, shown.has(name) ? null : parts.noUse?.(name));
    return grounds;
  };
  /** The list as it is now: what is gone is left out, what is new comes last. */
  const refresh = (now: Turn): ReadonlyMap<string, OfferReason> => {
    const tools = listed();
    if (last && !dependencies && areEqual(groundsOf(tools, now), last.grounds)) return last.reasons;
    const reasons = decideAnew(tools, now);
    last = { grounds: groundsOf(tools, now), reasons };
    return reasons;
  };
  const decideAnew = (tools: readonly ToolSpec[], now: Turn): ReadonlyMap<string, OfferReason> => {
    const there = new Map(tools.map((tool) => [tool.name, tool]));
    for (const [name, before] of shown) {
      const tool = there.get(name);
      if (!tool) shown.delete(name);
      else if (!isSame(before.from, tool)) shown.set(name, { ...before, from: tool, spec: asShown(tool, now) });
    }
    // Many that came during a turn are found by searching until the next one compares them.
    const { reasons } = decided(tools, now.isShort && isMany(tools) ? { ...now, ranked: NOTHING_RANKED } : now);
    // What was asked for comes last, in the order it was asked for: a conversation that is gone on with has the list it had.
    const asked = [...kept.keys()].filter(hasToBeAskedFor).flatMap((name) => there.get(name) ?? []);
    for (const tool of [...tools.filter((tool) => !asked.includes(tool)), ...asked]) {
      const reason = reasons.get(tool.name)!;
      if (reason.offered && !shown.has(tool.name)) shown.set(tool.name, { from: tool, spec: asShown(tool, now), because: reason.because });
    }
    return reasons;
  };
  const asShown = ({ name, description, parameters }: ToolSpec, { model }: Occasion): ToolSpec => {
    const spec = { name, description, parameters };
    return tafc.enabled && !model.fenced ? withThought(spec, tafc.complexity_threshold) : spec;
  };
  const rank = async (query: string, tools: readonly ToolSpec[], signal: AbortSignal): Promise<Ranked | null> => {
    try {
      return await ranking.rank(query, tools, signal);
    } catch (error) {
      warn(`All tools are offered, because they could not be ranked: ${error instanceof Error ? error.message : String(error)}`);
      return null;
    }
  };
  const nameOf = (tool: string) => parts.aliases?.get(tool) ?? tool;
  const keep = (tool: string, why: "used" | "found") => {
    if (!kept.has(nameOf(tool))) kept.set(nameOf(tool), why);
  };
  const restart = () => {
    if (turn) dependencies?.offers(turn.conversation, null);
    shown.clear();
    kept.clear();
    turn = null;
    last = null;
  };
  const isOffered = (tool: string) => turn?.dependencies === "off" || shown.has(tool);

  return {
    async forTurn(occasion, signal) {
      if (turn && turn.conversation !== occasion.conversation) restart();
      isFenced = occasion.model.fenced === true;
      const tools = listed();
      const isShort = filter.enabled === "auto" && !occasion.model.fenced && !isMany(tools);
      const isChosen = filter.enabled !== false && !occasion.model.fenced && !isShort;
      if (!isFenced) for (const tool of occasion.used?.() ?? []) keep(tool, "used");
      const ranked = isChosen ? await rank(occasion.query, tools, signal) : null;
      const { isDeadlock } = decided(tools, { ...occasion, ranked, dependencies: "waiting" });
      if (isDeadlock) warn(DEADLOCK);
      turn = { ...occasion, ranked, isShort, dependencies: isDeadlock ? "off" : "waiting" };
      dependencies?.offers(occasion.conversation, isOffered);
      const reasons = refresh(turn);
      if (parts.log) for (const line of exclusions(reasons)) parts.log(line);
    },
    tools() {
      if (turn) refresh(turn);
      // Before anything was said nothing is chosen, and nothing is promised.
      else if (shown.size === 0)
        return listed()
          .filter(({ name }) => !isLater(name))
          .map((tool) => asShown(tool, { query: "", conversation: "", model: {} }));
      return [...shown.values()].map(({ spec }) => spec);
    },
    used(tool) {
      if (parts.tools().some(({ name }) => name === nameOf(tool))) keep(tool, "used");
    },
    askedFor(text) {
      const tools = parts.tools().filter(({ name }) => isLater(name));
      for (const name of namedIn(text, tools, parts.aliases)) keep(name, "found");
    },
    later: () =>
      listed()
        .map(({ name }) => name)
        .filter((name) => isLater(name) && !shown.has(name)),
    async search(query, limit, signal) {
      const tools = parts.tools();
      const scores = (await rank(query, tools, signal))?.scores ?? new Map<string, number>();
      const named = namedIn(query, tools, parts.aliases);
      const score = ({ name }: ToolSpec) => (named.has(name) ? 2 : (scores.get(name) ?? 0));
      const fitting = tools
        .filter((tool) => tool.name !== SEARCH && score(tool) > 0 && !parts.noUse?.(tool.name))
        .sort((a, b) => score(b) - score(a));
      const found = fitting.filter(({ name }) => !shown.has(name)).slice(0, limit);
      for (const { name } of found) kept.set(name, "found");
      return {
        found: found.map((tool) => ({ ...tool, unmet: dependencies?.unmet(tool.name, conversationOf(turn)) ?? [] })),
        offered: fitting
          .filter(({ name }) => shown.has(name))
          .slice(0, MOST_OFFERED)
          .map(({ name }) => name),
      };
    },
    reasons: () => (turn ? refresh(turn) : new Map()),
    rankedBy: () => turn?.ranked?.by ?? null,
    restart,
  };
}

const conversationOf = (turn: Turn | null) => (turn ? { conversationId: turn.conversation } : {});

const areEqual = (some: readonly unknown[], others: readonly unknown[]): boolean =>
  some.length === others.length && some.every((one, n) => one === others[n]);

/** A toolset may list the same tool anew. */
const isSame = (a: ToolSpec, b: ToolSpec) =>
  a.description === b.description && (a.parameters === b.parameters || JSON.stringify(a.parameters) === JSON.stringify(b.parameters));

const MOST_NAMES = 20;

function* exclusions(reasons: ReadonlyMap<string, OfferReason>): Generator<string> {
  const many = { rank: [] as string[], later: [] as string[] };
  for (const [name, reason] of reasons) {
    if (reason.offered) continue;
    if (reason.because === "rank" || reason.because === "later") many[reason.because].push(name);
    else yield `${name} is not offered: ${inWords(reason)}.`;
  }
  if (many.later.length > 0) yield `Not offered before they are asked for: ${firstNames(many.later)}.`;
  if (many.rank.length > 0) yield `Not offered by rank: ${firstNames(many.rank)}.`;
}

const firstNames = (names: readonly string[]): string =>
  `${names.slice(0, MOST_NAMES).join(", ")}${names.length > MOST_NAMES ? ` and ${names.length - MOST_NAMES} more` : ""}`;
