import { expect, test } from "vitest";
import { protectedEntry, protectedPart } from "./protected.ts";

const FROZEN = `
  .git .git/config .git/hooks/pre-commit .git/config.worktree .git/commondir .git/info/attributes sub/.git/config a/b/c/.git/hooks/x
  .git/modules/x/config .git/modules/libs/deep/hooks/post-checkout .git/worktrees/w/config.worktree .GIT/config .git/HOOKS/pre-push
  .zeph/config.toml .claude/settings.json .claude/settings.local.json pkg/.claude/commands/x.md .cursor/mcp.json .mcp.json opencode.json
  .envrc sub/.envrc .vscode/tasks.json .VSCode/launch.json packages/app/.vscode/settings.json .idea/runConfigurations/x.xml my.code-workspace
  .bashrc .zshenv .profile .config/fish/config.fish .devcontainer/devcontainer.json`;
const WATCHED = `
  AGENTS.md sub/agents.md CLAUDE.md .github/workflows/ci.yml .gitlab-ci.yml .npmrc packages/a/.npmrc .yarnrc.yml .cargo/config.toml mise.toml
  .exrc .nvim.lua .husky/pre-commit .husky/_/husky.sh .pre-commit-config.yaml lefthook.yml .lintstagedrc.json .gitattributes`;
const ORDINARY = `
  src/a.ts README.md .gitignore .git/HEAD .git/index .git/refs/heads/main .git/objects/ab/cdef .git/modules/x/HEAD package.json config hooks/x
  .cargo/registry/x .github/ISSUE_TEMPLATE/a.md config.toml my.git.txt vscode/tasks.json .env`;
const listed = (text: string) => text.trim().split(/\s+/);

test.each(listed(FROZEN))("%s is frozen", (path) => expect(protectedPart(path)).toBe("frozen"));
test.each(listed(WATCHED))("%s is watched", (path) => expect(protectedPart(`/work/${path}`)).toBe("watched"));
test.each(listed(ORDINARY))("%s is an ordinary file", (path) => expect(protectedPart(path)).toBeNull());
test("letters that a file system leaves out do not make another name", () => expect(protectedPart(".g\u200cit/config")).toBe("frozen"));
test("an entry is told by its name and the folders right above it", () => {
  expect(protectedEntry(["work", ".github"], "workflows")).toBe("watched");
  expect(protectedEntry(["work"], "workflows")).toBeNull();
  expect(protectedEntry(["work"], ".envrc")).toBe("frozen");
});
