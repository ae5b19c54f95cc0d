import { openDesk } from "../../../runtime/create.ts";
import { visible } from "../../../text/visible.ts";
import { whileOpen } from "../../../text/while-open.ts";
import { beside } from "../../../text/width/columns.ts";
import { plural } from "../../../text/words.ts";
import { EXIT } from "../exit.ts";
import { UsageError } from "../io.ts";
import type { Invocation } from "../program/invocation.ts";
import { jsonLine } from "../run/print.ts";
import { withRuntime } from "../runtime.ts";
import { lineWidth, type Terminal } from "../terminal/terminal.ts";

/** How every gate is set, and how often each has refused according to the log: this process has not judged anything. */
export async function policyStatus({ words, flags, settings, terminal }: Invocation): Promise<number> {
  if (words.length > 0) throw new UsageError("`zeph policy status` takes no words.");
  const gates = await withRuntime(settings, {}, terminal, async ({ governance }) => ({
    gates: governance.gates(),
    files: governance.files(),
  }));
  return whileOpen(openDesk(process.cwd(), settings), async ({ audit, loaded, at }) => {
    const refused = (await audit.stats()).gates;
    const rows = gates.gates.map(({ gate, state }): Row => ({ gate, state, refused: refused[gate] ?? 0 }));
    const found = { config: loaded.userFile, files: gates.files, audit: at.audit, gates: rows };
    terminal.stdout.write(flags.json ? jsonLine(found) : statusText(found, terminal));
    return EXIT.ok;
  });
}

interface Row {
  readonly gate: string;
  readonly state: string;
  /** Calls in the log that this gate asked about or denied. */
  readonly refused: number;
}

interface Found {
  readonly config: string;
  readonly files: readonly string[];
  readonly audit: string;
  readonly gates: readonly Row[];
}

const COLUMNS = 15;

function statusText({ config, files, audit, gates }: Found, { stdout, out }: Terminal): string {
  const width = lineWidth(stdout);
  const lines = gates.map(({ gate, state, refused }) => {
    const text = `${state}${refused > 0 ? `; objected to ${plural(refused, "call")} in the log` : ""}`;
    return beside(/^off\b/.test(state) ? out.dim(gate) : out.cyan(gate), visible(text), COLUMNS, width);
  });
  const places = { configuration: config, ...(files.length > 0 && { "rules in": files.join("\n") }), log: audit };
  const where = Object.entries(places).map(([name, text]) => beside(name, visible(text), COLUMNS, width));
  return `${[...lines, "", ...where].join("\n")}\n`;
}
