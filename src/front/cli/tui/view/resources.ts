import type { CompactionMethod } from "../../../../core/ports/store.ts";
import type { Counts } from "../../../../runtime/answers.ts";
import type { GateStatus } from "../../../../runtime/governance/governance.ts";
import { dollars } from "../../chat/chat-totals.ts";
import type { Theme } from "../theme.ts";
import { cutLine } from "../width.ts";
import { byteSize, fewOf, percent, rowLines, ruleLine, shortCount, shownLine, timeTaken } from "./shown-text.ts";
import type { StatusFacts } from "./status-line.ts";

/** What the machine and the rules have done so far. */
export interface ResourceFacts extends Pick<StatusFacts, "context" | "tokens" | "cost"> {
  /** `zeph.stats().filter` */
  readonly filter: Counts["filter"];
  /** `zeph.stats().cache` */
  readonly cache: Pick<Counts["cache"], "hits" | "misses">;
  /** The day of the prices, where the person has set none. */
  readonly priceDate?: string;
  /** How often earlier messages became a summary, oldest first. Tokens are those before and after. */
  readonly compactions: readonly { readonly method: CompactionMethod; readonly before: number; readonly after: number }[];
  /** How calls ended. A command that left an exit code counts as failed. */
  readonly calls: { readonly ok: number; readonly failed: number; readonly denied: number };
  /** `zeph.governance.gates()` */
  readonly gates: readonly Pick<GateStatus, "gate" | "asked" | "denied">[];
  /** Commands that run in the background, and for how long. */
  readonly runs: readonly { readonly command: string; readonly ms: number }[];
  /** Requests to each host that went out, that were held back, and that failed. */
  readonly egress: readonly { readonly host: string; readonly sent: number; readonly held: number; readonly failed?: number }[];
  /** What was undone, in the words of each rollback. */
  readonly rollbacks: readonly string[];
  /** MCP servers, in their own words: `connected, 12 tools`. */
  readonly servers: readonly { readonly name: string; readonly state: string; readonly isUp: boolean }[];
}

const NAMES = 10;
const MOST_RULES = 3;
const MOST = 6;
const LONGEST_COMMAND = 28;
/** Characters of a token, as the filters' own counts take it. */
const PER_TOKEN = 4;

/** The Resources panel. Every row says in words when it has nothing to show. */
export function resourceLines(facts: ResourceFacts, width: number, theme: Theme): string[] {
  const { accent, signs } = theme;
  const between = ` ${signs.dot} `;
  const rows: readonly (readonly [string, string])[] = [
    ["filters", filterText(facts.filter, theme)],
    ["", ruleText(facts.filter, theme)],
    ["context", contextText(facts, theme)],
    ["tokens", tokenText(facts)],
    ["cost", costText(facts, signs)],
    ["calls", callText(facts, theme)],
    ["gates", gateText(facts, signs)],
    ["runs", runText(facts, theme)],
    ["egress", egressText(facts, theme)],
    ["compacted", compactedText(facts, theme)],
    ["rollbacks", fewOf(facts.rollbacks.map((one) => shownLine(one, signs)).reverse(), MOST, between) || "none"],
    ["servers", serverText(facts, theme)],
  ];
  return [
    ruleLine(width, theme, "Resources", "Ctrl-T hides"),
    ...rows.filter(([, text]) => text !== "").flatMap(([name, text]) => rowLines(` ${name}`, text, width, NAMES + 1, accent)),
  ];
}

/** F, P and B are how sure a filter was: full, partial, or the text as it came. */
function filterText({ confidence, rawChars, chars, commands }: ResourceFacts["filter"], { good, warn, dim, signs }: Theme): string {
  if (commands === 0) return "no command has printed anything yet";
  const marks = [good(`F ${confidence.Full}`), warn(`P ${confidence.Partial}`), dim(`B ${confidence.Fallback}`)].join("  ");
  const saved = rawChars - chars;
  return `${marks}   ${byteSize(rawChars)} ${signs.arrow} ${byteSize(chars)}, ${shortCount(saved / PER_TOKEN)} tokens saved (${percent(saved, rawChars)} %)`;
}

