import type { CopiedRows, SchemaChange } from "../../../runtime/fleet/shared-store.ts";
import { visible } from "../../../text/visible.ts";
import { grouped, groupedPlural } from "../../../text/words.ts";
import { actionFor } from "../command.ts";
import { findingLines } from "../doctor/finding.ts";
import { EXIT } from "../exit.ts";
import { UsageError } from "../io.ts";
import type { Invocation } from "../program/invocation.ts";
import { jsonLine } from "../run/print.ts";
import { createSpinner } from "../terminal/spinner.ts";
import { lineWidth } from "../terminal/terminal.ts";
import { readFleetPlace } from "./fleet-place.ts";

/** The database a command is about, and how it is shown. */
interface Place {
  readonly url: string;
  readonly shown: string;
  readonly tenant: string;
}

const ACTIONS: Readonly<Record<string, (given: Invocation, place: Place) => Promise<number>>> = { init, migrate, check, copy };

/** `zeph store`: makes, updates, checks and fills a database that machines share. */
export async function store({ words: [word, address, ...more], ...given }: Invocation): Promise<number> {
  if (word === undefined) throw new UsageError("Say what to do: zeph store init|migrate|check|copy <address>.");
  const action = actionFor("store", word, ACTIONS);
  if (more.length > 0) throw new UsageError(`\`zeph store ${word}\` takes one address.`);
  return action({ ...given, words: [] }, await readPlace(given, address));
}

/** The address that was typed, or the one that the variable or the configuration names. */
async function readPlace({ flags, settings }: Pick<Invocation, "flags" | "settings">, address: string | undefined): Promise<Place> {
  const [{ readFleetSettings }, { readStoreUrl }] = await Promise.all([
    import("../../../runtime/fleet/fleet-settings.ts"),
    import("../../../runtime/fleet/shared-store.ts"),
  ]);
  const typed = readFleetPlace({ flags });
  const { store: url, tenant } = readFleetSettings({ ...typed, store: address ?? typed.store }, settings);
  return { url, tenant, shown: readStoreUrl(url).shown };
}

async function init({ flags, terminal: { stdout } }: Invocation, { url, shown }: Place): Promise<number> {
  const { initStore, ROLES } = await import("../../../runtime/fleet/shared-store.ts");
  const change = await initStore(url);
  if (flags.json) stdout.write(jsonLine({ store: shown, ...change, roles: ROLES }));
  else {
    const roles = Object.entries(ROLES).map(([role, may]) => `  ${role.padEnd(13)} ${may}\n`);
    stdout.write(`${visible(shown)}: ${changeWords(change)}\n\nRoles, and what each may do:\n${roles.join("")}\n${NEXT}\n`);
  }
  return EXIT.ok;
}

const NEXT = `None of them can log in. Make a user for programs, and give it one of them:
  create role zeph_program login password '…' in role zeph_worker;
Then see that everything holds for that user: zeph store check <its address>`;

async function migrate({ flags, terminal: { stdout } }: Invocation, { url, shown }: Place): Promise<number> {
  const change = await (await import("../../../runtime/fleet/shared-store.ts")).migrateStore(url);
  stdout.write(flags.json ? jsonLine({ store: shown, ...change }) : `${visible(shown)}: ${changeWords(change)}\n`);
  return EXIT.ok;
}

function changeWords({ from, to }: SchemaChange): string {
  if (from === to) return `the tables are those of schema ${to} already; nothing was changed.`;
  return from === 0 ? `the tables of schema ${to} were made.` : `the tables were brought from schema ${from} to ${to}.`;
}

/** Exit 0, or 5 when something is wrong. */
async function check({ flags, terminal: { stdout, out } }: Invocation, { url, shown }: Place): Promise<number> {
  const found = await (await import("../../../runtime/fleet/shared-store.ts")).checkStore(url);
  stdout.write(flags.json ? jsonLine(found) : `${visible(shown)}\n${findingLines(found.findings, out, lineWidth(stdout))}`);
  return found.ok ? EXIT.ok : EXIT.failed;
}

async function copy({ flags, terminal }: Invocation, { url, shown, tenant }: Place): Promise<number> {
  if (typeof flags.from !== "string") throw new UsageError("Say which SQLite file is copied: zeph store copy <address> --from <file>.");
  const { from } = flags;
  const spinner = createSpinner(terminal);
  const { copyStore } = await import("../../../runtime/fleet/shared-store.ts");
  try {
    const onProgress = ({ table, done, total }: { table: string; done: number; total: number }) =>
      spinner.show(`copying ${table}: ${grouped(done)} of ${grouped(total)}`);
    const copied = await copyStore({ from, url, tenant, onProgress });
    spinner.hide();
    const text = () => `${visible(from)} → ${visible(shown)}, tenant ${tenant}\n${copied.map(rowsLine).join("")}${STAYS}\n`;
    terminal.stdout.write(flags.json ? jsonLine({ store: shown, tenant, from, tables: copied }) : text());
    return EXIT.ok;
  } finally {
    spinner.hide();
  }
}

const rowsLine = ({ table, copied, leftOut }: CopiedRows): string =>
  `  ${table.padEnd(16)} ${groupedPlural(copied, "row")}${leftOut === 0 ? "" : `; ${grouped(leftOut)} could not be read and ${leftOut === 1 ? "was" : "were"} left out`}\n`;

const STAYS = "Counted again after the copy. What you trust and the ends of audit logs stay in the file: they are about this machine.";
