/**
 * Every file of `src/` that imports Node's file modules, what it may do with them, and why. A file that is not here may import their types at most.
 *
 * looks: asks about paths and lists folders, which opens nothing and changes nothing.
 * holds: reads or changes what lies in the workspace; each path it acts on is an entry of a directory that is held open (`pin.ts`).
 * own: reads or changes only what belongs to Zeph or the person: settings, state, temporary folders.
 * machine: reads what the system says about itself, or what a launch needs: /proc, /sys, /dev, /etc.
 * opener: the files that everybody else opens through, and the one that holds the places of walls.
 */
export type Access = "looks" | "holds" | "own" | "machine" | "opener";

export const FILE_ACCESS: Readonly<Record<string, readonly [access: Access, why: string]>> = {
  "src/files/own-file.ts": ["opener", "the one opener of files that Zeph reads for itself"],
  "src/files/descriptor.ts": ["opener", "closes what was opened"],
  "src/host/files/pin.ts": ["opener", "opens and verifies the directories and files that everybody else acts through"],

  "src/host/files/pinned-tree.ts": ["holds", "reads what a search found, entry by entry"],
  "src/host/files/editor-buffers.ts": ["holds", "closes the file it compared with an editor's"],
  "src/host/diagnostics/project.ts": ["holds", "closes a file of the project that is too long to read"],
  "src/host/files/discard.ts": ["holds", "removes trees"],
  "src/host/files/files.ts": ["holds", "moves, lists and makes what the file tools are asked for"],
  "src/host/files/reading.ts": ["holds", "reads files that were opened and verified"],
  "src/host/search/search.ts": ["holds", "lends a verified file to the search engine"],
  "src/host/preimages/keeper.ts": ["holds", "reads what a call is about to change"],
  "src/host/preimages/undo-turn.ts": ["holds", "puts back what a turn changed"],
  "src/host/shell/undo/restore.ts": ["holds", "puts back what a command changed"],
  "src/host/shell/undo/snapshot.ts": ["holds", "saves what a command may change"],
  "src/host/files/tree.ts": ["holds", "copies and removes trees"],
  "src/host/files/writing.ts": ["holds", "writes files"],
  "src/host/shell/rehearsal/copy.ts": ["holds", "copies a workspace for a dry run where no layer can be mounted above it"],
  "src/host/shell/rehearsal/changes.ts": ["holds", "compares what a dry run left with what was there"],
  "src/host/shell/rehearsal/layers.ts": ["own", "temporary folders for the layers of a dry run"],
  "src/host/shell/rehearsal/rehearsal.ts": ["own", "temporary folders for the copies of a dry run"],

  "src/fleet/workspace/fleet-folders.ts": ["own", "makes, finds and removes the folders of sessions, which are the worker's own"],
  "src/fleet/workspace/marker.ts": ["own", "what a session's folder is at, written beside it"],
  "src/fleet/workspace/mirror.ts": ["own", "makes the folder of a repository's copy"],
  "src/fleet/workspace/remote.ts": ["own", "puts bundles of snapshots into the folder that the operator names"],
  "src/fleet/workspace/setup-cache.ts": ["own", "keeps and puts back what setup commands made"],
  "src/fleet/workspace/root.ts": ["own", "says which process has a worker's folder"],
  "src/fleet/workspace/snapshot.ts": ["looks", "whether a file is there, and how large it is"],
  "src/fleet/tenant/tenant-processes.ts": ["own", "makes the folder of a tenant and gives it to the tenant's user"],

  "src/host/workday/git-state.ts": ["looks", "whether tracked files are as git's index says"],
  "src/files/cached-file.ts": ["looks", "whether a file of another agent is the one that was read"],
  "src/files/list-names.ts": ["looks", "names of files of other agents"],
  "src/live/live-folder.ts": ["own", "the folder of the sockets, and what dead processes left in it"],
  "src/live/without-walls.ts": ["own", "notes in the folder of the sockets which processes run commands without walls"],
  "src/live/live-server.ts": ["own", "makes the socket of this process private"],
  "src/live/peer-proof.ts": ["own", "a file by which a process shows which one it is, and which files a process has open"],
  "src/live/connect-live.ts": ["own", "opens the file that a running process named to it"],
  "src/live/follow-live.ts": ["looks", "whether another process has begun to listen"],

  "src/host/skills/list-markdown.ts": ["looks", "names of files with commands of a person or a project"],
  "src/front/hookd/socket-place.ts": ["own", "the private folder of a socket, and the socket in it"],
  "src/host/sandbox/signal-tree.ts": ["machine", "which processes stand behind the walls of a command"],
  "src/front/acp/session-folder.ts": ["looks", "the folder an editor names"],
  "src/files/client-terminal.ts": ["machine", "whether the agent above reads from a terminal"],
  "src/files/terminal-seat.ts": ["machine", "which program has opened the terminal of a process"],
  "src/files/agent-process.ts": ["machine", "which processes are above one, which files they have open, and who holds a connection"],
  "src/files/peer-user.ts": ["machine", "which user holds the other end of a connection"],
  "src/front/cli/chat/complete.ts": ["looks", "names for the Tab key"],
  "src/front/cli/tui/typing/message-images.ts": ["looks", "whether a word of a message names a file"],
  "src/front/cli/settings/config.ts": ["looks", "whether the person's file exists"],
  "src/front/cli/policy/replay.ts": ["looks", "the log a person names"],
  "src/front/cli/watch/page.ts": ["looks", "whether the folder of a past call is still there"],
  "src/front/cli/fleet/batch-file.ts": ["own", "the file of tasks that a person names"],
  "src/front/cli/hook/live/private-place.ts": ["own", "the private home and workspace of a client that is tried, and what its log says"],
  "src/front/cli/hook/live/start-live-client.ts": ["own", "what such a client is given to run, and the marks it left"],
  "src/front/cli/hook/codex-config.ts": ["looks", "where Codex says a file lies"],
  "src/front/cli/hook/codex-trust.ts": ["looks", "where Codex says a file lies"],
  "src/hook/install/plugin-text.ts": ["looks", "which program a plugin was written for"],
  "src/hook/install/hook-program.ts": ["looks", "where the program lies that clients run"],
  "src/front/cli/report.ts": ["own", "writes a report to the new file that a person names"],
  "src/front/cli/settings/trust.ts": ["looks", "which folder is meant"],
  "src/config/api-keys.ts": ["looks", "where the keys really lie"],
  "src/config/watch.ts": ["looks", "whether a file of rules changed"],
  "src/config/paths.ts": ["looks", "where a project's file lies"],
  "src/host/files/parent-chain.ts": ["looks", "which folders a path leads through"],
  "src/host/diagnostics/collect.ts": ["looks", "which file a program means"],
  "src/host/diagnostics/diagnostics.ts": ["looks", "whether the target exists"],
  "src/host/files/watch.ts": ["looks", "whether anything changed since an answer was kept"],
  "src/host/files/workspace-identity.ts": ["looks", "whether the workspace is still itself"],
  "src/host/files/paths.ts": ["looks", "where a path leads, before it is judged"],
  "src/host/sandbox/disk.ts": ["looks", "what the walls have to know"],
  "src/host/sandbox/held-places.ts": ["opener", "opens the places of a policy without rights, to know and keep their identity"],
  "src/host/sandbox/expand-glob.ts": ["looks", "what a glob of the walls stands for"],
  "src/host/protected/quarantine.ts": ["holds", "moves what steers other agents out of the workspace"],
  "src/host/protected/folders.ts": ["holds", "lists folders of the workspace, each held open"],
  "src/host/protected/sweep.ts": ["holds", "asks which folder is held open"],
  "src/host/sandbox/backends/landlock.ts": ["looks", "which folders exist"],
  "src/files/follow-links.ts": ["looks", "where a path leads, link by link"],
  "src/host/workday/toolchains.ts": ["looks", "whether a folder is the part of a toolchain"],
  "src/host/workday/programs-on-path.ts": ["looks", "which folders on PATH there are"],
  "src/host/workday/workday.ts": ["looks", "whether what was looked up has changed"],
  "src/host/workday/hold-outer.ts": ["holds", "what makes git run something, in the git folder of a repository around the workspace"],
  "src/host/serving/server-folders.ts": ["own", "what MCP servers keep: a home and packages for each"],
  "src/host/serving/server-size.ts": ["own", "that a server kept too much"],
  "src/host/workday/cache-folder.ts": ["own", "the caches of workspaces"],
  "src/host/workday/cache-size.ts": ["own", "when a cache was last measured"],
  "src/host/workday/placed-texts.ts": ["own", "the person's settings for commands, in a temporary folder"],
  "src/host/protected/file-state.ts": ["looks", "what a protected file was before a command"],
  "src/files/programs.ts": ["looks", "where a program lies"],
  "src/files/known-workspaces.ts": ["looks", "which workspaces there were"],
  "src/files/private-copy.ts": ["own", "a private copy of the package, in the state folder"],
  "src/files/command-folders.ts": ["looks", "whether commands may write where a path leads"],
  "src/host/sandbox/watchdog.ts": ["looks", "where a program lies"],
  "src/host/shell/hint-facts.ts": ["looks", "whether a program that a command missed is there"],
  "src/host/shell/shell.ts": ["looks", "where a command's shell stands"],
  "src/host/shell/next-state.ts": ["looks", "whether a command may start where the last one ended"],
  "src/host/shell/undo/transaction.ts": ["looks", "where a path of a command leads, before it is saved"],
  "src/host/files/known-files.ts": ["looks", "whether a file is still what was read"],
  "src/files/stat.ts": ["looks", "what lies at a path: its kind, identity, size and times"],
  "src/files/working-folder.ts": ["looks", "whether the workspace is a folder that is there"],
  "src/host/skills/find-skills.ts": ["looks", "where skills lie"],
  "src/host/skills/skill-files.ts": ["looks", "what lies in a skill"],
  "src/host/files/fingerprint.ts": ["looks", "identity, size and times"],
  "src/host/end-with-us.ts": ["looks", "where a program lies"],
  "src/front/mcp-server/workspaces.ts": ["looks", "the folder a client names"],
  "src/store/audit/audit-reader.ts": ["looks", "how long the log is"],
  "src/store/audit-index/follow-log.ts": ["looks", "when something is written to the log"],
  "src/store/audit/names.ts": ["looks", "which store files there are"],

  "src/front/gateway/mcp/processes.ts": ["own", "sockets to the processes of tenants, in a private folder"],
  "src/front/gateway/mcp/process.ts": ["own", "the socket to the process of a tenant, in a private folder"],
  "src/front/gateway/mcp/child.ts": ["own", "removes its socket"],
  "src/front/cli/demo/demo.ts": ["own", "a temporary folder for the demonstration"],
  "src/front/cli/tui/typing/external-editor.ts": ["own", "the message that is edited, in a temporary folder"],
  "src/front/cli/terminal/history.ts": ["own", "what was typed"],
  "src/hook/install/client-file.ts": [
    "own",
    "the settings of other agents, when the person asks for it; never through a link out of their folder",
  ],
  "src/hook/install/let-through.ts": ["own", "takes away what hooks left about calls that nobody answered, in the state folder"],
  "src/hook/install/installed.ts": ["own", "what was written into those, in the state folder"],
  "src/config/edit/change.ts": ["own", "the lock beside the person's settings"],
  "src/config/edit/write.ts": ["own", "settings, when the person asks for it; never through a link out of a project"],
  "src/host/as-user/as-user.ts": ["own", "notes about unfinished writes of the helper process"],
  "src/host/as-user/reachable.ts": ["own", "a copy of ripgrep in a temporary folder, for a user who cannot enter Zeph's"],
  "src/host/preimages/preimage-store.ts": ["own", "what files were before they were changed, in the state folder"],
  "src/host/files/leftovers.ts": ["own", "notes about unfinished writes"],
  "src/host/search/tree-size.ts": ["looks", "how much lies below a folder that is searched"],
  "src/host/search/safe-search.ts": ["own", "the rules for the engine, in a temporary folder"],
  "src/host/sandbox/fixture.ts": ["own", "what the doctor tries the walls with"],
  "src/host/sandbox/backends/inline.ts": ["own", "what an editor's terminal needs to start a command"],
  "src/host/sandbox/pipe.ts": ["own", "pipes in a private folder"],
  "src/host/sandbox/probe.ts": ["own", "a canary in a temporary folder"],
  "src/host/sandbox/shipped.ts": ["own", "a private copy of a program that Zeph brings along"],
  "src/host/workday/session-folders.ts": ["own", "places in a temporary folder that was just made"],
  "src/host/sandbox/backends/prepared-etc.ts": ["own", "a private copy of what commands see of /etc"],
  "src/host/sandbox/backends/seatbelt.ts": ["own", "the profile of a command, in a temporary folder"],
  "src/host/sandbox/backends/placed-files.ts": ["own", "the person's settings for a command, in its temporary home"],
  "src/host/temporary.ts": ["own", "temporary folders"],
  "src/mcp/client/oauth/tokens.ts": ["own", "sign-ins"],
  "src/store/audit/audit-file.ts": ["own", "the audit log"],
  "src/store/audit/chain.ts": ["own", "the audit log"],
  "src/store/folder.ts": ["own", "the folder of the store"],
  "src/store/audit/lines.ts": ["own", "the audit log"],
  "src/store/audit-index/log-file.ts": ["own", "the audit log"],
  "src/store/audit-index/open-index.ts": ["own", "an index that cannot be read: it is made anew"],
  "src/fleet/audit/chain-file.ts": ["own", "the audit log"],
  "src/fleet/audit/claim-log.ts": ["own", "whose audit log it is, beside the log"],
  "src/fleet/audit/leftovers.ts": ["looks", "how long files of the audit log are"],
  "src/fleet/audit/root-log.ts": ["own", "the roots of checkpoints, where the operator wants them"],
  "src/fleet/audit/signing-key.ts": ["own", "a new key, when the operator asks for it"],
  "src/store/audit/lock.ts": ["own", "the lock of the store"],
  "src/store/sqlite/sqlite.ts": ["own", "the store"],

  "src/host/shell/listening.ts": ["machine", "which ports of the machine somebody listens at"],
  "src/host/sandbox/descriptors.ts": ["machine", "our own descriptors"],
  "src/host/sandbox/backends/mount-records.ts": ["machine", "what is mounted on this machine"],
  "src/host/sandbox/limits.ts": ["machine", "control groups"],
  "src/host/sandbox/reasons.ts": ["machine", "why namespaces do not work"],
  "src/host/sandbox/fed-launch.ts": ["machine", "/dev/null and the state of a process"],
  "src/host/network/holder.ts": ["machine", "the namespaces of the process that keeps a network"],
  "src/host/sandbox/user.ts": ["machine", "/etc/passwd"],
};

