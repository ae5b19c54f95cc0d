import { wallsText } from "../../core/ports/walls.ts";
import { type Diagnosis, examine, removeCaches } from "../../runtime/create.ts";
import { wrap } from "../../text/columns.ts";
import { jsonLine } from "./run/print.ts";
import type { GlobalSettings } from "./runtime.ts";
import { type Terminal, widthOf } from "./terminal/terminal.ts";

/** `zeph doctor`: tries what the walls promise. Exit 0 when everything holds, 5 when something does not. */
export async function doctor(form: "json" | "text", settings: GlobalSettings, { stdout, stderr, out }: Terminal): Promise<number> {
  if (form === "text" && stderr.isTTY) stderr.write("Trying the walls; this takes a few seconds.\n");
  const found = await examine(process.cwd(), settings);
  const broken = found.canaries.filter(({ holds }) => holds !== true);
  if (form === "json") stdout.write(jsonLine({ ok: broken.length === 0, ...found }));
  else stdout.write(report(found, out, widthOf(stdout)));
  return broken.length === 0 ? 0 : 5;
}

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
    ...(walls.bwrap
      ? [`  ${BWRAP[walls.bwrap]}${network === "shared" ? "; the commands of a session share one closed network" : ""}`]
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

const BWRAP = { system: "bwrap is the system's own", shipped: "bwrap is the one that Zeph brings along" };

function modelLine({ provider, address, from, key, proxy, answers, detail }: Diagnosis["models"][number]): string {
  if (address === "") return `${provider}: ${detail}`;
  const whose = from === "default" ? "" : ` (${from})`;
  const way = proxy === null ? "" : `, through the proxy ${proxy}`;
  const secret = key === null ? "no key" : `${key.found ? "the key" : "no key found"} in ${key.name}`;
  return `${provider}: ${secret}, ${address}${whose}${way}: ${answers ? "" : "NOT REACHED, "}${detail}`;
}
