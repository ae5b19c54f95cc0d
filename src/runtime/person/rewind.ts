import { stored } from "../../agent/transcript.ts";
import { CommandError, type SlashCommand } from "../../core/command.ts";
import { ConversationError } from "../../core/ports/conversation-error.ts";
import type { Message } from "../../core/ports/model.ts";
import type { Conversation, Store } from "../../core/ports/store.ts";
import { oneLine } from "../../text/visible.ts";
import { plural } from "../../text/words.ts";
import type { Agent } from "../agent/agent-types.ts";
import type { CurrentConversation } from "../agent/current-conversation.ts";
import type { RuntimeInternals } from "../runtime.ts";

/** A message of the person's that a conversation can go back to. */
export interface RewindPoint {
  /** For `rewind`. */
  readonly id: string;
  /** What the person said, in one line of at most 200 characters. */
  readonly text: string;
}

/** What came of going back. */
export interface Rewound {
  /** The conversation that goes on. */
  readonly conversation: string;
  /** The conversation as it was, with everything that came later. It stays stored. */
  readonly before: string;
  /** What the person had said there, whole, so that it can be said otherwise. */
  readonly text: string;
  /** How many messages of the one before are not in the other. */
  readonly messages: number;
}

const MOST_POINTS = 200;
const MOST_TEXT = 200;
const CHUNK = 500;
const MOST_KEPT_TEXTS = 200;

const isPersons = (message: Message): message is Extract<Message, { role: "user" }> =>
  message.role === "user" && message.from === undefined;

/** The last points of a conversation, oldest first. */
export async function rewindPoints({ conversations }: Store, id: string | null): Promise<readonly RewindPoint[]> {
  const points: RewindPoint[] = [];
  if (id === null) return points;
  for await (const { position, message } of stored(conversations, id, 0)) {
    if (isPersons(message)) points.push({ id: String(position), text: oneLine(message.text, MOST_TEXT) });
    if (points.length > MOST_POINTS) points.shift();
  }
  return points;
}

/** Goes on from before a message, in a conversation of its own: a copy of what came earlier. The one before keeps all it has. */
export async function rewindConversation(inside: RuntimeInternals, talk: CurrentConversation, to: string): Promise<Rewound> {
  const { store } = inside;
  const before = talk.id();
  const known = before === null ? null : await store.conversations.get(before);
  const position = /^[1-9]\d{0,14}$/.test(to) ? Number(to) : 0;
  const [at] = known && position > 0 ? await store.conversations.messages(known.id, { after: position - 1, limit: 1 }) : [];
  if (!known || at?.position !== position || !isPersons(at.message))
    throw new ConversationError(`The conversation has no message ${JSON.stringify(to)} to go back to.`);
  const { id } = await copyUntil(store, known, position - 1);
  const messages = known.length - position + 1;
  inside.note(`the person went back in the conversation ${known.id} to before message ${position}; it goes on as ${id}`);
  talk.moveTo(id);
  return { conversation: id, before: known.id, text: at.message.text, messages };
}

async function copyUntil(store: Store, known: Conversation, last: number): Promise<Conversation> {
  const { conversations, summaries } = store;
  const copy = await conversations.create(known.workspace, known.title);
  // What has come into it counts on, before anything of it can be read.
  await conversations.mark(copy.id, known.seen);
  let some: Message[] = [];
  for await (const { position, message } of stored(conversations, known.id, 0)) {
    if (position > last) break;
    some.push(message);
    if (some.length < CHUNK) continue;
    await conversations.append(copy.id, some);
    some = [];
  }
  if (some.length > 0) await conversations.append(copy.id, some);
  if (known.windowStart > 0 && known.windowStart <= last) {
    for (const { text, until, opening, method } of await summaries.of(known.id))
      if (until <= known.windowStart) await summaries.add({ conversation: copy.id, text, until, opening, method });
    const elidedUntil = Math.min(known.elidedUntil, last);
    await conversations.startWindow(copy.id, { start: known.windowStart, elidedUntil, counted: { tokens: 0, position: 0 } });
  }
  await copyKeptTexts(store, known.id, copy.id);
  return copy;
}

/** What was left out of results stays readable by its number. */
async function copyKeptTexts({ overflow }: Store, from: string, to: string): Promise<void> {
  const lastHandle = await overflow.lastHandle({ conversation: from });
  for (let handle = Math.max(1, lastHandle - MOST_KEPT_TEXTS + 1); handle <= lastHandle; handle++) {
    const kept = await overflow.get({ conversation: from }, `raw#${handle}`);
    if (kept) await overflow.put({ owner: { conversation: to }, text: kept.text, handle });
  }
}

export function createRewindCommand(agent: Pick<Agent, "rewind" | "rewindPoints">): SlashCommand {
  return {
    name: "/rewind",
    usage: "/rewind [n]",
    help: "list your messages, or go on from before message n",
    complete: async () => (await agent.rewindPoints()).map(({ id }) => id).reverse(),
    async run(rest) {
      const to = rest.trim();
      const points = await agent.rewindPoints();
      if (points.length === 0) throw new CommandError("There is no message to go back to.");
      if (to === "")
        return {
          text: `${points.map(({ id, text }) => `${id.padStart(4)}  ${text}`).join("\n")}\n/rewind n goes on from before message n.`,
        };
      if (!points.some(({ id }) => id === to)) throw new CommandError(`There is no message ${to}. /rewind lists them.`);
      const { text, before, messages } = await agent.rewind(to);
      return {
        text: `${plural(messages, "message")} taken back; they stay stored in the conversation ${before}. Files are as they were: /undo puts them back. You had said:\n${text}`,
      };
    },
  };
}
