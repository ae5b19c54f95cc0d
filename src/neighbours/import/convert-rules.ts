import { regexProblem } from "../../config/policy/regex.ts";
import type { ClientRule, ClientRules, RuleAction, RuleTarget } from "../rules/client-rule.ts";
import { wildcardGlob } from "../rules/command-pattern.ts";
import { ALLOWS_ALL, commandPieces, type DenialPlace } from "./command-pieces.ts";
import type { Fate, ImportLedger } from "./ledger.ts";
import { deniedServerTool, serverToolName, WEB_TOOLS } from "./own-tools.ts";
import { changePieces, type PathAnchors, readPieces } from "./path-pieces.ts";
import type { Piece } from "./piece.ts";

/** Whose file it is: what a project's file allows counts once somebody vouched for the project. */
export interface SourceStanding {
  readonly anchors: PathAnchors;
  readonly allows: "all" | "denials only";
  /** Whether a text holds a secret: such a rule is not taken, and not shown. */
  readonly holdsSecret: (text: string) => boolean;
}

export const DENIALS_ONLY = "a project's file only denies until you trust the project (zeph trust)";

const RANK: Readonly<Record<RuleAction, number>> = { deny: 0, ask: 1, allow: 2 };

type Converted = { readonly pieces: readonly Piece[]; readonly changed?: string } | string;

/** Every rule of a file as settings of ours, in the order in which they are asked. */
export function convertRules(given: ClientRules, standing: SourceStanding, ledger: ImportLedger): void {
  // Ours are asked in order, so where the strictest wins it comes first.
  const all = given.decides === "first" ? given : { ...given, rules: given.rules.toSorted((a, b) => RANK[a.action] - RANK[b.action]) };
  for (const { at, written, action, why } of all.unread)
    ledger.claim(at, { list: "not taken", why }, { written: shown(written, standing), action });
  const heard = heardRules(all);
  const converted = all.rules.map((rule, n) => ({ rule, made: convertRule(rule, n, all, heard, standing) }));
  const places = new Map<string, typeof converted>();
  for (const one of converted) {
    const key = JSON.stringify(one.rule.at);
    places.set(key, [...(places.get(key) ?? []), one]);
  }
  // One line of a file may be several rules; it is told once.
  for (const [, same] of places) {
    const [{ rule }] = same as [(typeof same)[number]];
    const actions = new Set(same.map(({ rule }) => rule.action));
    const as = { written: shown(rule.written, standing), action: actions.size === 1 ? rule.action : null };
    ledger.claim(rule.at, fateOf(same.map(({ made }) => made)), as);
  }
}

function fateOf(made: readonly Converted[]): Fate {
  const good = made.filter((one) => typeof one !== "string");
  const reasons = [...new Set(made.filter((one) => typeof one === "string"))];
  if (good.length === 0) return { list: "not taken", why: reasons.join("; ") };
  const pieces = good.flatMap((one) => one.pieces);
  const changes = [...new Set([...good.flatMap((one) => one.changed ?? []), ...reasons.map((why) => `not all of it: ${why}`)])];
  if (changes.length > 0) return { list: "changed", pieces, why: changes.join("; ") };
  return { list: "taken", pieces, ...(pieces.length === 0 && { why: "Zeph does so without a rule" }) };
}

const shown = (written: string, { holdsSecret }: SourceStanding): string =>
  holdsSecret(written) ? "(a rule with a secret in it)" : written;

/** Rules that can be heard: behind one that speaks of everything there is nothing left to say. */
function heardRules({ decides, rules }: ClientRules): ReadonlySet<ClientRule> {
  if (decides === "strictest") return new Set(rules);
  const closed = new Set<string>();
  return new Set(
    rules.filter(({ target, only }) => {
      const kind = kindOf(target);
      if (closed.has(kind)) return false;
      if (speaksOfAll(target) && only === undefined) closed.add(kind);
      return true;
    }),
  );
}

const kindOf = (target: RuleTarget): string => (target.kind === "path" ? target.access : target.kind === "address" ? "host" : target.kind);

const speaksOfAll = (target: RuleTarget): boolean =>
  (target.kind === "command" && target.pattern.kind === "any") ||
  (target.kind === "path" && target.pattern === null) ||
  (target.kind === "host" && target.host === null);

function convertRule(rule: ClientRule, n: number, all: ClientRules, heard: ReadonlySet<ClientRule>, standing: SourceStanding): Converted {
  const { action, target, written, only } = rule;
  if (standing.holdsSecret(written)) return "a secret stands in it";
  if (!heard.has(rule)) return "it is never heard: a rule for everything is asked before it";
  if (standing.allows === "denials only" && action !== "deny") return DENIALS_ONLY;
  if (only !== undefined && action === "allow") return `it holds only where ${only} say so, which Zeph does not know`;
  const found = convertTarget(target, action, n, all, standing);
  const made = typeof found === "string" ? found : { ...found, pieces: found.pieces.map((piece) => ({ ...piece, order: n })) };
  if (typeof made === "string" || only === undefined) return made;
  return { ...made, changed: [made.changed, `it holds always, not only where ${only} say so`].filter(Boolean).join("; ") };
}

