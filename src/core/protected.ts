/**
 * Files that a program outside the walls runs or obeys later. Frozen ones are read-only to commands; watched ones may be changed by
 * commands, because ordinary work does so (`git switch`, `npm init`, husky), and every change is named. Both are a question of their own
 * for the file tools. Names count in any folder and in any case: some file systems know no other.
 */
export type ProtectedPart = "frozen" | "watched";

/** Which part a path belongs to, by its names alone; null for an ordinary file. The host also knows bare repositories when it sees them. */
export function protectedPart(path: string): ProtectedPart | null {
  const segments = segmentsOf(path);
  const git = segments.indexOf(".git");
  if (git !== -1 && isGitPart(segments.slice(git + 1))) return "frozen";
  if (holds(FROZEN, segments)) return "frozen";
  return holds(WATCHED, segments) ? "watched" : null;
}

/** As `protectedPart`, for one entry of a folder that is known to be ordinary: what lies above it need not be looked at again. */
export function protectedEntry(folder: readonly string[], name: string): ProtectedPart | null {
  const last = plain(name);
  if (last === ".git") return "frozen";
  const segments = [...folder.slice(-LONGEST_TAIL).map(plain), last];
  if (endsIn(FROZEN, segments)) return "frozen";
  return endsIn(WATCHED, segments) ? "watched" : null;
}

/** Whether a path inside a git folder makes git run something, or read its settings from elsewhere. The folder itself counts. */
export function isGitPart(inside: readonly string[]): boolean {
  const [first, second] = inside;
  if (first === undefined) return true;
  if (["hooks", "config", "config.worktree", "commondir"].includes(first)) return true;
  if (first === "info") return second === undefined || second === "attributes";
  if (first !== "modules" && first !== "worktrees") return false;
  return inside.length === 1 || inside.some((_, n) => n > 1 && isGitPart(inside.slice(n)));
}

/** Of a git folder: what is read-only to commands where it exists. */
export const GIT_PARTS: readonly string[] = ["hooks", "config", "config.worktree", "commondir", "info/attributes"];

/** What a yes to a question about frozen files stands for: the files that one command may write. */
export const liftText = (paths: readonly string[]): string => JSON.stringify({ lifts: [...paths].sort() });

/** The rules by which the gate `permissions` asks about protected files. A yes to one of them is a yes to what it names. */
export const PROTECTED_RULES = { file: "protected file", git: "frozen file in git", exposed: "walls cannot hold it" } as const;
const OWN_RULES: readonly (string | null)[] = Object.values(PROTECTED_RULES);

/** Whether a question that was answered was one about protected files. */
export const asksAboutProtected = ({ gate, rule }: { readonly gate: string; readonly rule: string | null }): boolean =>
  gate === "permissions" && OWN_RULES.includes(rule);

/** The files that the answered questions of a call let it write. Git's own settings are never among them. */
export function liftedBy(
  asked: readonly { readonly gate: string; readonly rule: string | null; readonly about?: string }[],
): readonly string[] {
  return asked.flatMap(({ gate, rule, about }) => {
    if (gate !== "permissions" || rule !== PROTECTED_RULES.git || !about?.startsWith('{"lifts":')) return [];
    const { lifts } = JSON.parse(about) as { lifts: readonly string[] };
    return lifts.filter((path) => !segmentsOf(path).includes(".git"));
  });
}

interface Names {
  /** Folders, with everything in them. */
  readonly folders: ReadonlySet<string>;
  readonly files: ReadonlySet<string>;
  /** Names that are told by how they begin or end. */
  readonly shapes: RegExp;
  /** Paths of more than one segment: a file, or a folder with everything in it. */
  readonly tails: readonly (readonly string[])[];
}

const LONGEST_TAIL = 3;
const words = (text: string) => new Set(text.trim().split(/\s+/));
const tails = (text: string) => [...words(text)].map((tail) => tail.split("/"));

const FROZEN: Names = {
  folders: words(`
    .zeph .agents .claude .codex .gemini .cursor .windsurf .continue .opencode .amazonq .kiro .roo .cline .augment .qwen .copilot .pi .crush .goose .factory .trae
    .vscode .vscode-server .idea .run .fleet .zed .helix .theia .vs .devcontainer .emacs.d .ssh`),
  files: words(`
    .envrc .direnvrc .gitconfig .mcp.json mcp.json opencode.json opencode.jsonc .opencode.json crush.json .crush.json .claude.json
    claude_desktop_config.json .aider.conf.yml .roomodes .devcontainer.json .dir-locals.el .dir-locals-2.el .emacs
    .bashrc .bash_profile .bash_login .bash_logout .bash_aliases .profile .zshrc .zshenv .zprofile .zlogin .zlogout .kshrc .mkshrc .cshrc
    .tcshrc .login .logout .xonshrc .xprofile .xinitrc .xsession .xsessionrc .inputrc .tmux.conf .screenrc .pam_environment`),
  shapes: /\.(code-workspace|sublime-project)$/,
  tails: tails(
    ".config/fish .config/git .config/zed .config/nvim .config/direnv .config/autostart .config/systemd .config/opencode .github/hooks .github/copilot/settings.json .github/copilot/settings.local.json .hg/hgrc .jj/repo library/launchagents",
  ),
};

