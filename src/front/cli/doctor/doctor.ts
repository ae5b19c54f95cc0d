import { createKeyReader } from "../../../config/api-keys.ts";
import { ConfigError } from "../../../config/problem.ts";
import { wallsText } from "../../../core/ports/walls.ts";
import { type Diagnosis, examine, openDesk, removeCaches } from "../../../runtime/create.ts";
import { whileOpen } from "../../../text/while-open.ts";
import { wrap } from "../../../text/width/columns.ts";
import { EXIT } from "../exit.ts";
import { jsonLine } from "../run/print.ts";
import type { GlobalSettings } from "../runtime.ts";
import { lineWidth, type Terminal, widthOf } from "../terminal/terminal.ts";
import { findModelState, findNetwork, wallsFinding } from "./diagnosis.ts";
import { type DoctorFinding, failLine, findingLines } from "./finding.ts";
import { findGit, findNode, findTerminal } from "./machine.ts";
import { findKeys, findSettings, findSharedStore, findStore, wrongSettings } from "./settings.ts";
import { findTelemetry } from "./telemetry.ts";

export interface DoctorWish {
  readonly form: "json" | "text";
  /** Whether anybody may be asked over the network. */
  readonly asks: "online" | "offline";
}

/** `zeph doctor`: looks at everything Zeph needs, and really tries the walls. Exit 0, or 5 when something fails. */
export async function doctor({ form, asks }: DoctorWish, settings: GlobalSettings, terminal: Terminal): Promise<number> {
  const { stdout, stderr, out } = terminal;
  if (form === "text" && stderr.isTTY) stderr.write("Trying the walls; this takes a few seconds.\n");
  const { findings, found } = await look(asks, settings, terminal);
  const ok = findings.every(({ state }) => state !== "fail");
  if (form === "json") stdout.write(jsonLine({ ok, findings, ...found }));
  else stdout.write(`${findingLines(findings, out, lineWidth(stdout))}${found ? `\n${report(found, out, widthOf(stdout))}` : ""}`);
  return ok ? EXIT.ok : EXIT.failed;
}

interface Examined {
  readonly findings: readonly DoctorFinding[];
  /** Null where the configuration cannot be read. */
  readonly found: Diagnosis | null;
}

async function look(asks: DoctorWish["asks"], settings: GlobalSettings, terminal: Terminal): Promise<Examined> {
  const { env } = process;
  const cwd = process.cwd();
  const machine = [...(await findTelemetry(env, asks)), findNode(process.version), findTerminal(terminal, env), ...findGit(cwd)];
  try {
    const own = await whileOpen(openDesk(cwd, settings), async (desk) => [
      ...findSettings(desk),
      ...findKeys(desk, env),
      await findModelState(desk, { keys: createKeyReader({ home: desk.at.home, env }), env, asks }),
      findStore(desk),
      ...(await findSharedStore(desk, asks)),
    ]);
    const found = await examine(cwd, settings, asks).catch((error: Error) => error);
    if (!(found instanceof Error)) return { findings: [...own, ...findNetwork(found, env, asks), wallsFinding(found), ...machine], found };
    return { findings: [...own, failLine("walls", `not tried: ${found.message}`, ELSEWHERE), ...machine], found: null };
  } catch (error) {
    if (!(error instanceof ConfigError)) throw error;
    const untried = failLine("walls", "not tried", "They are tried when the configuration is right.");
    return { findings: [...wrongSettings(error), untried, ...machine], found: null };
  }
}

const ELSEWHERE = "Run zeph doctor in the folder of a project.";

/** `zeph doctor --clean`: what commands keep between sessions goes. */
export async function cleanCaches({ stdout }: Terminal): Promise<number> {
  const { root, count } = removeCaches();
  stdout.write(
    count === 0
      ? `${root} holds nothing.\n`
      : `Removed what commands kept for ${count} ${count === 1 ? "workspace" : "workspaces"} in ${root}.\n`,
  );
  return 0;
}

function report({ walls, canaries, network, files, models, places, advice }: Diagnosis, out: Terminal["out"], width: number): string {
  const mark = { true: out.green("stopped    "), false: out.red("NOT STOPPED"), unknown: out.yellow("unknown    ") };
  const lines = [
    `Walls around commands: ${wallsText(walls)}`,
    ...(walls.builder
      ? [`  ${BUILDERS[walls.builder]}${network === "shared" ? "; the commands of a session share one closed network" : ""}`]
      : []),
    ...(walls.reason ? [wrap(walls.reason, width, "  ")] : []),
    "",
    "What a command tries, and whether the walls stop it:",
    ...canaries.map(({ name, holds, detail }) => `  ${mark[`${holds}`]} ${name}${holds === true || detail === "" ? "" : `: ${detail}`}`),
    "",
    `File tools: paths are checked${files.pinned ? ", and folders are held open while a call uses them" : "; on this system another program could still swap a folder during a call"}.`,
    ...(models.length > 0 ? ["", "Models, and where their keys go:", ...models.map((one) => `  ${modelLine(one)}`)] : []),
    "",
    `Configuration ${places.config}`,
    `Store         ${places.store}`,
    `Audit log     ${places.audit}`,
    ...(advice.length > 0 ? ["", "What to do:", ...advice.map((text) => wrap(text, width, "  "))] : []),
  ];
  return `${lines.join("\n")}\n`;
}

const BUILDERS = {
  own: "built by Zeph's own program, from open folders",
  system: "bwrap is the system's own",
  shipped: "bwrap is the one that Zeph brings along",
};

function modelLine({ provider, address, from, key, proxy, answers, detail }: Diagnosis["models"][number]): string {
  if (address === "") return `${provider}: ${detail}`;
  const whose = from === "default" ? "" : ` (${from})`;
  const way = proxy === null ? "" : `, through the proxy ${proxy}`;
  const secret = key === null ? "no key" : `${key.found ? "the key" : "no key found"} in ${key.name}`;
  return `${provider}: ${secret}, ${address}${whose}${way}: ${answers === false ? "NOT REACHED, " : ""}${detail}`;
}
