/**
 * Every use of a path by its name that may lie below a folder that commands write: all of `src/host`, and whatever only looks elsewhere. What is
 * not here goes through the modules that hand out what is held: `host/files/pin.ts`, `files/own-file.ts`, and the files that build on them. A name
 * leads elsewhere a moment later, so each use says why that harms nothing.
 *
 * outside: a place that no command can write.
 * asks: nothing is opened, changed or moved by it, and whoever acts on the answer looks again at what it holds.
 * held: an entry of a folder that is held open, which the text of the call does not show.
 */
export const NAMED_PLACES: Readonly<Record<string, readonly [uses: string, how: "outside" | "asks" | "held", why: string]>> = {
  "src/config/api-keys.ts": ["realpathSync", "outside", "the person's file of keys"],
  "src/config/paths.ts": [
    "lstatSync 2, realpathSync",
    "asks",
    "where a project's settings lie; they are read through the opener, which judges where it leads",
  ],
  "src/config/watch.ts": [
    "lstatSync, realpathSync, statSync 3, watch",
    "asks",
    "whether a file of rules changed; it is read anew through the opener",
  ],
  "src/files/cached-file.ts": [
    "lstatSync, statSync",
    "asks",
    "whether a file is the one that was read; what is kept came through the opener",
  ],
  "src/files/command-folders.ts": [
    "followLinks, realpathSync, statEntry 2",
    "asks",
    "whether a path enters a folder that commands may write; a program there is not started",
  ],
  "src/files/follow-links.ts": ["readlinkSync, statEntry", "asks", "where a path leads, and whether a command decides about that"],
  "src/files/known-workspaces.ts": ["readdirSync", "outside", "the folders of caches, which are Zeph's"],
  "src/files/programs.ts": ["accessSync, statSync", "asks", "where a program lies, on a PATH without folders that commands may write"],
  "src/files/list-names.ts": [
    "readdirSync",
    "outside",
    "folders of the person and of other agents; of a project's, each file found is judged by the opener",
  ],
  "src/files/stat.ts": ["lstatSync 2", "asks", "the look itself, for those who are listed here"],
  "src/files/working-folder.ts": [
    "lstatSync, realpathSync 2, statSync",
    "asks",
    "which folder is the workspace, before anything of it is opened",
  ],
  "src/fleet/audit/leftovers.ts": ["statSync", "outside", "files of the audit log"],
  "src/fleet/workspace/snapshot.ts": [
    "lstatSync 2",
    "asks",
    "whether a repository has a file, and how large it is, while no command of the session runs",
  ],
  "src/front/acp/session-folder.ts": ["realpath, stat", "asks", "which folder an editor means, before a session begins in it"],
  "src/front/cli/chat/complete.ts": ["readdirSync", "asks", "names for the Tab key, for the person's eyes"],
  "src/front/cli/doctor/settings.ts": ["statEntry 2", "outside", "files of the person's settings"],
  "src/front/cli/hook/codex-config.ts": ["realpathSync 2", "asks", "where Codex says a file lies, as Codex resolves it"],
  "src/front/cli/hook/codex-trust.ts": ["realpathSync", "asks", "where Codex says a file lies, as Codex resolves it"],
  "src/front/cli/own-copy.ts": ["statEntry", "outside", "the cache of a workspace, which is Zeph's"],
  "src/front/cli/policy/replay.ts": ["statSync 2", "outside", "the log a person names"],
  "src/front/cli/settings/config.ts": ["existsSync", "outside", "the person's settings"],
  "src/front/cli/settings/trust.ts": ["realpathSync", "asks", "which folder the person trusts; its files are hashed through the opener"],
  "src/front/cli/tui/typing/message-images.ts": [
    "statSync",
    "asks",
    "whether a word of a message names a file; it is read as the file tools read",
  ],
  "src/front/cli/watch/page.ts": ["statSync", "asks", "whether the folder of a past call is still there"],
  "src/front/mcp-server/workspaces.ts": ["realpathSync, statSync", "asks", "which folder a client means, before a session begins in it"],
  "src/hook/install/hook-program.ts": ["existsSync, realpathSync", "outside", "Zeph's own program"],
  "src/hook/install/plugin-text.ts": ["statSync", "outside", "Zeph's own program"],
  "src/host/as-user/as-user.ts": ["mkdirSync, rmSync, writeFileSync", "outside", "notes in the state folder"],
  "src/host/as-user/reachable.ts": ["copyFileSync, statSync", "outside", "ripgrep, and a temporary folder of ours"],
  "src/host/diagnostics/collect.ts": ["existsSync", "asks", "which file a program means, to show its name"],
  "src/host/diagnostics/diagnostics.ts": ["existsSync", "asks", "whether the target exists; the program looks for itself, behind walls"],
  "src/host/diagnostics/project.ts": [
    "readdirSync, statSync",
    "asks",
    "which manifests a project has; they are read as the file tools read",
  ],
  "src/host/egress/registries.ts": [
    "realDisk.real",
    "asks",
    "where settings of package managers lie; they count only outside of writable folders, and the opener compares",
  ],
  "src/host/end-with-us.ts": ["realpathSync", "outside", "a program of the system"],
  "src/host/files/editor-buffers.ts": [
    "lstatSync 2, parentChain 3",
    "asks",
    "whether an editor meant the file that is held: names are compared before and after, and never used while a command runs",
  ],
  "src/host/files/entry-state.ts": ["statExact", "asks", "what lies where a question is about; the act looks again"],
  "src/host/files/files.ts": [
    "lstatSync 3",
    "asks",
    "whether a name is free, or what was written, for a note; what is made or moved is named in held folders",
  ],
  "src/host/files/fingerprint.ts": ["statfsSync", "asks", "which kind of file system a file lies on"],
  "src/host/files/known-files.ts": [
    "lstatSync",
    "asks",
    "whether a file seems to be the one that was read, for a note; an edit compares the file it opened",
  ],
  "src/host/files/leftovers.ts": ["mkdirSync, readdirSync, rmSync 2, writeFileSync", "outside", "notes in the state folder"],
  "src/host/files/parent-chain.ts": ["lstatSync", "asks", "which folders a name leads through, to compare"],
  "src/host/files/paths.ts": [
    "existsSync 3, lstatSync, readlinkSync, realpathSync 3, statEntry 4, statSync 3",
    "asks",
    "where a path leads: what is judged is then opened and compared",
  ],
  "src/host/files/peek.ts": ["statEntry", "asks", "what a gate wants to know of a path; the act judges again"],
  "src/host/files/tree.ts": ["lstatSync", "asks", "whether the source is a file or a folder, which is then opened and compared"],
  "src/host/files/watch.ts": [
    "readdirSync, readlinkSync, statExact 7, statSync",
    "asks",
    "whether anything changed since an answer was kept",
  ],
  "src/host/files/workspace-identity.ts": ["realpathSync, statSync", "asks", "whether the workspace is still itself"],
  "src/host/files/writing.ts": ["accessSync", "held", "the entry of a held folder is handed to it"],
  "src/host/local.ts": ["readEntryState", "asks", "what lies where a question is about; the act looks again"],
  "src/host/preimages/keeper.ts": [
    "statEntry 2",
    "asks",
    "whether something would be kept, and whether there is a folder at all; what is kept is read through a held folder",
  ],
  "src/host/preimages/preimage-store.ts": [
    "appendFileSync, lstatSync 2, mkdirSync, openSync 2, readdirSync, renameSync, rmSync 2",
    "outside",
    "the state folder",
  ],
  "src/host/protected/after-command.ts": [
    "realDisk.real, statExact",
    "asks",
    "where git's settings lead, and whether a file or folder is one that is known by its number and change time; any other is looked at where it is held",
  ],
  "src/host/protected/changed-files.ts": [
    "statEntry 2",
    "asks",
    "whether a file tool would change a protected file; the tool acts on what was judged",
  ],
  "src/host/protected/file-state.ts": [
    "statExact",
    "asks",
    "whether a file is the one that was read before, by its number and change time; any other is read where it is held",
  ],
  "src/host/protected/folders.ts": [
    "readdirSync 2, statExact",
    "held",
    "lists a folder through its descriptor; by name it only recognises one it knows",
  ],
  "src/host/protected/hard-links.ts": ["statEntry 2", "asks", "which files have several names; the walls are built around what is there"],
  "src/host/protected/hidden-files.ts": ["statEntry", "asks", "whether a glob means a file; the walls are built around what is there"],
  "src/host/protected/steering-files.ts": [
    "realDisk.real, statEntry",
    "asks",
    "whether a link leads to such a folder; what lies there is reached without following one",
  ],
  "src/host/protected/sweep.ts": [
    "statExact 2",
    "asks",
    "whether a folder is one that was listed before, by its number and change time; any other is opened where it is held",
  ],
  "src/host/sandbox/backends/inline.ts": [
    "mkdirSync, mkdtempSync, openSync, readdirSync, rmSync 3, writeFileSync",
    "outside",
    "a folder of ours",
  ],
  "src/host/sandbox/backends/landlock.ts": ["existsSync 2", "asks", "which folders exist, of those the walls are given"],
  "src/host/sandbox/backends/placed-files.ts": [
    "chownSync, copyFileSync, mkdirSync 2, symlinkSync",
    "outside",
    "the temporary home of a command that has not begun",
  ],
  "src/host/sandbox/backends/prepared-etc.ts": [
    "chmodSync 2, lstatSync, mkdirSync 2, readdirSync, realpathSync 2, statSync 5",
    "outside",
    "/etc, and a copy of ours",
  ],
  "src/host/sandbox/backends/seatbelt.ts": ["chownSync, mkdtempSync, realpathSync, writeFileSync", "outside", "a folder of ours"],
  "src/host/sandbox/disk.ts": [
    "readlinkSync, realpathSync, statEntry 2, statSync",
    "asks",
    "what the walls have to know; whoever builds them compares what is mounted with what was judged",
  ],
  "src/host/sandbox/expand-glob.ts": ["readdirSync", "asks", "what a glob of the walls stands for"],
  "src/host/sandbox/fixture.ts": [
    "chmodSync, existsSync 2, mkdirSync, readFileSync, readdirSync, writeFileSync",
    "outside",
    "a folder of ours, and /proc",
  ],
  "src/host/sandbox/pipe.ts": ["openSync 3", "outside", "a private folder of ours"],
  "src/host/sandbox/probe.ts": [
    "chmodSync, existsSync 2, realDisk.real 2, statSync, writeFileSync",
    "outside",
    "a folder of ours, and programs of the system",
  ],
  "src/host/sandbox/shipped.ts": ["chmodSync 2, existsSync 2, realpathSync 2, writeFileSync", "outside", "programs that Zeph brings along"],
  "src/host/sandbox/watchdog.ts": ["existsSync", "outside", "a program of the system"],
  "src/host/search/ignore-files.ts": ["statExact 4", "asks", "which ignore files there are; they are read through the opener"],
  "src/host/search/ignore-rules.ts": ["statExact", "asks", "whether a folder is a repository"],
  "src/host/search/safe-search.ts": [
    "realpathSync, statExact 2, statSync, writeFileSync",
    "asks",
    "whether an ignore file is one a search may open; the rules of ours lie in a temporary folder",
  ],
  "src/host/search/tree-size.ts": ["readdirSync", "asks", "how much lies below a held folder; a wrong count costs time"],
  "src/host/serving/server-folders.ts": [
    "mkdirSync 2, readdirSync 2, renameSync, rmSync 2, rmdirSync 2, statEntry 4, writeFileSync",
    "outside",
    "folders of ours; a server sees two of them mounted and cannot rename them",
  ],
  "src/host/serving/server-size.ts": ["rmSync, statEntry, writeFileSync", "outside", "a file of ours beside them"],
  "src/host/serving/start-folder.ts": ["realDisk.real 2", "asks", "whether a folder on PATH lies in the workspace; then it is left out"],
  "src/host/serving/walls.ts": ["realDisk.real 2", "asks", "where the workspace lies, for the walls"],
  "src/host/shell/hint-facts.ts": ["statSync", "asks", "whether a program that a command missed is there, for a hint"],
  "src/host/shell/next-state.ts": ["realpathSync, statSync", "asks", "where the next command may start; its walls judge again"],
  "src/host/shell/rehearsal/layers.ts": [
    "chmodSync, chownSync 2, lstatSync, mkdirSync, readFileSync, readdirSync",
    "asks",
    "whether a held folder holds files of another group: a wrong answer means a copy in place of a layer; the layers are ours",
  ],
  "src/host/shell/rehearsal/rehearsal.ts": [
    "lstatSync, mkdirSync 2",
    "asks",
    "whether a root is a folder, which is then opened and compared; the copies are ours",
  ],
  "src/host/shell/shell.ts": ["existsSync", "asks", "whether what a command missed is there, for a hint"],
  "src/host/shell/undo/snapshot.ts": ["lstatSync", "asks", "which folder above a path exists, which is then opened and compared"],
  "src/host/shell/undo/transaction.ts": ["realpathSync", "asks", "where a path of a command leads, before it is opened and compared"],
  "src/host/skills/find-skills.ts": [
    "followLinks, readdirSync, realpathSync, statSync",
    "asks",
    "where skills lie; each is read and hashed through the opener, and believed by its hash",
  ],
  "src/host/skills/list-markdown.ts": ["readdirSync", "asks", "names of commands of a project; each is read through the opener"],
  "src/host/skills/opened-skills.ts": ["realDisk.real 2", "outside", "folders of trusted skills, which no command can change"],
  "src/host/skills/skill-files.ts": [
    "lstatSync 2, readdirSync, readlinkSync, realpathSync",
    "asks",
    "what lies in a skill; it is read and hashed through the opener",
  ],
  "src/host/skills/writable-folders.ts": [
    "realDisk.kind, statEntry",
    "asks",
    "which folders commands may write, so that skills there are not believed",
  ],
  "src/host/temporary.ts": [
    "chmodSync, chownSync, lstatSync, mkdirSync, mkdtempSync, readFileSync, readdirSync, readlinkSync",
    "outside",
    "temporary folders of ours",
  ],
  "src/host/workday/cache-folder.ts": [
    "followLinks, mkdirSync, readdirSync, statEntry 3, writeFileSync",
    "outside",
    "folders of ours; commands see two of them mounted and cannot rename them",
  ],
  "src/host/workday/cache-size.ts": ["statEntry 2, writeFileSync", "asks", "how large a cache is, and when that was asked last"],
  "src/host/workday/file-remotes.ts": [
    "followLinks, statEntry 2",
    "asks",
    "whether a folder outside is a repository; the walls hold it as it is",
  ],
  "src/host/workday/git-setting-files.ts": [
    "realDisk.real",
    "asks",
    "which repository the settings are of; its files are read through the opener",
  ],
  "src/host/workday/git-settings.ts": ["followLinks 2", "asks", "where the person's settings of git lie; read through the opener"],
  "src/host/workday/git-state.ts": [
    "lstatSync, realpathSync",
    "asks",
    "whether a tracked file is as git's index says, and whether a git folder elsewhere names this work tree; what is read is read through the opener",
  ],
  "src/host/workday/hold-outer.ts": ["statEntry", "asks", "whether the folder is there at all"],
  "src/host/workday/opened-repository.ts": ["statEntry 2", "asks", "whether a repository is still the one that was agreed to"],
  "src/host/workday/placed-texts.ts": ["realDisk.real, statEntry 2, writeFileSync", "outside", "a temporary folder of ours"],
  "src/host/workday/private-places.ts": ["statEntry", "asks", "whether a file is a program, before a folder is opened to commands"],
  "src/host/workday/programs-on-path.ts": [
    "existsSync, followLinks 4, statSync",
    "asks",
    "which programs the person has; what a command can steer is left out",
  ],
  "src/host/workday/repository-needs.ts": ["statEntry 4", "asks", "what a command names, for a question"],
  "src/host/workday/repository.ts": [
    "followLinks 3, statEntry 7",
    "asks",
    "whether a git folder outside is one; the walls hold it as it is",
  ],
  "src/host/workday/session-folders.ts": [
    "mkdirSync, realDisk.isFolder 3, realDisk.kind, realDisk.real",
    "outside",
    "temporary folders of ours",
  ],
  "src/host/workday/toolchains.ts": ["existsSync", "outside", "toolchains of the person"],
  "src/host/workday/variables.ts": ["followLinks", "outside", "places in the person's home"],
  "src/host/workday/workday.ts": ["realDisk.real, statExact, statSync", "asks", "whether what was looked up has changed"],
  "src/live/follow-live.ts": ["watch", "outside", "the folder of sockets"],
  "src/runtime/agent/files-changed.ts": [
    "statEntry",
    "asks",
    "when entries of the workspace changed; a wrong time ends a turn early or late",
  ],
  "src/runtime/features/mcp-paths.ts": [
    "realDisk.kind, realDisk.real",
    "asks",
    "where a path of a person's server lies, to explain its walls",
  ],
  "src/runtime/features/mcp-readable.ts": [
    "realDisk.isFolder, realDisk.kind, realDisk.real 2",
    "asks",
    "where a path of a person's server lies, to explain its walls",
  ],
  "src/store/audit-index/follow-log.ts": ["watch", "outside", "the audit log"],
  "src/store/audit/audit-reader.ts": ["statSync", "outside", "the audit log"],
  "src/store/audit/names.ts": ["readdirSync, realpathSync", "outside", "the store"],
};

/** The functions of ours that take a path and look at what lies there. The openers are not among them. */
export const LOOKING: ReadonlySet<string> = new Set(["statEntry", "statExact", "readEntryState", "followLinks", "parentChain"]);

/** What a file uses, counted: `lstatSync 2, statEntry`. */
export function countUses(names: readonly string[]): string {
  const counts = new Map<string, number>();
  for (const name of names) counts.set(name, (counts.get(name) ?? 0) + 1);
  return [...counts]
    .map(([name, count]) => (count === 1 ? name : `${name} ${count}`))
    .sort()
    .join(", ");
}

/** Why a file may not use these places by their names; null when it is listed with them. */
export function namedProblem(file: string, names: readonly string[]): string | null {
  const uses = countUses(names);
  const listed = NAMED_PLACES[file]?.[0] ?? "";
  if (uses === listed) return null;
  return `uses names of places: "${uses}", and test/named-places.ts lists "${listed}": hold the place open (host/files/pin.ts), or say there why not`;
}
