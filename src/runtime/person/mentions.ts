import { randomUUID } from "node:crypto";
import { CommandError, type Quote } from "../../core/command.ts";
import type { ZephEvent } from "../../core/event.ts";
import { ToolRequest } from "../../core/request.ts";
import type { TurnContext } from "../../core/turn.ts";
import { READ_RESOURCE } from "../../mcp/client/offers/resource-words.ts";
import { toolName } from "../../mcp/client/tool-name.ts";
import { unlessAborted } from "../../text/abort.ts";
import { didYouMean } from "../../text/nearest.ts";
import type { RuntimeInternals } from "../runtime.ts";
import { type Mention, resourcesNamed, withoutEnd } from "./mention-words.ts";

const MOST_MENTIONS = 10;

/**
 * Reads the resources that a person names. Each is a call like any other: judged, asked about where the server is not trusted, and written down. What looks
 * like one and names no server, or nothing that the server lists, is sent as words, and that is told. Throws a CommandError.
 */
export async function readMentions(
  { zeph: { mcp }, call }: Pick<RuntimeInternals, "zeph" | "call">,
  turn: TurnContext,
  text: string | undefined,
  tell: (event: ZephEvent) => void | Promise<void>,
  signal: AbortSignal,
): Promise<readonly Quote[]> {
  if (text === undefined) return [];
  const servers = mcp.states().map(({ name }) => name);
  const { found, strange } = resourcesNamed(text, servers);
  const { offers } = mcp;
  // Nothing is known of one that was never met.
  for (const server of new Set(found.map((one) => one.server)))
    if (offers.resources(server).length === 0) await unlessAborted(mcp.connect(server), signal, () => {});
  const meant = found.map((mention) => ({ ...mention, address: addressOf(mention.uri, offers.resources(mention.server)) }));
  const wanted = meant.flatMap(({ server, uri, address }) => (address === null ? [] : [{ server, uri, address }]));
  if (wanted.length > MOST_MENTIONS) throw new CommandError(`A message names at most ${MOST_MENTIONS} resources. Nothing was sent.`);
  const quotes: Quote[] = [];
  for (const mention of wanted) quotes.push(await readOne(mention));
  const words = [
    ...meant.flatMap(({ server, uri, address }) =>
      address === null ? [{ server, uri, why: noSuch(server, uri, offers.resources(server)) }] : [],
    ),
    ...strange.map(({ server, uri }) => ({ server, uri, why: `there is no MCP server "${server}".${didYouMean(server, servers)}` })),
  ];
  for (const { server, uri, why } of words.slice(0, MOST_MENTIONS))
    await tell({ type: "warning", message: `@${server}:${uri} was sent as it is: ${why}` });
  return quotes;

  async function readOne({ server, uri: typed, address: uri }: Mention & { readonly address: string }): Promise<Quote> {
    const tool = toolName(server, READ_RESOURCE);
    const unread = (why: string) =>
      new CommandError(`@${server}:${typed} could not be read: ${why.replace(/(?<![.!?])$/, ".")} Nothing was sent.`);
    const id = randomUUID();
    const request = ToolRequest.from({ id, name: tool, args: { uri } })!;
    const outcome = await call(request, { turn, signal, requestId: id });
    if (!outcome.ok) throw unread(outcome.error.message);
    const { text: shown, media } = outcome.output;
    return { kind: "resource", server, name: uri, text: shown, ...(media && { media }) };
  }
}

interface Listed {
  readonly uri: string;
  readonly name: string;
  readonly kind: "resource" | "template";
}

/** An address, or the name of something listed; null where it is neither. */
function addressOf(typed: string, listed: readonly Listed[]): string | null {
  const ended = withoutEnd(typed);
  const known = listed.filter(({ kind }) => kind === "resource");
  for (const word of [typed, ended]) {
    const one = known.find(({ uri }) => uri === word) ?? known.find(({ name }) => name === word);
    if (one) return one.uri;
  }
  return /^[a-z][a-z0-9+.-]*:/i.test(ended) ? ended : null;
}

function noSuch(server: string, typed: string, listed: readonly Listed[]): string {
  const hint = didYouMean(
    typed,
    listed.map(({ uri }) => uri),
  );
  return `it is no address, and "${server}" lists nothing of that name.${hint} \`zeph mcp resources ${server}\` lists what there is.`;
}
