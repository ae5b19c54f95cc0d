import { resolve } from "node:path";
import { findProjectConfig, userConfigPath } from "../../config/paths.ts";
import { isWithin } from "../../text/path.ts";
import { waitAtMost } from "../../text/wait-within.ts";
import type { Governance } from "../governance/governance.ts";
import type { Machine } from "../machine.ts";
import type { OpenOptions, RuntimeInternals, Zeph } from "../runtime.ts";
import { createFolderRefusal } from "../serve/folder-refusal.ts";
import type { Toolbox } from "../toolbox.ts";

/** Folders inside a workspace that callers have for themselves. Each is a workspace in full: a host, walls and gates of its own. */
export interface CallerWorkspaces {
  /** The folder as it really lies, which is this caller's from now on. Throws a TypeError for what it may not have for itself. */
  find(folder: string, caller: string): string;
  /** The runtime of a folder; always the same one. Rejects when the folder was exchanged meanwhile. */
  open(folder: string): Promise<RuntimeInternals>;
  /**
   * What whoever opened the runtime changes about its rules, changed in all of them: in those that are open, and in those that come unless `what` was
   * changed again.
   */
  follow(what: string, change: (below: Zeph) => unknown): Promise<void>;
  /** Something that is done once, in those that are open. */
  each<T>(act: (below: Zeph) => T): T[];
  close(): Promise<void>;
}

export type OpenBelow = (options: OpenOptions) => Promise<RuntimeInternals>;

export function openCallerWorkspaces(machine: Machine, toolbox: Toolbox, openBelow: OpenBelow): CallerWorkspaces {
  const { options, facts, settings } = machine;
  const opened = new Map<string, Promise<RuntimeInternals>>();
  /** Whose they are. */
  const named = new Map<string, string>();
  const changes = new Map<string, (below: Zeph) => unknown>();
  const ready = new Map<string, Zeph>();
  const refusal = createFolderRefusal(settings.at, "Name another folder.");
  const projectOf = (cwd: string) => {
    const { home } = settings.at;
    return findProjectConfig({ cwd, home }, settings.userFile ?? userConfigPath({ home, env: process.env }));
  };
  /** A caller can make its folder a repository, or put a file there: the rules of the project around it must not be gone for it. */
  const assertSameProject = (folder: string) => {
    if (machine.isWhole || projectOf(folder) === projectOf(facts.cwd)) return;
    throw new Error(
      `${folder} has a configuration of its own, or lies in a repository of its own. Name a folder of the project, or give createRuntime a config.`,
    );
  };
  const openIn = async (folder: string) => {
    assertSameProject(folder);
    await waitAtMost(toolbox.mcp.meet(), LONGEST_MEETING_MS);
    const { toolsets: _toolsets, watch: _watch, elicit: _elicit, log: _log, ...rest } = options;
    const inside = await openBelow({
      ...rest,
      cwd: folder,
      shared: settings.store,
      nested: true,
      above: { brought: toolbox.registry.brought, onChanged: toolbox.changes.add },
      onEvent: (event) => event.type === "reload" || machine.emit(event),
    });
    try {
      // The look of the new runtime counts from here on.
      if (inside.cwd !== folder) throw new Error(`The folder ${folder} was moved, or a link took its place.`);
      ready.set(folder, inside.zeph);
      for (const change of changes.values()) await change(inside.zeph);
      return inside;
    } catch (error) {
      ready.delete(folder);
      await inside.zeph.close();
      throw error;
    }
  };
  return {
    find(folder, caller) {
      if (options.host || options.editor)
        throw new TypeError("A caller has a workspace of its own only on this machine: not with host or editor.");
      const { file, shell, sandbox } = settings.config.tools;
      const opened = [file.allowed_paths, shell.allowed_paths, sandbox.allow_write, sandbox.allow_read].flat();
      const shared = opened.find((path) =>
        overlap(facts.canonical(resolve(facts.cwd, path.replace(/^~(?=\/|$)/, settings.at.home))), facts.cwd),
      );
      if (shared !== undefined)
        throw new TypeError(`A caller has no workspace of its own where the configuration opens ${shared}: all callers would reach it.`);
      if (typeof folder !== "string" || folder === "") throw new TypeError("workspace must be a folder inside of the runtime's workspace.");
      const path = facts.canonical(resolve(facts.cwd, folder));
      if (path === facts.cwd || !isWithin(facts.cwd, path) || facts.entry(resolve(facts.cwd, folder)) !== path)
        throw new TypeError(`workspace must be a folder inside of ${facts.cwd}, and no link: ${folder} is not.`);
      if (facts.entryState?.(path)?.kind !== "folder") throw new TypeError(`workspace must be a folder that is there: ${path} is not.`);
      const why = refusal(path);
      if (why !== null) throw new TypeError(why);
      const overlaps = ([one, whose]: readonly [string, string]) => (one === path ? whose !== caller : overlap(one, path));
      const other = [...named].find(overlaps);
      if (other) throw new TypeError(`${path} overlaps ${other[0]}, which the caller "${other[1]}" has for itself.`);
      named.set(path, caller);
      return path;
    },
    open(folder) {
      const known = opened.get(folder);
      if (known) return known;
      const opening = openIn(folder);
      opened.set(folder, opening);
      // What could not be opened is tried again.
      opening.catch(() => opened.delete(folder));
      return opening;
    },
    async follow(what, change) {
      changes.set(what, change);
      // All begin at once: what has no reason to wait counts from the next call on.
      await Promise.all(
        [...ready].map(async ([folder, below]) => {
          try {
            assertSameProject(folder);
            await change(below);
          } catch (error) {
            // Where new rules cannot be followed, the older ones do not stay.
            opened.delete(folder);
            ready.delete(folder);
            await below.close();
            machine.warn(`The workspace ${folder} was closed, because it cannot follow the rules: ${(error as Error).message}`);
          }
        }),
      );
    },
    each: (act) => [...ready.values()].map(act),
    close: async () => void (await Promise.allSettled([...opened.values()].map(async (one) => (await one).zeph.close()))),
  };
}

const overlap = (one: string, other: string) => isWithin(one, other) || isWithin(other, one);

const LONGEST_MEETING_MS = 10_000;

/** What a person decides about the rules counts in the workspaces of callers, too. */
export function createSharedGovernance(own: Governance, { follow, each }: Pick<CallerWorkspaces, "follow" | "each">): Governance {
  return {
    ...own,
    approve: (callId) =>
      own.approve(callId) ?? each(({ governance }) => governance.approve(callId)).find((lifted) => lifted !== null) ?? null,
    unblock: (tool) => [own.unblock(tool), ...each(({ governance }) => governance.unblock(tool))].includes(true),
    chooseAutonomy(autonomy) {
      own.chooseAutonomy(autonomy);
      void follow("autonomy", ({ governance }) => governance.chooseAutonomy(autonomy));
    },
    async reload(config, why) {
      const reloaded = await own.reload(config, why);
      if (reloaded.problem === undefined) await follow("rules", (below) => reloadBelow(below, config));
      return reloaded;
    },
  };
}

/** Throws where the rules cannot be taken over. */
export async function reloadBelow({ governance }: Zeph, config?: object): Promise<void> {
  const { problem } = await governance.reload(config);
  if (problem !== undefined) throw new Error(problem);
}
