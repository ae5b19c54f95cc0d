import type { Agent } from "../../../runtime/agent/agent-types.ts";
import { plural } from "../../../text/words.ts";
import type { SessionCounts } from "./session-counts.ts";
import type { ResourceFacts } from "./view/resources.ts";
import type { StatusFacts } from "./view/status-line.ts";

/** Characters of a token, as the filters' own counts take it. */
const PER_TOKEN = 4;
const HINT_COLUMNS = 110;

/** What the status line says of an agent just now. */
export function statusFacts(agent: Agent, facts: SessionCounts, columns: number): StatusFacts {
  const { model, zeph } = agent;
  const { rawChars, chars } = zeph.stats().filter;
  const [cost, branch] = [facts.cost(), facts.branch()];
  return {
    model: model.id,
    context: contextOf(agent, facts),
    tokens: facts.tokens(),
    ...(cost !== undefined && { cost }),
    savedTokens: Math.round((rawChars - chars) / PER_TOKEN),
    autonomy: zeph.governance.autonomy(),
    walls: facts.walls(),
    ...(branch !== undefined && { branch }),
    ...(columns >= HINT_COLUMNS && { hint: "Ctrl-T resources" }),
  };
}

/** What the Resources panel says. */
export function resourceFacts(agent: Agent, facts: SessionCounts): ResourceFacts {
  const { model, zeph, runs } = agent;
  const { filter, cache, egress } = zeph.stats();
  const cost = facts.cost();
  const date = model.price?.date;
  return {
    filter,
    cache,
    context: contextOf(agent, facts),
    tokens: facts.tokens(),
    ...(cost !== undefined && { cost }),
    ...(date !== undefined && { priceDate: date }),
    compactions: facts.compactions(),
    calls: facts.calls(),
    gates: zeph.governance.gates(),
    runs: runs()
      .filter(({ state }) => state === "running")
      .map(({ command, since }) => ({ command, ms: Date.now() - since })),
    egress: egress.hosts,
    rollbacks: facts.rollbacks(),
    servers: zeph.mcp.states().map(({ name, state, tools }) => ({
      name,
      state: state === "connected" ? `connected, ${plural(tools.length, "tool")}` : state,
      isUp: state === "connected" || state === "idle",
    })),
  };
}

/** A conversation that nothing was said in yet, as after /clear, has an empty one. */
const contextOf = ({ conversation }: Agent, facts: SessionCounts) => (conversation === null ? null : facts.context());