const WATCHED: Names = {
  folders: words(".husky .githooks .circleci .buildkite .woodpecker .semaphore .mvn .clinerules .lefthook .mise"),
  files: words(`
    agents.md agents.override.md agents.local.md agent.md claude.md claude.local.md gemini.md qwen.md zeph.md .cursorrules .windsurfrules
    .rules .goosehints .gitlab-ci.yml .travis.yml .drone.yml .woodpecker.yml .cirrus.yml .appveyor.yml appveyor.yml azure-pipelines.yml
    bitbucket-pipelines.yml jenkinsfile cloudbuild.yaml .gitpod.yml
    .npmrc .yarnrc .yarnrc.yml .pnpmfile.cjs .pnpmfile.mjs bunfig.toml .bunfig.toml pip.conf pip.ini .pypirc .condarc uv.toml .gemrc .irbrc .pryrc
    nuget.config init.gradle gradle.properties .sdkmanrc .tool-versions mise.toml .mise.toml mise.local.toml .mise.local.toml .rtx.toml .asdfrc
    .exrc .vimrc .gvimrc .nvimrc .nvim.lua .lvimrc .ideavimrc .gdbinit .lldbinit .ripgreprc .curlrc .wgetrc .psqlrc .sqliterc .myclirc .mailcap
    .latexmkrc latexmkrc .ackrc .bazelrc .buckconfig .terraformrc .hgrc .pythonstartup sitecustomize.py usercustomize.py
    .pre-commit-config.yaml .pre-commit-config.yml .overcommit.yml .gitattributes .gitmodules`),
  shapes: /^\.?lefthook(-local)?\.(ya?ml|toml|json)$|^\.(lintstagedrc|huskyrc)(\..+)?$/,
  tails: tails(`
    .github/workflows .github/actions .github/copilot-instructions.md .github/instructions .github/prompts .github/agents
    .gitlab/ci .forgejo/workflows .gitea/workflows .cargo/config .cargo/config.toml .bundle/config .pip/pip.conf .config/mise .config/pip
    .yarn/plugins .yarn/releases .gradle/init.d .gradle/gradle.properties .jj/config.toml`),
};

/**
 * What makes another agent ask Zeph before it acts, or makes it not ask any more: settings with hooks, plugins, extensions, trust, and Zeph's own. No
 * call of such an agent changes them, wherever they lie and whether they are there yet.
 */
const STEERING: Names = {
  folders: words(".codex .qwen .copilot .pi .zeph"),
  files: words("opencode.json opencode.jsonc .opencode.json .mcp.json .claude.json managed-settings.json managed-mcp.json"),
  shapes: /^zeph-hook(\..+)?$/,
  tails: tails(`
    .claude/settings.json .claude/settings.local.json .claude/hooks .claude/plugins .gemini/settings.json .gemini/extensions .gemini/policies
    .gemini/hooks .gemini/trustedfolders.json .cursor/hooks.json .cursor/hooks .cursor/mcp.json .cursor/cli.json .github/hooks .github/copilot/settings.json
    .github/copilot/settings.local.json .gemini/.env etc/claude-code etc/codex etc/gemini-cli etc/qwen-code .config/opencode
    .opencode/plugins .opencode/plugin .config/zeph .local/state/zeph .local/share/zeph`),
};

/** Whether a path, by its names alone, is one of those that decide whether another agent is governed. */
export const steersClient = (path: string): boolean => holds(STEERING, segmentsOf(path));

/** Whether what lies right in a folder of this name may be such a file: a copy into it, or its removal, is more than it seems. */
export const holdsSteering = (path: string): boolean => {
  const last = segmentsOf(path).at(-1);
  return last !== undefined && HOLDERS.has(last);
};
const HOLDERS = words(".claude .gemini .cursor .opencode");

/** Where such files lie in a folder: a home, or a workspace. */
export const steeringIn = (folder: string): readonly string[] =>
  [...STEERING.folders, ...STEERING.files, ...STEERING.tails.map((tail) => tail.join("/"))].map((path) => `${folder}/${path}`);

/** The same for an agent's folder that lies elsewhere: `usual` is where it lies otherwise, such as `.claude`. */
export function steeringMoved(usual: string, folder: string): readonly string[] {
  const segments = usual.split("/");
  if (steersClient(usual)) return [folder];
  return STEERING.tails.flatMap((tail) =>
    tail.length > segments.length && segments.every((name, n) => tail[n] === name)
      ? [`${folder}/${tail.slice(segments.length).join("/")}`]
      : [],
  );
}

/** Somewhere on the way to it, or the path itself. */
const holds = ({ folders, ...names }: Names, segments: readonly string[]): boolean =>
  segments.some((segment) => folders.has(segment)) ||
  names.tails.some((tail) => segments.some((_, n) => tail.every((word, i) => segments[n + i] === word))) ||
  isNamed(names, segments.at(-1) ?? "");

const endsIn = ({ folders, ...names }: Names, segments: readonly string[]): boolean => {
  const last = segments.at(-1)!;
  return (
    folders.has(last) || isNamed(names, last) || names.tails.some((tail) => tail.every((word, i) => segments.at(i - tail.length) === word))
  );
};

const isNamed = ({ files, shapes }: Pick<Names, "files" | "shapes">, name: string): boolean => files.has(name) || shapes.test(name);

/** Letters that a file system leaves out of names are left out here: macOS opens `.g\u200cit` as `.git`. */
const IGNORED = /[\u200b-\u200f\u202a-\u202e\u2060-\u206f\ufeff]/g;
const plain = (name: string): string => name.toLowerCase().replace(IGNORED, "");

const segmentsOf = (path: string): string[] =>
  path
    .split("/")
    .filter((segment) => segment !== "" && segment !== ".")
    .map(plain);
