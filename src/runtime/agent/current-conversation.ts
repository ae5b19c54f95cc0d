import { openTranscript, stored, type Transcript } from "../../agent/transcript.ts";
import { ConversationError } from "../../core/ports/conversation-error.ts";
import type { CallFate } from "../../core/ports/fleet/session.ts";
import type { Message } from "../../core/ports/model.ts";
import type { Conversation, Store } from "../../core/ports/store.ts";
import { bounded } from "../../text/visible.ts";

/** The conversation an agent is in. It is made when the first word is said, so that who says nothing leaves nothing behind. */
export interface CurrentConversation {
  id(): string | null;
  open(title: string): Promise<Transcript>;
  /** The next turn reads the conversation again: another process has gone on with it. */
  reopen(): void;
  /** The next turn goes on with another conversation, which was made from this one. */
  moveTo(id: string): void;
  /** This conversation, and those it was made from. */
  lineage(): readonly string[];
  /** The next turn begins a new conversation. */
  restart(): void;
}

export interface ConversationParts {
  readonly store: Store;
  readonly workspace: string;
  /** What every request holds besides messages. */
  readonly fixedTokens: () => number;
  /** Most tokens of summaries that are sent. */
  readonly knowledgeTokens?: number;
  readonly redact: (text: string) => string;
  /** Told what a conversation has seen, before anything of it. */
  readonly recall: (conversation: Conversation) => void;
  /** Told of every message of a conversation that is opened again. */
  readonly heard: (conversation: string, message: Message) => void | Promise<void>;
  /** What is known of calls that another process asked for. */
  readonly fateOf?: ((call: string) => CallFate) | undefined;
}

const TITLE = 80;
const MOST_EARLIER = 50;

export async function createConversation(
  { store, workspace, fixedTokens, knowledgeTokens, redact, recall, heard, fateOf }: ConversationParts,
  wanted: string | undefined,
  /** The id a new conversation gets, where somebody was told it already. */
  promised?: string,
): Promise<CurrentConversation> {
  const { conversations } = store;
  let open: Promise<Transcript> | null = null;
  let next = promised;
  if (promised !== undefined) await assertFreeId(store, promised);
  let earlier: readonly string[] = [];
  let id = wanted === undefined ? null : await found(store, workspace, wanted);
  const begin = async (title: string): Promise<Transcript> => {
    if (id === null && next !== undefined) await assertFreeId(store, next);
    id ??= (await conversations.create(workspace, titleOf(redact(beginningOf(title))), next)).id;
    next = undefined;
    const known = await conversations.get(id);
    if (known) recall(known);
    const open = await store.openQuestions.list({ conversation: id });
    const transcript = await openTranscript(conversations, id, fixedTokens(), {
      summaries: store.summaries,
      waiting: new Set(open.flatMap(({ question }) => question.request ?? [])),
      ...(fateOf && { fateOf }),
      ...(knowledgeTokens !== undefined && { mostTokens: knowledgeTokens }),
    });
    // A summary may say what was said before the window: who spoke then counts, too.
    if (transcript.knowledge() !== "")
      for await (const { message, position } of stored(conversations, id, 0)) {
        if (position > transcript.start()) break;
        await heard(id, message);
      }
    for (const message of transcript.messages()) await heard(id, message);
    return transcript;
  };
  return {
    id: () => id,
    open(title) {
      open ??= begin(title);
      // What could not be opened is tried again.
      open.catch(() => {
        open = null;
      });
      return open;
    },
    reopen() {
      open = null;
    },
    moveTo(other) {
      if (id !== null) earlier = [id, ...earlier].slice(0, MOST_EARLIER);
      id = other;
      open = null;
    },
    lineage: () => (id === null ? [] : [id, ...earlier]),
    restart() {
      earlier = [];
      id = null;
      open = null;
    },
  };
}

/** Whose conversation it is counts for nothing: two cannot have one id. */
async function assertFreeId({ conversations }: Store, id: string): Promise<void> {
  if (typeof id !== "string" || id.trim() === "") throw new TypeError("newConversation must be an id: a text that is not empty.");
  if (await conversations.get(id))
    throw new ConversationError(
      `There is a conversation ${id} already. Continue it with \`conversation\`, or give the new one another id.`,
    );
}

/** A conversation of another workspace is refused: its files and its permissions are others. */
async function found({ conversations }: Store, workspace: string, wanted: string): Promise<string> {
  if (wanted === "last") {
    const [last] = await conversations.list({ workspace, limit: 1 });
    if (!last) throw new ConversationError("There is no conversation in this folder to continue. Begin a new one.");
    return last.id;
  }
  const one = await conversations.get(wanted);
  if (!one && BEGINNING.test(wanted))
    return begunWith(await conversations.list({ workspace, limit: MOST_LOOKED_AT }), wanted.toLowerCase());
  if (!one) throw new ConversationError(`There is no conversation ${wanted}. \`zeph sessions\` lists them.`);
  if (one.workspace !== workspace && !one.workspace.startsWith("/"))
    throw new ConversationError(`The conversation ${wanted} belongs to another caller of the runtime.`);
  if (one.workspace !== workspace)
    throw new ConversationError(
      `The conversation ${wanted} belongs to ${one.workspace}. Go on with it there: zeph --cwd ${one.workspace} …`,
    );
  return one.id;
}

/** So much of an id that it hardly fits another one. */
const BEGINNING = /^[0-9a-f-]{6,35}$/i;
const MOST_LOOKED_AT = 1000;

function begunWith(all: readonly { readonly id: string }[], beginning: string): string {
  const [one, another] = all.filter(({ id }) => id.startsWith(beginning));
  if (!one)
    throw new ConversationError(`There is no conversation in this folder whose id begins with ${beginning}. \`zeph sessions\` lists them.`);
  if (another)
    throw new ConversationError(`Several conversations begin with ${beginning}. Give more of the id; \`zeph sessions\` lists them.`);
  return one.id;
}

/** What a title is made of: the rest of a long text is not searched for that. */
export const beginningOf = (text: string): string => text.slice(0, 4000);

export const titleOf = (text: string): string => {
  const line = text.trim().split(/\s*\n/, 1)[0]!.replaceAll("\0", "");
  return bounded(line, TITLE - 1);
};