function convertTarget(target: RuleTarget, action: RuleAction, n: number, all: ClientRules, { anchors }: SourceStanding): Converted {
  const of = (pieces: readonly Piece[] | string, changed?: string): Converted =>
    typeof pieces === "string" ? pieces : { pieces, ...(changed !== undefined && { changed }) };
  switch (target.kind) {
    case "command":
      return of(commandPieces(target.pattern, action, denialPlace(n, all)));
    case "path":
      if (target.access === "write") return of(changePieces(target.pattern, action, anchors));
      return of(
        readPieces(target.pattern, action, anchors, readsAreRuled(all)),
        action === "ask" && target.pattern !== null
          ? "other reads are asked about as well: Zeph asks where a tool has rules and none fits"
          : undefined,
      );
    case "host":
      return of(hostPieces(target.host, action));
    case "address":
      return of(WEB_TOOLS.map((tool): Piece => ({ kind: "rule", tool, pattern: wildcardGlob(target.wildcard, true), action })));
    case "server":
      return serverPieces(target, action, all);
    case "arguments":
      return argumentPieces(target, action);
  }
}

/** Where rules are asked in order, a denial behind one that lets something in must stay behind it. */
function denialPlace(n: number, { decides, rules }: ClientRules): DenialPlace {
  if (decides === "strictest") return "blocklist";
  return rules.slice(0, n).every(({ action, target }) => action === "deny" || target.kind !== "command") ? "blocklist" : "in order";
}

const readsAreRuled = ({ rules }: ClientRules): boolean =>
  rules.some(({ target, action }) => target.kind === "path" && target.access === "read" && target.pattern === null && action !== "allow");

const HOST = /^(?:\*\.)?[a-z0-9_-]+(?:\.[a-z0-9_-]+)*$/;

function hostPieces(host: string | null, action: RuleAction): readonly Piece[] | string {
  const rule = (tool: string, pattern: string): Piece => ({ kind: "rule", tool, pattern, action });
  if (host === null) return action === "allow" ? ALLOWS_ALL : [rule("fetch", "*"), rule("web_scrape", "*")];
  if (!HOST.test(host)) return "it is no name of a host";
  if (action === "allow")
    return host.startsWith("*")
      ? "a pattern with * in the host would fit addresses of other hosts, too"
      : [rule("fetch", `https://${host}/*`)];
  const rules = WEB_TOOLS.flatMap((tool) => [rule(tool, `*://${host}/*`), rule(tool, `*://${host}:*`)]);
  return action === "deny" ? [{ kind: "value", list: "tools.scrape.denied_domains", value: host }, ...rules] : rules;
}

function serverPieces(
  { server, tool }: { readonly server: string; readonly tool: string | null },
  action: RuleAction,
  all: ClientRules,
): Converted {
  const name = serverToolName(server, tool);
  if (action === "deny") return { pieces: deniedServerTool(server, tool) };
  if (tool === null || tool.includes("*"))
    return action === "allow"
      ? "Zeph allows the tools of a server one by one"
      : { pieces: [], changed: "Zeph asks about every tool of a server that no rule allows" };
  const isAsked = all.rules.some(
    ({ action, target }) =>
      action === "ask" && target.kind === "server" && target.server === server && (target.tool === null || target.tool.includes("*")),
  );
  if (action === "allow" && isAsked) return "another rule asks about every tool of this server";
  return { pieces: [{ kind: "rule", tool: name, pattern: "*", action }] };
}

const TOOL_OF = { command: "bash", read: "read", write: "{write,edit}", fetch: "{fetch,web_scrape}" } as const;

/** Only a denial can be bound to an expression. What would have asked is denied, which is stricter. */
function argumentPieces({ tool, expression }: Extract<RuleTarget, { kind: "arguments" }>, action: RuleAction): Converted {
  if (action === "allow") return "an expression can deny, and not allow";
  const problem = expression.length > 1024 ? "it is longer than 1024 characters" : regexProblem(expression);
  if (problem !== null) return `its expression cannot be used: ${problem}`;
  const pieces: readonly Piece[] = [{ kind: "policy", rule: { effect: "deny", tool: TOOL_OF[tool], args_match: expression } }];
  return { pieces, ...(action === "ask" && { changed: "it denies: Zeph has no question that is bound to an expression" }) };
}
