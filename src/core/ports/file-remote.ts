/** A repository of the person's outside of the workspace that a git command names by its path. */
export interface FileRemote {
  /** Canonical. */
  readonly path: string;
  /** Whether the command sends something there. */
  readonly access: "read" | "write";
}

/** The rule by which the gate `permissions` asks about one. */
export const FILE_REMOTE = "file remote";

/** What a yes stands for besides the command: repositories that are opened to the commands of this session. */
export const remoteOpeningText = (remotes: readonly FileRemote[]): string => JSON.stringify({ opens: remotes });

/** The repositories that the answered questions of a call open. */
export function openedBy(asked: readonly { readonly gate: string; readonly about?: string }[]): readonly FileRemote[] {
  return asked.flatMap(({ gate, about }) => {
    if (gate !== "permissions" || about === undefined || !/^\{(?:"lifts":.*,)?"opens":/s.test(about)) return [];
    return (JSON.parse(about) as { opens: readonly FileRemote[] }).opens;
  });
}
