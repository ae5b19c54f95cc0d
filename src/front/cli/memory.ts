import type { Memory, Recalled } from "../../core/ports/store.ts";
import { readAnswerFlags } from "../../question/flags.ts";
import type { Desk } from "../../runtime/create.ts";
import { visible } from "../../text/visible.ts";
import { cutTo } from "../../text/width/columns.ts";
import { plural } from "../../text/words.ts";
import { actionFor, withStores } from "./command.ts";
import { EXIT } from "./exit.ts";
import { UsageError } from "./io.ts";
import { wholeNumber } from "./number-option.ts";
import type { Invocation } from "./program/invocation.ts";
import { jsonLine, localTime, warn } from "./run/print.ts";
import { readText } from "./stdin.ts";
import type { Terminal } from "./terminal/terminal.ts";

const USUAL = 20;
const MOST = 10_000;
/** A beginning of an id is looked for among so many. */
const KNOWN = 100_000;

/** `zeph memory`: what is remembered, for the person whose memory it is. */
export async function memory(given: Invocation): Promise<number> {
  const { words, flags, settings, terminal } = given;
  const [action = "list", ...rest] = words;
  const run = actionFor<((wish: Wish) => Promise<number>) | null>("memory", action, { ...ACTIONS, save: null });
  const limit = wholeNumber("--limit", flags.limit ?? USUAL, { least: 1, most: MOST });
  if (!run) return save(rest, given);
  return withStores(settings, terminal, ({ memories }) => run({ words: rest, flags, limit, memories, terminal }));
}

interface Wish extends Pick<Invocation, "words" | "flags" | "terminal">, Pick<Desk, "memories"> {
  readonly limit: number;
}

const ACTIONS: Readonly<Record<string, (wish: Wish) => Promise<number>>> = { list, search, show, forget };

async function list({ words, flags, limit, memories, terminal }: Wish): Promise<number> {
  if (words.length > 0) throw new UsageError("`zeph memory list` takes no words. To find some: zeph memory search <words>.");
  const found = await memories.list({ limit, ...(!flags.all && { workspace: process.cwd() }) });
  const none = flags.all ? "Nothing is remembered.\n" : "Nothing is remembered for this folder. --all lists what is for others.\n";
  const lines = found.map(
    (one) => line(one, terminal) + (flags.all && one.workspace ? `  ${terminal.out.dim(visible(one.workspace))}\n` : ""),
  );
  terminal.stdout.write(flags.json ? jsonLine(found.map(memoryJson)) : lines.join("") || none);
  return EXIT.ok;
}

async function search({ words, flags, limit, memories, terminal }: Wish): Promise<number> {
  const text = words.join(" ").trim();
  if (text === "") throw new UsageError("Say what to look for: zeph memory search <words>.");
  const { hits, damaged } = await memories.search({ text, workspace: process.cwd(), limit });
  terminal.stdout.write(
    flags.json
      ? jsonLine({ hits: hits.map(hitJson), damaged })
      : hits.map((hit) => hitLine(hit, terminal)).join("") || "Nothing was found.\n",
  );
  if (damaged > 0) warn(terminal, `${plural(damaged, "damaged entry was", "damaged entries were")} left out.`);
  return EXIT.ok;
}

async function show({ words, flags, memories, terminal }: Wish): Promise<number> {
  const found = await one(words, memories, "show");
  const { id, workspace, createdAt, untrusted, content } = found;
  const where = workspace === null ? "every folder" : visible(workspace);
  const doubt = untrusted ? ", after a stranger's text had been read" : "";
  terminal.stdout.write(
    flags.json ? jsonLine(memoryJson(found)) : `${id}\nsaved ${localTime(createdAt)} for ${where}${doubt}\n\n${visible(content)}\n`,
  );
  return EXIT.ok;
}