function ruleText({ rules }: ResourceFacts["filter"], { dim, signs }: Theme): string {
  const saving = Object.entries(rules)
    .map(([name, { uses, rawChars, chars }]) => ({ name, uses, saved: rawChars - chars, share: percent(rawChars - chars, rawChars) }))
    .filter(({ saved }) => saved > 0)
    .sort((a, b) => b.saved - a.saved)
    .map(({ name, uses, share }) => `${shownLine(name, signs)} ${uses}${signs.times} ${signs.minus}${share} %`);
  return dim(fewOf(saving, MOST_RULES, ` ${signs.dot} `));
}

function contextText({ context }: ResourceFacts, { warn }: Theme): string {
  if (context === null) return "empty";
  const full = percent(context.used, context.budget);
  const text = `${full} %, ${shortCount(context.used)} of ${shortCount(context.budget)}`;
  return full >= 70 ? warn(text) : text;
}

function tokenText({ tokens: { input, cached, output } }: ResourceFacts): string {
  if (input + output === 0) return "none yet";
  return `${shortCount(input)} in, ${shortCount(cached)} of it cached (${percent(cached, input)} %), ${shortCount(output)} out`;
}

const costText = ({ cost, priceDate }: ResourceFacts, signs: Theme["signs"]): string =>
  cost === undefined
    ? "not known: this model has no price"
    : `${dollars(cost)}${priceDate === undefined ? "" : `, prices of ${shownLine(priceDate, signs)}`}`;

function callText({ calls: { ok, failed, denied }, cache: { hits, misses } }: ResourceFacts, { bad, warn }: Theme): string {
  if (ok + failed + denied === 0) return "none yet";
  const parts = [`${ok} ok`, failed > 0 ? warn(`${failed} failed`) : "0 failed", denied > 0 ? bad(`${denied} denied`) : "0 denied"];
  return `${parts.join(", ")}; cache ${hits} of ${hits + misses}`;
}

const gateText = ({ gates }: ResourceFacts, signs: Theme["signs"]): string =>
  gates
    .filter(({ asked, denied }) => asked + denied > 0)
    .map(({ gate, asked, denied }) => {
      const spoken = [...(asked > 0 ? [`${asked} asked`] : []), ...(denied > 0 ? [`${denied} denied`] : [])];
      return `${shownLine(gate, signs)} ${spoken.join(", ")}`;
    })
    .join(` ${signs.dot} `) || "nobody objected";

function runText({ runs }: ResourceFacts, { dim, signs }: Theme): string {
  if (runs.length === 0) return "none in the background";
  const all = runs.map(({ command, ms }) => `${cutLine(shownLine(command, signs), LONGEST_COMMAND, signs.cut)} ${timeTaken(ms)}`);
  return `${fewOf(all, MOST, ` ${signs.dot} `)}${dim(`  /background ends one`)}`;
}

function egressText({ egress }: ResourceFacts, { bad, warn, signs }: Theme): string {
  const all = egress.map(({ host, sent, held, failed = 0 }) => {
    const words = [sent > 0 ? String(sent) : "", failed > 0 ? warn(`${failed} failed`) : "", held > 0 ? bad(`${held} held back`) : ""];
    return `${shownLine(host, signs)} ${words.filter((text) => text !== "").join(", ")}`;
  });
  return fewOf(all, MOST, ` ${signs.dot} `) || "nothing went out";
}

const compactedText = ({ compactions }: ResourceFacts, { signs }: Theme): string =>
  fewOf(
    compactions.map(({ method, before, after }) => `${method} ${shortCount(before)} ${signs.arrow} ${shortCount(after)}`).reverse(),
    MOST,
    ` ${signs.dot} `,
  ) || "never";

const serverText = ({ servers }: ResourceFacts, { warn, signs }: Theme): string =>
  fewOf(
    servers.map(({ name, state, isUp }) => (isUp ? (text: string) => text : warn)(`${shownLine(name, signs)} ${shownLine(state, signs)}`)),
    MOST,
    ` ${signs.dot} `,
  ) || "no MCP server is set up";