const LOOKS = new Set(
  "access existsSync accessSync constants fstatSync lstat lstatSync readdir readdirSync readlink readlinkSync realpath realpathSync stat statSync statfsSync watch".split(
    " ",
  ),
);
/** Which arguments of an act are paths it acts on. The others name one; where it is not said, the first does. */
const PATHS: Readonly<Record<string, readonly number[]>> = {
  rename: [0, 1],
  renameSync: [0, 1],
  symlink: [1],
  symlinkSync: [1],
  link: [0, 1],
  linkSync: [0, 1],
  copyFile: [0, 1],
  copyFileSync: [0, 1],
};
const ON_DESCRIPTORS = new Set(
  "close closeSync fchmodSync fchownSync fstatSync fsyncSync ftruncateSync futimesSync read readSync write writeSync".split(" "),
);
/** An entry of a held directory, or an open file; or the copy of one in our own temporary folder. */
const HELD = /\.(?:at|here)\b|\b(?:pathOf|entry)\(|^`\/proc\/self\/fd\/|^copy$/;

export const isFileModule = (spec: string): boolean => /^(?:node:)?fs(?:\/promises)?$/.test(spec);

/** Why a file may not import these names from Node's file modules; one sentence each. */
export function importProblems(file: string, names: readonly (string | null)[]): string[] {
  const access = FILE_ACCESS[file]?.[0];
  if (access === undefined) return ["is not in test/file-access.ts, so it may not import Node's file modules"];
  return names.flatMap((name) => {
    if (name === null) return ["names what it imports from Node's file modules one by one"];
    return access === "looks" && !LOOKS.has(name) ? [`may only look at files, and imports ${name}`] : [];
  });
}

/** Whether a file's uses of names are listed one by one: what is Zeph's own or the system's, outside of the host, is known by its file alone. */
export const mayNamePlaces = (file: string): boolean => {
  const access = FILE_ACCESS[file]?.[0];
  return access !== "opener" && access !== "machine" && (access !== "own" || file.startsWith("src/host/"));
};

/** Whether a call acts on what is held, and on no name. */
export const actsOnHeld = (name: string, args: readonly string[]): boolean =>
  ON_DESCRIPTORS.has(name) || (PATHS[name] ?? [0]).every((n) => HELD.test(args[n] ?? ""));

/** Why a call of a file that holds is not on an entry of a held directory; null when it is. */
export function callProblem(file: string, name: string, args: readonly string[]): string | null {
  if (FILE_ACCESS[file]?.[0] !== "holds" || LOOKS.has(name) || ON_DESCRIPTORS.has(name)) return null;
  const bad = (PATHS[name] ?? [0]).find((n) => !HELD.test(args[n] ?? ""));
  return bad === undefined ? null : `acts on a path that is no entry of a held directory: ${name}(${args.join(", ")})`;
}
