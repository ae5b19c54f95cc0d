import { CLIENT_NAMES, type ClientName } from "../../../hook/client.ts";
import { CLIENT_PLANS } from "../../../hook/install/client-plans.ts";
import { OWN_SESSION } from "../../../hook/install/probe-inputs.ts";
import { openRuntime } from "../../../runtime/create.ts";
import { attempt } from "../../../text/attempt.ts";
import { visible } from "../../../text/visible.ts";
import { whileOpen } from "../../../text/while-open.ts";
import { duration } from "../../../text/words.ts";
import { withStores } from "../command.ts";
import { EXIT } from "../exit.ts";
import { readArgs } from "../io.ts";
import type { Invocation } from "../program/invocation.ts";
import { jsonLine, localTime } from "../run/print.ts";
import { prose, type Terminal } from "../terminal/terminal.ts";
import { namedClients } from "./choose-clients.ts";
import { type ClientReport, examineClient, type FindNoWalls } from "./examine.ts";

const USAGE = "Usage: zeph hook status [client…] [--json]";
/** So far back a last call is looked for. */
const MOST_LINES = 5000;

/** `zeph hook status`: what is true of the hooks, not what was written once. Exit 0 when all are in force, 4 when one is not or there is none. */
export async function hookStatus({ words, settings, terminal }: Invocation): Promise<number> {
  const { values, positionals } = readArgs(words, USAGE, CLIENT_NAMES.length, { json: { type: "boolean" } });
  const isNamed = positionals.length > 0;
  const plans = isNamed ? namedClients(positionals) : Object.values(CLIENT_PLANS);
  return withStores(settings, terminal, async ({ at, audit }) => {
    const place = { state: at.state, home: at.home, cwd: process.cwd(), env: process.env };
    const seen = lastCalls((await audit.tail(MOST_LINES)).lines);
    const reports: ClientReport[] = [];
    const noWalls = createNoWalls(settings);
    for (const plan of plans) reports.push(await examineClient(plan, place, { lastCall: seen.get(plan.name) ?? null, noWalls }));
    const shown = isNamed ? reports : reports.filter(({ state, other_hooks }) => state !== "not installed" || other_hooks.length > 0);
    if (values.json) terminal.stdout.write(jsonLine(shown));
    else
      terminal.stdout.write(
        shown.map((one) => reportText(one, terminal)).join("") ||
          "Zeph is the hook of no client. zeph hook install <client> makes it one.\n",
      );
    const counted = isNamed ? reports : reports.filter(({ state }) => state !== "not installed");
    return counted.length > 0 && counted.every(({ state }) => state === "governed") ? EXIT.ok : EXIT.unanswered;
  });
}

/** Builds the walls of this folder on paper, which finds out what the machine can do. */
function createNoWalls(settings: Invocation["settings"]): FindNoWalls {
  const find = async () => {
    try {
      const inside = await openRuntime({ ...settings, cwd: process.cwd(), servers: "later" });
      const reach = await whileOpen(inside.zeph, () => inside.zeph.reach());
      return reach === null || reach.walls.backend === "none" ? (reach?.walls.reason ?? "no reason is known") : null;
    } catch (error) {
      return (error as Error).message;
    }
  };
  let found: Promise<string | null> | undefined;
  return () => {
    found ??= find();
    return found;
  };
}

/** When each client last asked about a call of its own. */
function lastCalls(lines: readonly string[]): ReadonlyMap<ClientName, string> {
  const seen = new Map<ClientName, string>();
  for (const line of lines) {
    const entry = attempt((): Record<string, unknown> => JSON.parse(line), {} as Record<string, unknown>);
    const client = CLIENT_NAMES.find((name) => entry.toolset === `client:${name}`);
    if (client !== undefined && typeof entry.ts === "string" && !String(entry.session_id).startsWith(OWN_SESSION))
      seen.set(client, entry.ts);
  }
  return seen;
}

function reportText(report: ClientReport, { stdout, out }: Terminal): string {
  const { client, state, mode, on_failure, files, wrong, notes, other_hooks, answered_ms, version, version_tested, last_call } = report;
  const colour = state === "governed" ? out.green : state === "not in force" ? out.red : out.dim;
  const facts = [
    ...(mode === null
      ? []
      : [`mode ${mode}${report.walls ? ", commands run behind Zeph's walls" : ", commands run without Zeph's walls"}`]),
    ...files.map((file) => `in ${file}`),
    ...(answered_ms === null ? [] : [`answers in ${duration(answered_ms)}`]),
    ...(version === null ? [] : [`version ${version}${version_tested ? ", tested" : ""}`]),
    ...(state === "not installed"
      ? []
      : [last_call === null ? "no call of it is in the audit log" : `last call ${localTime(Date.parse(last_call))}`]),
    ...(on_failure === "deny" ? ["a failure of Zeph denies the call"] : []),
  ];
  const lines = [
    ...wrong.map((text) => out.red(prose(visible(text), stdout))),
    ...(on_failure === "allow" ? [out.red("a failure of Zeph lets the call through")] : []),
    ...facts.map((text) => visible(text)),
    ...notes.map((text) => out.dim(prose(visible(text), stdout))),
    ...other_hooks.map(({ file, event, command }) => out.yellow(visible(`another hook (${event}, ${file}): ${command}`))),
  ];
  return `${client}: ${colour(state)}\n${lines.map((line) => `  ${line.replaceAll("\n", "\n  ")}\n`).join("")}`;
}
