import { isServerTool } from "../../core/facets.ts";
import type { Message } from "../../core/ports/model.ts";
import type { Conversations, Memories } from "../../core/ports/store.ts";
import { type MemoryMeaning, openMeaning } from "../../tools/memory-meaning.ts";
import { memorySave } from "../../tools/memory-save.ts";
import { memorySearch } from "../../tools/memory-search.ts";
import type { Part, Surroundings } from "../agent/feature.ts";

export interface MemoryPart extends Part {
  /** When no vector is being made any more. */
  idle(): Promise<void>;
  /** Vectors that are being made are left for another time. */
  close(): void;
}

/** What is remembered from one conversation to the next. */
export function memoryPart({
  store: { memories, conversations },
  workspace,
  embedder,
  redact,
}: Pick<Surroundings, "store" | "workspace" | "embedder" | "redact">): MemoryPart {
  const meaning = openMeaning(embedder, memories, { redact });
  return {
    tools: [
      memorySearch({ search: memories.search, workspace, meaning, isDoubtful: doubt(conversations) }),
      memorySave({ save: memories.save, workspace, redact, meaning }),
    ],
    status: async () => ({ memory: `${await counted(memories, workspace)}${vectors(meaning.state())}` }),
    idle: meaning.idle,
    close: meaning.close,
  };
}

const COUNTED = 1_000;

async function counted(memories: Memories, workspace: string): Promise<string> {
  // No folder has an empty name, so this lists what is for everywhere and nothing else.
  const everywhere = (await memories.list({ workspace: "", limit: COUNTED })).length;
  return `${await memories.count(workspace)} saved here, ${everywhere}${everywhere === COUNTED ? " or more" : ""} everywhere`;
}

function vectors(state: ReturnType<MemoryMeaning["state"]>): string {
  if (state === "unused") return "";
  if (state === "none") return "; words only";
  return "id" in state ? `; vectors by ${state.id}` : `; words only for now: ${state.why}`;
}

const LOOKED_AT = 2_000;
const BATCH = 200;
/** Of our own tools, those that bring a stranger's text; only their names are in what was kept. */
const FETCHES = /^(?:fetch|web_scrape)$/;

/** Whether a page was read before a place in a conversation. What cannot be looked through is doubted. */
function doubt(conversations: Pick<Conversations, "get" | "messages">): (conversation: string, position: number) => Promise<boolean> {
  const known = new Map<string, { readonly until: number; readonly doubtful: boolean }>();
  const look = async (conversation: string, position: number) => {
    let { until, doubtful } = known.get(conversation) ?? { until: 0, doubtful: false };
    while (!doubtful && until < position) {
      const batch = await conversations.messages(conversation, { after: until, limit: BATCH });
      if (batch.length === 0) break;
      until = batch.at(-1)!.position;
      doubtful = batch.some(({ message }) => bringsStranger(message));
    }
    return { until, doubtful };
  };
  return async (conversation, position) => {
    if (position > LOOKED_AT) return true;
    // It may have seen a stranger's text in more ways than its messages tell.
    const seen = (await conversations.get(conversation).catch(() => null))?.seen;
    if (!seen || seen.untrusted || seen.skill) return true;
    const found = await look(conversation, position).catch(() => ({ until: position, doubtful: true }));
    if (known.size > LOOKED_AT) known.clear();
    known.set(conversation, found);
    return found.doubtful;
  };
}

const bringsStranger = (message: Message): boolean =>
  message.role === "assistant" &&
  message.parts.some((part) => part.type === "request" && (FETCHES.test(part.name) || isServerTool(part.name)));
