import { expect, it } from "vitest";
import { commandKind } from "./command-kind.ts";

it.each([
  ["npm test", "npm test"],
  ["cd app && npm test -- --run 2>&1 | tail -5", "npm test"],
  ["git -C /somewhere log --stat", "git log"],
  ["/usr/bin/git status", "git status"],
  ["FOO=1 npx -y vitest run", "vitest"],
  ["timeout 60 cargo build --release", "cargo build"],
  ["ls -la src", "ls"],
  ["cat secret-file", "cat"],
  ["make -j4 all", "make all"],
  ["git", "git"],
  ["git $(echo x)", "git"],
  ["résumé x", "other"],
  ["", "other"],
])("the kind of %s is %s", (command, kind) => expect(commandKind(command)).toBe(kind));
