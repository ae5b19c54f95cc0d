// Each gate on its own: the same gates the runtime builds, asked one after the other.
import { join } from "node:path";
import { parseConfig } from "../dist/modules/config/load.js";
import { ToolCall } from "../dist/modules/core/call.js";
import { ToolRequest } from "../dist/modules/core/request.js";
import { createSession } from "../dist/modules/core/session.js";
import { understandFrom } from "../dist/modules/gates/permissions/commands.js";
import { openLocalHost } from "../dist/modules/host/local.js";
import { createGates } from "../dist/modules/runtime/rules/gates.js";
import { createLiveRules } from "../dist/modules/runtime/rules/live-rules.js";
import { readRulebook } from "../dist/modules/runtime/rules/rulebook.js";
import { openStore } from "../dist/modules/store/open.js";
import { bash } from "../dist/modules/tools/bash.js";
import { TOOLS } from "../dist/modules/tools/index.js";
import { at, median } from "./measure.mjs";

/** One judgement is too short for the clock, so some are timed together. */
const BATCH = 20;
const BATCHES = 150;
const WARM = 50;

/** Microseconds for each gate and each kind of call. */
export async function gateCosts({ work, base, config, filled, kinds, caller }) {
  const store = openStore(await filled(join(base, "each.db")));
  const tools = new Map([bash((command, cwd) => understandFrom(command, cwd).touches), ...TOOLS].map((tool) => [tool.name, tool]));
  const whole = parseConfig(config);
  const { facts, close } = openLocalHost({
    cwd: work,
    ...whole.tools,
    notes: join(base, "notes"),
    own: [],
    keys: [],
    web: { config: whole.tools.scrape, cache: { enabled: false, ttlSecs: 0 }, onEgress() {}, mayFollow: async () => null },
    forbids: async () => null,
  });
  const { rules } = createGates(
    {
      facts,
      own: [],
      tools: () => tools,
      originOf: () => undefined,
      kept: { has: () => false, add() {} },
      requirements: null,
      sandbox: whole.tools.sandbox,
      ask: async () => "ALLOW",
      reasons: () => false,
      redact: (text) => text,
      note() {},
      strangerWrites: store.strangerWrites,
      sentinel: { trajectories: store.trajectories, embedder: async () => null, warn() {} },
      warn() {},
    },
    createLiveRules(readRulebook(whole)),
    () => {},
  );
  const session = createSession();
  const turn = session.current(caller);
  let id = 0;
  const made = (call) => {
    const [name, args] = call(++id);
    return ToolCall.parse(ToolRequest.from({ id: `${id}`, name, args }), tools);
  };
  remember(rules.gates, kinds, made, turn);
  const judges = {
    blocklist: rules.blocklist,
    ...Object.fromEntries(rules.gates.map((gate) => [gate.name, (call) => gate.judge(call, turn)])),
  };
  const costs = {};
  for (const [name, judge] of Object.entries(judges)) {
    costs[name] = {};
    for (const [kind, call] of Object.entries(kinds)) costs[name][kind] = await cost(judge, () => made(call));
  }
  await close();
  await store.close();
  return costs;
}

/** What comes before: a few calls that went well. */
function remember(gates, kinds, made, turn) {
  for (let n = 0; n < 12; n++) {
    const call = made(kinds.read);
    const outcome = {
      ok: true,
      callId: call.id,
      output: { text: "fine" },
      grant: { kind: "preapproved" },
      decision: { verdict: "allow" },
      cached: false,
    };
    for (const gate of gates) {
      gate.admitted?.(call, turn);
      gate.settled?.(call, outcome, turn);
    }
  }
}

async function cost(judge, next) {
  const times = [];
  for (let batch = 0; batch < WARM + BATCHES; batch++) {
    const calls = Array.from({ length: BATCH }, next);
    const started = process.hrtime.bigint();
    for (const call of calls) {
      const verdict = judge(call);
      if (verdict instanceof Promise) await verdict;
    }
    const spent = Number(process.hrtime.bigint() - started) / 1000 / BATCH;
    if (batch >= WARM) times.push(spent);
  }
  return { p50: median(times), p95: at(0.95, times) };
}
