import type { Memories, Store } from "../core/ports/store.ts";

/**
 * The store as it is seen from a folder that is on this machine alone: what it keeps of that folder it keeps under a name all machines know. Whoever
 * works with it says and reads the folder. What belongs to the machine itself (trust, marks of files) is not renamed.
 */
export function nameWorkspace(store: Store, folder: string, name: string): Store {
  // What callers with rights of their own have is kept apart, and ends with the folder: see `storedUnder`.
  const inward = (workspace: string): string =>
    workspace === folder ? name : workspace.endsWith(` in ${folder}`) ? `${workspace.slice(0, -folder.length)}${name}` : workspace;
  const outward = (workspace: string): string =>
    workspace === name ? folder : workspace.endsWith(` in ${name}`) ? `${workspace.slice(0, -name.length)}${folder}` : workspace;
  const into = <T extends { readonly workspace?: string | null }>(value: T): T =>
    typeof value.workspace === "string" ? { ...value, workspace: inward(value.workspace) } : value;
  const out = <T extends { readonly workspace: string | null } | null>(value: T): T =>
    typeof value?.workspace === "string" ? { ...value, workspace: outward(value.workspace) } : value;
  const outs = <T extends { readonly workspace: string | null }>(values: readonly T[]): readonly T[] => values.map(out);

  const { conversations, memories, goals, schedule, trajectories, openQuestions } = store;
  return {
    ...store,
    conversations: {
      ...conversations,
      create: async (workspace, title, id) => out(await conversations.create(inward(workspace), title, id)),
      get: async (id) => out(await conversations.get(id)),
      list: async (filter) => outs(await conversations.list(into(filter))),
    },
    memories: nameMemories(memories, { inward, into, out, outs }),
    goals: {
      ...goals,
      create: async (goal) => out(await goals.create(into(goal))),
      get: async (id) => out(await goals.get(id)),
      active: async (workspace) => out(await goals.active(inward(workspace))),
      list: async (workspace, limit) => outs(await goals.list(inward(workspace), limit)),
    },
    schedule: {
      ...schedule,
      add: async (task) => out(await schedule.add(into(task))),
      get: async (id) => out(await schedule.get(id)),
      list: async (workspace) => outs(await schedule.list(workspace === undefined ? undefined : inward(workspace))),
      take: async (workspace, now, next) => out(await schedule.take(inward(workspace), now, (task) => next(out(task)))),
      nextAt: (workspace) => schedule.nextAt(inward(workspace)),
    },
    trajectories: {
      ...trajectories,
      add: async (trajectory) => out(await trajectories.add(into(trajectory))),
      bad: async (workspace, since, limit) => outs(await trajectories.bad(inward(workspace), since, limit)),
      judge: async (callId, ended, of) => out(await trajectories.judge(callId, ended, of)),
      count: (workspace) => trajectories.count(inward(workspace)),
    },
    openQuestions: {
      ...openQuestions,
      add: (question) => openQuestions.add(into(question)),
      get: async (callId) => out(await openQuestions.get(callId)),
      list: async (where) => outs(await openQuestions.list(where && into(where))),
      repeated: async (workspace) => outs(await openQuestions.repeated(inward(workspace))),
    },
  };
}

interface Renaming {
  inward(workspace: string): string;
  into<T extends { readonly workspace?: string | null }>(value: T): T;
  out<T extends { readonly workspace: string | null } | null>(value: T): T;
  outs<T extends { readonly workspace: string | null }>(values: readonly T[]): readonly T[];
}

function nameMemories(memories: Memories, { inward, into, out, outs }: Renaming): Memories {
  return {
    ...memories,
    save: async (memory) => out(await memories.save(into(memory))),
    get: async (id) => out(await memories.get(id)),
    list: async (filter) => outs(await memories.list(into(filter))),
    forget: (which) => memories.forget(typeof which === "object" && "workspace" in which ? into(which) : which),
    count: (workspace) => memories.count(workspace === undefined ? undefined : inward(workspace)),
    async search(query) {
      const found = await memories.search(into(query));
      return { ...found, hits: found.hits.map((hit) => (hit.kind === "memory" ? { ...hit, memory: out(hit.memory) } : hit)) };
    },
    withoutVector: async (embedder, limit) => outs(await memories.withoutVector(embedder, limit)),
  };
}
