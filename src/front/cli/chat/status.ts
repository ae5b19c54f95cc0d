import { version } from "../../../files/version.ts";
import { openDesk } from "../../../runtime/create.ts";
import { briefGates } from "../../../runtime/rules/gate-views.ts";
import { visible } from "../../../text/visible.ts";
import { whileOpen } from "../../../text/while-open.ts";
import { beside } from "../../../text/width/columns.ts";
import { plural } from "../../../text/words.ts";
import { EXIT } from "../exit.ts";
import { UsageError } from "../io.ts";
import { jsonLine } from "../run/print.ts";
import { lineWidth, type Terminal } from "../terminal/terminal.ts";
import type { SlashContext } from "./slash.ts";

/** `/status [--json]`: what is so, of every part that has something to say. */
export async function status(bench: SlashContext, rest = ""): Promise<number> {
  const { zeph, settings, terminal } = bench;
  if (rest !== "" && rest !== "--json") throw new UsageError("/status takes nothing but --json.");
  return whileOpen(openDesk(process.cwd(), settings), async (desk) => {
    const { userFile, project } = desk.loaded;
    const calls = bench.calls();
    const gates = zeph.governance.gates();
    const known = { workspace: process.cwd(), tools: zeph.tools().length, autonomy: zeph.governance.autonomy() };
    const state = await bench.state(desk);
    const parts = lowerCase(await bench.parts());
    const places = { config: userFile, store: desk.at.store, audit: desk.at.audit };
    if (rest === "--json") {
      const session = { session: zeph.session.id, calls };
      const trusted = project && { file: project.file, trusted: project.trusted };
      terminal.stdout.write(jsonLine({ zeph: version(), ...state, ...known, ...session, ...parts, ...places, project: trusted, gates }));
      return EXIT.ok;
    }
    const rows: Record<string, string> = {
      zeph: version(),
      ...state,
      workspace: known.workspace,
      session: `${zeph.session.id}, ${plural(calls, "call")}`,
      tools: String(known.tools),
      autonomy: known.autonomy,
      gates: briefGates(gates),
      ...parts,
      config: userFile,
      project: project === null ? "none" : `${project.file} (${project.trusted ? "trusted" : "not trusted: it may only tighten"})`,
      store: places.store,
      audit: places.audit,
    };
    terminal.stdout.write(rowsText(rows, terminal));
    return EXIT.ok;
  });
}

const lowerCase = (rows: Readonly<Record<string, string>>): Record<string, string> =>
  Object.fromEntries(Object.entries(rows).map(([name, text]) => [name.toLowerCase(), text]));

const LEAST = 13;
const WIDEST = 20;

/** A name and a text in each line; long texts go on below themselves. */
export function rowsText(rows: Readonly<Record<string, string>>, { stdout, out }: Pick<Terminal, "stdout" | "out">): string {
  const names = Object.keys(rows).map((name) => visible(name));
  const columns = Math.min(WIDEST, Math.max(LEAST, ...names.map((name) => name.length + 2)));
  // In a pipe each is one line, for whoever reads them there.
  const width = lineWidth(stdout);
  return Object.values(rows)
    .map((text, n) => `${beside(out.cyan(names[n]!), visible(text), columns, width)}\n`)
    .join("");
}
