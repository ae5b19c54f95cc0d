import { once } from "node:events";
import type { CopyQuery, FleetVerification } from "../../../runtime/fleet/audit-copies.ts";
import { visible } from "../../../text/visible.ts";
import { plural } from "../../../text/words.ts";
import { actionFor } from "../command.ts";
import { EXIT } from "../exit.ts";
import { UsageError } from "../io.ts";
import type { Invocation } from "../program/invocation.ts";
import { jsonLine } from "../run/print.ts";
import type { Terminal } from "../terminal/terminal.ts";
import { readMoment } from "./moment.ts";

const ACTIONS: Readonly<Record<string, (given: Invocation) => Promise<number>>> = { verify, export: exportCopies, keygen };

/** `zeph fleet audit`: copies of the audit logs of all machines. */
export async function fleetAudit({ words: [word = "verify", ...rest], ...given }: Invocation): Promise<number> {
  const action = actionFor("fleet audit", word, ACTIONS);
  if (word !== "keygen" && rest.length > 0) throw new UsageError(`\`zeph fleet audit ${word}\` takes no words.`);
  return action({ ...given, words: rest });
}

/** Exit codes as of `zeph audit verify`: 0, 2 where there is no log, 5 where it is not what was written. */
async function verify(given: Invocation): Promise<number> {
  const { flags, terminal } = given;
  const query = await readQuery(given);
  const key = typeof flags.key === "string" ? flags.key : "";
  const roots = typeof flags.root === "string" ? [flags.root] : [];
  const found = await (await import("../../../runtime/fleet/audit-copies.ts")).verifyAuditCopies(query, { key, roots });
  if (found.chains === 0 && found.intact) {
    terminal.stderr.write(`There are no audit lines of ${query.tenant} yet. They come with the first call; audit.ship says when.\n`);
    return EXIT.usage;
  }
  terminal.stdout.write(flags.json ? jsonLine(found) : describe(found, terminal));
  return found.intact ? EXIT.ok : EXIT.failed;
}

async function exportCopies(given: Invocation): Promise<number> {
  const { stdout } = given.terminal;
  // In a file or a pipe every line is as it was written; a terminal would obey what it holds.
  const shown = stdout.isTTY ? visible : (lines: string) => lines;
  await (await import("../../../runtime/fleet/audit-copies.ts")).exportAuditCopies(await readQuery(given), async (lines) => {
    if (!stdout.write(shown(lines))) await once(stdout, "drain");
  });
  return EXIT.ok;
}

async function keygen({ words: [path, ...more], flags, terminal }: Invocation): Promise<number> {
  if (path === undefined || more.length > 0) throw new UsageError("Say where the key goes: zeph fleet audit keygen <file>.");
  const { id, publicPath } = (await import("../../../runtime/fleet/audit-copies.ts")).makeKeyFiles(path);
  if (flags.json) terminal.stdout.write(jsonLine({ id, private: path, public: publicPath }));
  else
    terminal.stdout.write(
      `${visible(path)}: the private key ${id}. Name it as fleet.checkpoint_key on the machines that sign, and keep it from those of the database.\n` +
        `${visible(publicPath)}: the public key, for \`zeph fleet audit verify --key\`.\n`,
    );
  return EXIT.ok;
}

async function readQuery(given: Invocation): Promise<CopyQuery> {
  const { store, tenant } = (await import("./with-fleet.ts")).settingsOfFleet(given);
  const since = typeof given.flags.since === "string" ? readMoment("--since", given.flags.since) : null;
  return { url: store, tenant, since };
}

function describe(found: FleetVerification, { out }: Terminal): string {
  const { tenant, intact, lines, chains, problems, found: all, remarks } = found;
  const read = `${plural(lines, "line")} of ${plural(chains, "file")}`;
  return [
    `${visible(tenant)}: ${intact ? out.green(`intact, ${read}`) : out.red(`not intact, ${read}`)}`,
    `  ${checkpointText(found)}`,
    ...problems.map(({ kind, reason }) => `  ${out.red(kind)}: ${visible(reason)}`),
    ...(all > problems.length ? [`  ${plural(all - problems.length, "problem")} more.`] : []),
    ...remarks.map((remark) => `  ${visible(remark)}`),
    "",
  ].join("\n");
}

function checkpointText({ checkpoints, last, signatures }: FleetVerification): string {
  if (last === null) return "No checkpoint was signed: a tail that is cut together with its head is not noticed. See fleet.checkpoint_key.";
  const signed = signatures === "checked" ? "signatures checked" : "signatures not checked: name the public key with --key";
  return `${plural(checkpoints, "checkpoint")}, ${signed}; the last is ${last.n} of ${visible(last.at)}, root ${last.root}`;
}
