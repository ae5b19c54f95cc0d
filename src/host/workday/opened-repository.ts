import type { ApprovedCall } from "../../core/door.ts";
import type { CallContext } from "../../core/tool.ts";
import { entryIdentity, statEntry } from "../../files/stat.ts";
import { findOuterRepository, type RepositorySources } from "./repository.ts";
import { isRefusedThere, needsAll } from "./repository-needs.ts";

/** A command that would change files of the repository around the workspace, outside of the workspace. */
export interface RepositoryWish {
  readonly command: string;
  readonly permit: ApprovedCall;
  readonly ctx: CallContext;
  /** Where it starts. */
  readonly cwd: string;
}

/** What a person is asked: whether commands may change all of it. */
export interface RepositoryQuestion extends RepositoryWish {
  readonly top: string;
  readonly workspace: string;
  /** It ran, and this file of the repository was closed to it. */
  readonly refused?: string;
}

/** `why`: nobody was asked, or nobody answered. */
export type RepositoryAnswer = "whole" | "here" | { readonly why: string };
export type AskRepository = (question: RepositoryQuestion) => Promise<RepositoryAnswer>;

/** Whether commands may change all of the repository around the workspace. Asked once a session, when one would have to. */
export interface WholeRepository {
  /** Asks where this command needs it and nobody has answered yet. Why it stays closed to this one; null where it does not need it, or has it. */
  decide(wish: RepositoryWish): Promise<string | null>;
  /** The top of it, where the answer was yes; null otherwise. */
  agreed(): string | null;
  /** The same after a command failed, by what it printed: what to say to whoever reads its result. */
  explain(wish: RepositoryWish, printed: string, closed: string | null): Promise<string | undefined>;
}

export interface WholeRepositoryParts {
  readonly workspace: string;
  /** "whole" and "here" are the person's own settings, and nobody is asked. */
  readonly mode: "ask" | "whole" | "here";
  /** The repository as it was when the session began. */
  readonly begun: RememberedTop;
  readonly ask: AskRepository;
}

export function createWholeRepository({ workspace, mode, begun, ask }: WholeRepositoryParts): WholeRepository {
  let answer: "whole" | "here" | null = mode === "ask" ? null : mode;
  let asking: Promise<RepositoryAnswer> | undefined;
  const put = (question: RepositoryQuestion): Promise<RepositoryAnswer> => {
    asking ??= ask(question)
      .catch((error: unknown): RepositoryAnswer => ({ why: `nobody could be asked: ${(error as Error).message}` }))
      .then((said) => {
        asking = undefined;
        if (typeof said === "string") answer = said;
        return said;
      });
    return asking;
  };
  const decided = async (wish: RepositoryWish, refused?: string): Promise<string | null> => {
    const top = begun.top();
    if (top === null || answer === "whole") return null;
    if (mode === "here") return "your settings say so";
    if (answer === "here") return "that was your answer";
    const said = await put({ ...wish, top, workspace, ...(refused !== undefined && { refused }) });
    if (said === "whole") return null;
    return said === "here" ? "that was your answer" : said.why;
  };
  const needs = (wish: RepositoryWish, top: string) => needsAll(wish.permit.call.touches, { cwd: wish.cwd, workspace, top });
  return {
    agreed: () => (answer === "whole" ? begun.path : null),
    decide: async (wish) => (begun.path !== null && needs(wish, begun.path) ? decided(wish) : null),
    async explain(wish, printed, closed) {
      const top = begun.top();
      const refused = top === null ? null : isRefusedThere(printed, { cwd: wish.cwd, workspace, top });
      if (top === null || refused === null) return undefined;
      if (closed === null && answer === "whole") return undefined;
      const why = closed ?? (await decided(wish, refused));
      if (why === null)
        return `${top} was closed to this command outside of ${workspace}. It is open to commands from now on: run it again.`;
      return `A wall: ${workspace} is part of the repository ${top}, and commands change this folder alone: ${why}. Start Zeph in ${top}, or set tools.sandbox.outer_repository = "whole" in your own configuration, and they may change all of it.`;
    },
  };
}

/** The repository around the workspace, by the folders it was when the session began. */
export interface RememberedTop {
  /** Where it was; null where there was none. */
  readonly path: string | null;
  /** The same as long as the very folders lie there. */
  top(): string | null;
}

/** What a command makes later is no repository of the person's. */
export function rememberTop(sources: RepositorySources): RememberedTop {
  const path = findOuterRepository(sources)?.top ?? null;
  const mark = path === null ? null : markOf(path);
  return { path, top: () => (path !== null && mark !== null && markOf(path) === mark ? path : null) };
}

const markOf = (top: string): string | null => {
  const [folder, git] = [statEntry(top), statEntry(`${top}/.git`)];
  return folder && git && folder.isDirectory() ? `${entryIdentity(folder)} ${entryIdentity(git)}` : null;
};