async function forget({ words, flags, memories, terminal }: Wish): Promise<number> {
  const many = flags.all ? "all" : flags.workspace ? { workspace: process.cwd() } : null;
  if (many && (words.length > 0 || (flags.all && flags.workspace)))
    throw new UsageError("Say one of them: an id, --workspace for all of this folder, or --all.");
  const single = many ? null : await one(words, memories, "forget");
  const count = many === "all" ? await memories.count() : many ? await memories.count(many.workspace) : 1;
  const what = single
    ? line(single, terminal)
    : `${plural(count, "memory", "memories")} ${many === "all" ? "in all" : `of ${visible(process.cwd())}`}\n`;
  const isMeant = flags.yes || count === 0 || (await agreed(what, single ? "one" : "many", terminal));
  const gone = isMeant ? await memories.forget(single ? { id: single.id } : many!) : 0;
  terminal.stdout.write(
    flags.json
      ? jsonLine({ forgotten: gone })
      : isMeant
        ? `Forgotten: ${plural(gone, "memory", "memories")}.\n`
        : "Nothing was forgotten.\n",
  );
  return EXIT.ok;
}

/** Through the door like any other call, so that it is recorded and no secret is kept. */
async function save(words: readonly string[], { flags, settings, terminal }: Invocation): Promise<number> {
  const content = words.length === 1 && words[0] === "-" ? await readText(terminal.stdin) : words.join(" ");
  if (content.trim() === "") throw new UsageError("Say what to remember: zeph memory save <text>, or - to read it from stdin.");
  const { call } = await import("./run/call.ts");
  const args = JSON.stringify({ content, ...(flags.everywhere === true && { everywhere: true }) });
  return call("memory_save", args, { form: flags.json ? "json" : "text", answers: readAnswerFlags({}) }, settings, terminal);
}

/** By its id, or by the beginning of it. */
async function one(words: readonly string[], memories: Desk["memories"], action: "show" | "forget"): Promise<Memory> {
  const id = words[0]?.toLowerCase() ?? "";
  if (words.length !== 1) throw new UsageError(`Say which one: zeph memory ${action} <id>. \`zeph memory\` lists them.`);
  const exact = await memories.get(id);
  if (exact) return exact;
  if (id.length < 6) throw new UsageError(`There is no memory ${words[0]}. Of an id give at least six characters.`);
  const found = (await memories.list({ limit: KNOWN })).filter((memory) => memory.id.startsWith(id));
  if (found.length === 0) throw new UsageError(`There is no memory ${words[0]}. \`zeph memory list --all\` lists them.`);
  if (found.length > 1) throw new UsageError(`${found.length} memories begin with ${words[0]}. Give more of the id.`);
  return found[0]!;
}

/** Asks the person. Without one, a single memory is forgotten as it was said, and many are not. */
async function agreed(what: string, how: "one" | "many", terminal: Terminal): Promise<boolean> {
  const { attended, stderr } = terminal;
  if (!attended && how === "one") return true;
  if (!attended) throw new UsageError("There is nobody to ask. Add --yes to forget them.");
  stderr.write(what);
  const { agreeAtTerminal } = await import("./ask/person.ts");
  return agreeAtTerminal(`Forget ${how === "one" ? "it" : "them"}?`, terminal);
}

function line({ id, workspace, content, untrusted, createdAt }: Memory, terminal: Terminal): string {
  const marks = `${workspace === null ? "everywhere: " : ""}${untrusted ? "untrusted: " : ""}`;
  return row(id.slice(0, 8), createdAt, `${marks}${content}`, terminal);
}

function hitLine(hit: Recalled, terminal: Terminal): string {
  if (hit.kind === "memory") return line(hit.memory, terminal);
  return row(hit.conversation.slice(0, 8), hit.createdAt, `${hit.role} in "${hit.title}": ${hit.excerpt}`, terminal);
}

function row(id: string, at: number, text: string, { stdout, out }: Terminal): string {
  // In a pipe nothing is cut: the next program may need it whole.
  const room = stdout.isTTY ? Math.max(20, stdout.columns - 8 - 16 - 4) : Number.POSITIVE_INFINITY;
  return `${id}  ${out.dim(localTime(at))}  ${cutTo(visible(text).replace(/\s+/g, " "), room)}\n`;
}

const memoryJson = ({ id, workspace, content, untrusted, createdAt }: Memory) => ({
  id,
  workspace,
  content,
  untrusted,
  created_at: new Date(createdAt).toISOString(),
});
function hitJson(hit: Recalled): object {
  if (hit.kind === "memory") return { kind: "memory", ...memoryJson(hit.memory), score: hit.score };
  const { createdAt, ...rest } = hit;
  return { ...rest, created_at: new Date(createdAt).toISOString() };
}
