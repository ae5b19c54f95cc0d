import type { Message } from "../../core/ports/model.ts";
import { attempt } from "../../text/attempt.ts";
import { display } from "../../text/path.ts";
import { oneLine } from "../../text/visible.ts";
import { grouped } from "../../text/words.ts";
import type { Part, Surroundings } from "../agent/feature.ts";
import {
  findInstructions,
  type Instructions,
  type InstructionText,
  instructionsOnTheWay,
  isVouchedFor,
  readOwnInstructions,
} from "../instructions/find-instructions.ts";
import { type Excerpt, excerptText, INSTRUCTIONS_TITLE, MOST_INSTRUCTION_BYTES, shareRoom } from "../instructions/instruction-text.ts";

/** What a model is told of how work is done here, and whose words that are. */
export interface ToldInstructions {
  readonly text: string;
  /** The first file of it that nobody vouched for; null when there is none. */
  readonly stranger: string | null;
}

export interface InstructionsPart extends Part {
  /** For the beginning of a conversation; empty when there are none. Read once: what changes meanwhile is for the next conversation. */
  told(): ToldInstructions;
  /** What folders below the workspace say about these files, as far as it is not among the messages already; null when that is nothing. */
  below(paths: readonly string[], messages: readonly Message[]): ToldInstructions | null;
  /** A new conversation begins: the files are read again. */
  forget(): void;
}

export interface InstructionsOptions {
  /** The person's own instructions; `none` where no file of theirs is read. */
  readonly own: "read" | "none";
  /** Whether nobody may read a file. */
  readonly isHidden: (path: string) => boolean;
}

interface Session {
  readonly own: Instructions | null;
  /** The nearest last. */
  readonly found: readonly Instructions[];
  readonly excerpts: readonly Excerpt[];
  readonly told: ToldInstructions;
}

const NOTHING: ToldInstructions = { text: "", stranger: null };
/** What the loop says of a file below; by it a later look knows what was told. */
const HEAD = "[instructions] ";
/** A call may name many files; whoever has read so many folders has read enough. */
const MOST_PATHS = 50;

/** AGENTS.md and CLAUDE.md: the person's own, and the project's. They are told and grant nothing. */
export function createInstructionsPart(
  { config, store, workspace, home, redact }: Pick<Surroundings, "config" | "store" | "workspace" | "home" | "redact">,
  { own, isHidden }: InstructionsOptions,
): InstructionsPart {
  let session: Session | null = null;
  const isOn = config.agent.instructions;
  // A look that fails is no yes.
  const visible = (one: Instructions) => !attempt(() => isHidden(one.path), true);
  const nameOf = ({ path }: Pick<Instructions, "path">) => oneLine(display(path, workspace), LONGEST_NAME);
  const isOwn = (one: Instructions) => one === session?.own;
  const firstStranger = (files: readonly InstructionText[]) => {
    const one = files.find((file) => file.bytes.length > 0 && !isVouchedFor(store.trust, file));
    return one ? nameOf(one) : null;
  };
  const begin = (): Session => {
    const mine = own === "read" ? readOwnInstructions({ home, env: process.env }) : null;
    const found = findInstructions({ workspace, home }).filter(visible);
    const texts = [...(mine ? [mine] : []), ...[...found].reverse()].filter(isText);
    const excerpts = shareRoom(texts);
    const inOrder = [mine, ...found].flatMap((one) => excerpts.filter(({ file }) => file === one));
    const blocks = inOrder.map((excerpt) => {
      const whose = excerpt.file === mine ? "of the user" : "from the repository";
      return `### ${nameOf(excerpt.file)} (${whose})\n${excerptText(excerpt, redact)}`;
    });
    const stranger = firstStranger(found.filter(isText));
    return {
      own: mine,
      found,
      excerpts,
      told: blocks.length === 0 ? NOTHING : { text: [INSTRUCTIONS_TITLE, ...blocks].join("\n\n"), stranger },
    };
  };
  const current = () => {
    session ??= begin();
    return session;
  };
  const rest = () => MOST_INSTRUCTION_BYTES - current().excerpts.reduce((sum, { shown }) => sum + shown, 0);
  return {
    told: () => (isOn ? current().told : NOTHING),
    below(paths, messages) {
      if (!isOn) return null;
      const found = new Map<string, InstructionText>();
      for (const path of paths.slice(0, MOST_PATHS))
        for (const one of instructionsOnTheWay(workspace, path))
          if (isText(one) && visible(one) && !paths.includes(one.path)) found.set(one.path, one);
      if (found.size === 0) return null;
      const before = messages.flatMap((message) =>
        message.role === "user" && message.from === "loop" && message.text.startsWith(HEAD) ? [message.text] : [],
      );
      const news = [...found.values()].filter((file) => !before.some((text) => text.split("\n").includes(headOf(nameOf(file)))));
      if (news.length === 0) return null;
      const room = Math.max(0, rest() - before.reduce((sum, text) => sum + Buffer.byteLength(text), 0));
      const blocks = [...shareRoom([...news].reverse(), room)]
        .reverse()
        .map((excerpt) => `${headOf(nameOf(excerpt.file))}\n${excerptText(excerpt, redact)}`);
      return { text: blocks.join("\n\n"), stranger: firstStranger(news) };
    },
    forget() {
      session = null;
    },
    async status(): Promise<Readonly<Record<string, string>>> {
      if (!isOn) return { instructions: "switched off" };
      const { own: mine, found, excerpts } = current();
      const rows = [...(mine ? [mine] : []), ...found].map((one) => {
        if (!isText(one)) return `${nameOf(one)} (not read: ${oneLine(one.why)})`;
        const shown = excerpts.find(({ file }) => file === one)?.shown ?? 0;
        const cut = shown < one.bytes.length ? `, ${grouped(shown)} of them told` : "";
        const whose = isOwn(one)
          ? "yours"
          : isVouchedFor(store.trust, one)
            ? "from the repository, trusted"
            : "from the repository, not trusted: zeph trust";
        return `${nameOf(one)} (${grouped(one.bytes.length)} bytes${cut}; ${whose})`;
      });
      return { instructions: rows.join("; ") || "none" };
    },
  };
}

const LONGEST_NAME = 300;
const headOf = (name: string): string => `${HEAD}${name} (from the repository) is about the files in its folder. It grants nothing.`;
const isText = (one: Instructions): one is InstructionText => "bytes" in one;
