import type { Conversation } from "../../core/ports/store.ts";
import type { Desk } from "../../runtime/create.ts";
import { didYouMean } from "../../text/nearest.ts";
import { visible } from "../../text/visible.ts";
import { cutTo } from "../../text/width/columns.ts";
import { withStores } from "./command.ts";
import { EXIT } from "./exit.ts";
import { UsageError } from "./io.ts";
import { wholeNumber } from "./number-option.ts";
import type { Invocation } from "./program/invocation.ts";
import { jsonLine, localTime } from "./run/print.ts";
import type { Terminal } from "./terminal/terminal.ts";

const USUAL = 20;
const MOST = 10_000;

/** `zeph sessions`: what was talked about here. */
export async function sessions({ words: [word, ...more], flags, settings, terminal }: Invocation): Promise<number> {
  if (word !== undefined && word !== "delete")
    throw new UsageError(`"${word}" is not a command of sessions.${didYouMean(word, ["delete"]) || " There is delete <id>."}`);
  if (word === "delete" && more.length !== 1) throw new UsageError("Say which one: zeph sessions delete <id>. `zeph sessions` lists them.");
  const limit = wholeNumber("--limit", flags.limit ?? USUAL, { least: 1, most: MOST });
  return withStores(settings, terminal, (desk) =>
    word === "delete" ? remove(more[0]!, desk, terminal) : list(flags, limit, desk, terminal),
  );
}

async function list(flags: Invocation["flags"], limit: number, { conversations }: Desk, terminal: Terminal): Promise<number> {
  const found = await conversations.list({ limit, ...(!flags.all && { workspace: process.cwd() }) });
  terminal.stdout.write(flags.json ? jsonLine(found.map(sessionJson)) : listText(found, flags.all ? "every" : "this", terminal));
  return EXIT.ok;
}

async function remove(wanted: string, { conversations }: Desk, { stdout }: Terminal): Promise<number> {
  const id = await wholeId(wanted, conversations);
  if (!(await conversations.delete(id))) throw new UsageError(`There is no conversation ${id}. \`zeph sessions --all\` lists them.`);
  stdout.write(`Deleted: ${visible(id)}\n`);
  return EXIT.ok;
}

/** The beginning of an id is enough, when only one conversation has it. */
async function wholeId(wanted: string, conversations: Desk["conversations"]): Promise<string> {
  if (!BEGINNING.test(wanted)) return wanted;
  const [one, another] = (await conversations.list({ limit: MOST })).filter(({ id }) => id.startsWith(wanted.toLowerCase()));
  if (another) throw new UsageError(`Several conversations begin with ${wanted}. Give more of the id; \`zeph sessions --all\` lists them.`);
  return one?.id ?? wanted;
}

const BEGINNING = /^[0-9a-f-]{6,35}$/i;

function listText(found: readonly Conversation[], folder: "every" | "this", { stdout, out }: Terminal): string {
  if (found.length === 0)
    return folder === "this" ? "There is no conversation in this folder. --all lists those of others.\n" : "There are no conversations.\n";
  const longest = Math.max(...found.map(({ length }) => String(length).length));
  // In a pipe nothing is cut: the next program may need it whole.
  const room = stdout.isTTY ? Math.max(20, stdout.columns - 36 - 16 - longest - 6) : Number.POSITIVE_INFINITY;
  return found
    .map(({ id, updatedAt, length, title, workspace }) => {
      const about = cutTo(visible(title).replace(/\s+/g, " "), room);
      const where = folder === "every" ? `\n  ${out.dim(visible(workspace))}` : "";
      return `${id}  ${out.dim(localTime(updatedAt))}  ${String(length).padStart(longest)}  ${about}${where}\n`;
    })
    .join("");
}

const sessionJson = ({ id, workspace, title, createdAt, updatedAt, length }: Conversation) => ({
  id,
  workspace,
  title,
  created_at: new Date(createdAt).toISOString(),
  updated_at: new Date(updatedAt).toISOString(),
  messages: length,
});
