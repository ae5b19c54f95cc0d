import type { PolicyVersion } from "../../../runtime/fleet/govern.ts";
import { visible } from "../../../text/visible.ts";
import { plural } from "../../../text/words.ts";
import { actionFor } from "../command.ts";
import { EXIT } from "../exit.ts";
import { UsageError } from "../io.ts";
import type { Invocation } from "../program/invocation.ts";
import { jsonLine, localTime, warn } from "../run/print.ts";
import { withFleetGovernor } from "./govern-command.ts";

const ACTIONS: Readonly<Record<string, (given: Invocation) => Promise<number>>> = { push, history, rollback, show, proposals };

/** `zeph fleet policy`: the rules of all runtimes of a tenant. */
export async function fleetPolicy({ words: [word = "history", ...rest], ...given }: Invocation): Promise<number> {
  return actionFor("fleet policy", word, ACTIONS)({ ...given, words: rest });
}

/** Refused, with everything that is wrong, before anybody hears of it. */
async function push(given: Invocation): Promise<number> {
  const [folder, ...more] = given.words;
  if (folder === undefined || more.length > 0) throw new UsageError("Name the folder: zeph fleet policy push <folder>");
  return withFleetGovernor(given, "zeph fleet policy push", async (governor) => {
    const { version, examples, warnings } = await governor.pushPolicy(folder);
    const { stdout } = given.terminal;
    for (const warning of warnings) warn(given.terminal, warning);
    stdout.write(
      given.flags.json ? jsonLine({ version, examples, warnings }) : `Policy ${version} is pushed; ${plural(examples, "example")} ok.\n`,
    );
    return EXIT.ok;
  });
}

async function history(given: Invocation): Promise<number> {
  const { flags, terminal } = given;
  if (given.words.length > 0) throw new UsageError("`zeph fleet policy history` takes no words.");
  return withFleetGovernor(given, null, async (governor) => {
    const versions = await governor.policyHistory();
    if (flags.json) terminal.stdout.write(jsonLine(versions));
    else terminal.stdout.write(versions.length === 0 ? "No policy was pushed yet.\n" : versions.map(versionText).join(""));
    return EXIT.ok;
  });
}

const versionText = ({ version, at, by, hash, again }: PolicyVersion): string =>
  `${String(version).padStart(5)}  ${localTime(at)}  ${visible(by)}  ${hash.slice(0, 12)}${again === null ? "" : `  as policy ${again}`}\n`;

async function rollback(given: Invocation): Promise<number> {
  const wanted = versionIn(given, "zeph fleet policy rollback <version>");
  return withFleetGovernor(given, "zeph fleet policy rollback", async (governor) => {
    const version = await governor.rollbackPolicy(wanted);
    if (version === null) throw new UsageError(`There is no policy ${wanted}. \`zeph fleet policy history\` lists them.`);
    const text = `Policy ${version} is pushed: it says what policy ${wanted} said.\n`;
    given.terminal.stdout.write(given.flags.json ? jsonLine({ version, again: wanted }) : text);
    return EXIT.ok;
  });
}

/** The files of a version, the newest without a number. */
async function show(given: Invocation): Promise<number> {
  const wanted = given.words.length === 0 ? undefined : versionIn(given, "zeph fleet policy show [<version>]");
  return withFleetGovernor(given, null, async (governor) => {
    const found = await governor.policy(wanted);
    if (!found) throw new UsageError("There is no such policy. `zeph fleet policy history` lists them.");
    const { stdout, out } = given.terminal;
    if (given.flags.json) stdout.write(jsonLine(found));
    else
      for (const [name, text] of Object.entries(found.files))
        stdout.write(`${out.bold(visible(`# ${name}`))}\n${visible(text.trimEnd())}\n`);
    return EXIT.ok;
  });
}

/** What people answered with "always": whoever writes the policy decides. */
async function proposals(given: Invocation): Promise<number> {
  const { flags, terminal } = given;
  return withFleetGovernor(given, null, async (governor) => {
    const found = await governor.proposals();
    const lines = found.map(
      ({ id, answeredBy, askedBy, question: { tool, always_rule } }) =>
        `${id.slice(0, 8)}  ${visible(`${always_rule ?? `allow ${tool}`}; asked by ${askedBy}, proposed by ${answeredBy}`)}\n`,
    );
    terminal.stdout.write(flags.json ? jsonLine(found) : lines.join("") || "Nobody answered a question with always.\n");
    return EXIT.ok;
  });
}

function versionIn({ words: [word = "", ...more] }: Invocation, usage: string): number {
  if (!/^[1-9]\d{0,8}$/.test(word) || more.length > 0) throw new UsageError(`Name a version by its number: ${usage}`);
  return Number(word);
}
