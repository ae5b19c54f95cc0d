import { ToolError } from "../../../core/error.ts";
import type { WallReach } from "../../../core/ports/walls.ts";
import type { Caller } from "../../../core/session.ts";
import type { Phase, Trust } from "../../../core/turn.ts";
import type { Judgement, Zeph } from "../../../runtime/create.ts";
import { hiddenText } from "../../../runtime/governance/tools.ts";
import { consultedIn, type GateView, gateViews } from "../../../runtime/rules/gate-views.ts";
import { didYouMean } from "../../../text/nearest.ts";
import { visible } from "../../../text/visible.ts";
import { parseArguments } from "../arguments.ts";
import { VERDICT_EXIT } from "../exit.ts";
import { UsageError } from "../io.ts";
import type { Invocation } from "../program/invocation.ts";
import { judgeCall, printUnjudged } from "../run/judge-call.ts";
import { verdictText, viewsText } from "../run/judgement.ts";
import { jsonLine } from "../run/print.ts";
import { withRuntime } from "../runtime.ts";
import { readText } from "../stdin.ts";
import { prose, type Terminal } from "../terminal/terminal.ts";
import { reachText } from "./reach.ts";

const USAGE = `zeph policy check <tool> <json|-> [--phase <phase>] [--trust <level>] [--json]`;
const PHASES: readonly Phase[] = ["planner", "executor", "verifier", "autonomous"];
const LEVELS: readonly Trust[] = ["untrusted", "provisional", "trusted"];

/** Tells the decision about a call, the gate that made it, and the reach of the call. Exit 0 allow, 4 ask, 3 deny. */
export async function policyCheck({ words, flags, settings, terminal }: Invocation): Promise<number> {
  const [tool, json, ...more] = words;
  if (tool === undefined || json === undefined || more.length > 0)
    throw new UsageError(`Say which call to judge: ${USAGE}. \`zeph tools\` lists the tools.`);
  const caller: Caller = { ...oneOf("phase", flags.phase, PHASES), ...oneOf("trust", flags.trust, LEVELS) };
  const given = parseArguments(json === "-" ? await readText(terminal.stdin) : json);
  return withRuntime(settings, {}, terminal, async (zeph) => {
    const found = await judgeCall(zeph, tool, given, caller);
    if ("ok" in found) return printUnjudged(found, flags.json ? "json" : "text", terminal);
    const views = gateViews(found, zeph.governance.gates());
    const reach = runsCommand(zeph, tool, found) ? await reachIn(zeph, caller) : undefined;
    if (flags.json) terminal.stdout.write(jsonLine(checkJson(found, views, reach)));
    else terminal.stdout.write(checkText(found, views, hiddenText(tool, zeph.governance.tools()), reach, terminal));
    return VERDICT_EXIT[found.verdict];
  });
}

function oneOf<N extends string, V extends string>(name: N, given: unknown, known: readonly V[]): { [K in N]?: V } {
  if (given === undefined) return {};
  const found = known.find((one) => one === given);
  if (found === undefined)
    throw new UsageError(`--${name} ${given}: it must be one of ${known.join(", ")}.${didYouMean(String(given), known)}`);
  return { [name]: found } as { [K in N]?: V };
}

const runsCommand = (zeph: Zeph, tool: string, { touches }: Judgement): boolean =>
  touches.some(({ kind }) => kind === "command") || zeph.governance.tools().some(({ name, effect }) => name === tool && effect === "runs");

/** Walls that may not be built are spoken of by the gate. */
async function reachIn(zeph: Zeph, caller: Caller): Promise<WallReach | undefined> {
  try {
    return (await zeph.reach(caller)) ?? undefined;
  } catch (error) {
    if (error instanceof ToolError) return undefined;
    throw error;
  }
}

function checkText(
  found: Judgement,
  views: readonly GateView[],
  hidden: string | null,
  reach: WallReach | undefined,
  terminal: Terminal,
): string {
  const { gate, rule, why } = found;
  const { stdout, out } = terminal;
  // The reason may name the rule itself.
  const by = rule === null || why?.startsWith(rule) ? "" : `, rule "${rule}"`;
  const who = gate === null ? "" : `  decided by ${visible(`${gate}${by}`)}\n`;
  const said = [verdictText(found, out), who, hidden === null ? "" : `  ${visible(hidden)}\n`, viewsText(views, out)].join("");
  return `${prose(said, stdout)}${reach ? reachText(reach, terminal) : ""}`;
}

function checkJson(found: Judgement, trace: readonly GateView[], reach: WallReach | undefined): object {
  const { verdict, gate, rule, why, touches } = found;
  return { verdict, gate, rule, why, touches, trace, consults: consultedIn(found), ...(reach && { reach: reachJson(reach) }) };
}

const reachJson = ({ walls, confined, variables, seconds, warnings, notes }: WallReach): object => ({
  walls,
  confined: confined && {
    cwd: confined.cwd,
    write: confined.write,
    read_only: confined.frozen,
    read: confined.read,
    system: confined.system,
    network: confined.network,
  },
  variables,
  limits: {
    seconds,
    processes: confined?.limits.processes ?? null,
    memory_bytes: confined?.limits.memoryBytes ?? null,
    file_bytes: confined?.limits.fileBytes ?? null,
  },
  warnings,
  ...(notes && { notes }),
});
