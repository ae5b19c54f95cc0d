import { colouredDiff } from "../../../question/text.ts";
import { driftText } from "../../../runtime/features/mcp-words.ts";
import { didYouMean } from "../../../text/nearest.ts";
import { visible } from "../../../text/visible.ts";
import { EXIT } from "../exit.ts";
import { UsageError } from "../io.ts";
import { jsonLine, printError } from "../run/print.ts";
import type { Terminal } from "../terminal/terminal.ts";
import type { McpRequest } from "./mcp.ts";
import { assertPersonAgrees, type OpenServers, readMcpArgs, withServers } from "./open.ts";
import { isConnected, sayAway } from "./text.ts";

const USAGE =
  "Usage: zeph mcp diff [server] [--json]\n       zeph mcp diff <server> --accept [tool@hash…] [--json]\n       zeph mcp diff <server> --accept [tool…] [--yes] [--json]";
const MOST_WORDS = 1000;

type Drift = ReturnType<OpenServers["mcp"]["drift"]>[number];
interface Form {
  readonly json: boolean;
  readonly yes: boolean;
}

/** `zeph mcp diff`: how definitions differ from those that were agreed to; with --accept they are agreed to. Exit 0, or 5 when something differs or cannot be reached. */
export async function diffServers(wish: McpRequest): Promise<number> {
  const flags = { json: { type: "boolean" }, accept: { type: "boolean" }, yes: { type: "boolean" } } as const;
  const { values, positionals } = readMcpArgs(wish, USAGE, MOST_WORDS, flags);
  const [server, ...tools] = positionals;
  if (tools.length > 0 && !values.accept) throw new UsageError(`"${tools[0]}" is one word too many.\n${USAGE}`);
  if (values.accept && server === undefined) throw new UsageError(`Say which server's definitions you agree to.\n${USAGE}`);
  if (values.accept) await assertPersonAgrees(wish, "zeph mcp diff --accept");
  const form = { json: values.json ?? false, yes: values.yes ?? false };
  return withServers(wish, server ?? null, (open) => (values.accept ? accept(open, tools, form, wish) : show(open, form, wish)));
}

async function show({ mcp }: OpenServers, { json }: Form, { terminal }: McpRequest): Promise<number> {
  const { stdout } = terminal;
  const drift = mcp.drift();
  const away = mcp.states().filter((state) => !isConnected(state));
  if (json) stdout.write(jsonLine({ drift, unreachable: away.map(({ name, state, why }) => ({ name, state, why })) }));
  else {
    await showDrift(drift, terminal);
    if (drift.length === 0 && away.length === 0) stdout.write(`${SAME}\n`);
    for (const one of drift) stdout.write(`To agree to this: zeph mcp diff ${one.server} --accept ${shellWord(seen(one))}\n`);
    for (const state of away) sayAway(state, terminal);
  }
  return drift.length + away.length > 0 ? EXIT.failed : EXIT.ok;
}

const SAME = "Nothing has changed since you agreed.";

async function showDrift(drift: readonly Drift[], { stdout, out }: Terminal): Promise<void> {
  for (const one of drift) stdout.write(`${colouredDiff(await driftText(one), out)}\n`);
}

/** A definition as it was shown, and no other: the server may say something else by the next time it is asked. */
const seen = ({ tool, hash }: Drift): string => `${tool}@${hash}`;

/** The names are the server's. */
const shellWord = (word: string): string => {
  const plain = visible(word);
  return /^[\w@.:/-]+$/.test(plain) ? plain : `'${plain.replaceAll("'", "'\\''")}'`;
};

async function accept({ mcp, servers }: OpenServers, words: readonly string[], form: Form, { terminal }: McpRequest): Promise<number> {
  const [server] = servers;
  const [state] = mcp.states();
  if (!server || !state || !isConnected(state)) {
    const unreachable = state ? [{ name: state.name, state: state.state, why: state.why }] : [];
    if (form.json) terminal.stdout.write(jsonLine({ accepted: [], unreachable }));
    else if (state) sayAway(state, terminal);
    return EXIT.failed;
  }
  const drift = mcp.drift(server.name);
  refuseStrange(words, drift);
  const wanted = words.length === 0 ? drift.map(seen) : words.map((word) => exactly(word, drift));
  const isSeen = words.length > 0 && words.every((word) => wanted.includes(word));
  if (!isSeen && wanted.length > 0) {
    if (!form.json)
      await showDrift(
        drift.filter((one) => wanted.includes(seen(one))),
        terminal,
      );
    if (!form.yes && !(await agreed(server.name, form, terminal))) return EXIT.failed;
  }
  let accepted: readonly string[];
  try {
    accepted = await mcp.accept(server.name, wanted);
  } catch (error) {
    printError(terminal, (error as Error).message);
    return EXIT.failed;
  }
  const text = accepted.length === 0 ? SAME : `Agreed to, as it is now: ${accepted.join(", ")}.`;
  terminal.stdout.write(form.json ? jsonLine({ accepted }) : `${visible(text)}\n`);
  return EXIT.ok;
}

/** A name alone means what is shown now. */
function exactly(word: string, drift: readonly Drift[]): string {
  if (drift.some((one) => seen(one) === word)) return word;
  const named = drift.find(({ tool }) => tool === word);
  return named ? seen(named) : word;
}

function refuseStrange(words: readonly string[], drift: readonly Drift[]): void {
  const open = drift.map(({ tool }) => tool);
  const strange = words.find((word) => !open.some((tool) => word === tool || word.startsWith(`${tool}@`)));
  if (strange === undefined) return;
  const others = didYouMean(strange, open) || (open.length > 0 ? ` Changed: ${open.join(", ")}.` : "");
  throw new UsageError(visible(`Nothing has changed about "${strange}".${others}`));
}

/** Asks the person, who has been shown the difference. Where nobody can be asked, the words have to name what was seen. */
async function agreed(server: string, { json }: Form, terminal: Terminal): Promise<boolean> {
  if (!terminal.attended || json)
    throw new UsageError(
      `There is nobody to ask. Name what you saw as \`zeph mcp diff ${server}\` shows it (tool@hash), or say --yes to agree to whatever it is now.`,
    );
  const { agreeAtTerminal } = await import("../ask/person.ts");
  return agreeAtTerminal("Agree to what is shown?", terminal);
}
