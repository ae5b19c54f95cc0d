import { FLEET_ROLES, type FleetRole, isFleetRole } from "../../../core/ports/fleet/person.ts";
import type { FleetToken } from "../../../runtime/fleet/govern.ts";
import { visible } from "../../../text/visible.ts";
import { actionFor } from "../command.ts";
import { EXIT } from "../exit.ts";
import { UsageError } from "../io.ts";
import type { Invocation } from "../program/invocation.ts";
import { jsonLine, localTime } from "../run/print.ts";
import { withFleetGovernor } from "./govern-command.ts";
import { readDeadline } from "./moment.ts";

const ACTIONS: Readonly<Record<string, (given: Invocation) => Promise<number>>> = { add, list, revoke };

/** `zeph fleet token`: who may speak to gateways, and as whom. */
export async function fleetToken({ words: [word = "list", ...rest], ...given }: Invocation): Promise<number> {
  return actionFor("fleet token", word, ACTIONS)({ ...given, words: rest });
}

async function add(given: Invocation): Promise<number> {
  const { words, flags, terminal } = given;
  const [person, ...more] = words;
  if (person === undefined || more.length > 0) throw new UsageError("Name one person: zeph fleet token add <person> [--role <role>]");
  const roles = rolesIn(flags.role);
  const until = typeof flags.until === "string" ? readDeadline("--until", flags.until) : undefined;
  return withFleetGovernor(given, "zeph fleet token add", async (governor) => {
    const { id, token } = await governor.addToken(person, roles, until).catch(asUsage);
    if (flags.json) terminal.stdout.write(jsonLine({ id, token, person, roles, until: until?.toISOString() ?? null }));
    else {
      terminal.stderr.write(visible(`Token ${id} of ${person} (${roles.join(", ")}). It is shown this once; nobody can read it again.\n`));
      terminal.stdout.write(`${token}\n`);
    }
    return EXIT.ok;
  });
}

/** One, or several with commas between them. */
function rolesIn(text: unknown): readonly FleetRole[] {
  const words = typeof text === "string" ? text.split(",").map((word) => word.trim()) : ["user"];
  return words.map((word) => {
    if (!isFleetRole(word)) throw new UsageError(`"${word}" is no role. There are ${FLEET_ROLES.join(", ")}.`);
    return word;
  });
}

async function list(given: Invocation): Promise<number> {
  const { flags, terminal, words } = given;
  if (words.length > 0) throw new UsageError("`zeph fleet token list` takes no words.");
  return withFleetGovernor(given, null, async (governor) => {
    const tokens = await governor.tokens();
    if (flags.json) terminal.stdout.write(jsonLine(tokens));
    else terminal.stdout.write(tokens.length === 0 ? "There is no token yet.\n" : tokens.map(tokenText).join(""));
    return EXIT.ok;
  });
}

function tokenText({ id, person, roles, madeBy, madeAt, until, revokedAt }: FleetToken): string {
  const end = revokedAt !== null ? `revoked ${localTime(revokedAt)}` : until !== null ? `until ${localTime(until)}` : "without an end";
  return visible(`${id}  ${person}  ${roles.join(",")}  ${end}  made by ${madeBy} ${localTime(madeAt)}\n`);
}

async function revoke(given: Invocation): Promise<number> {
  const [id, ...more] = given.words;
  if (id === undefined || more.length > 0) throw new UsageError("Name one token by its id: zeph fleet token revoke <id>");
  return withFleetGovernor(given, "zeph fleet token revoke", async (governor) => {
    if (!(await governor.revokeToken(id)))
      throw new UsageError(`There is no token ${id} that could be revoked. \`zeph fleet token list\` lists them.`);
    given.terminal.stdout.write(given.flags.json ? jsonLine({ id, revoked: true }) : `Token ${visible(id)} opens nothing any more.\n`);
    return EXIT.ok;
  });
}

function asUsage(error: unknown): never {
  throw error instanceof RangeError ? new UsageError(error.message) : error;
}
