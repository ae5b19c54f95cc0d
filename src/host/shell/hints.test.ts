import { expect, it } from "vitest";
import type { Walls } from "../../core/ports/walls.ts";
import { wallHint } from "./hints.ts";

const behind = (backend: Walls["backend"]): Walls => ({ backend, layers: [], network: "closed" });
const hint = (stderr: string, backend: Walls["backend"], exitCode = 1) =>
  wallHint(stderr, exitCode, behind(backend), (path) => path === "/there");

it.each([
  ["cat: /outside/x: Permission denied", "landlock", /allow_read.*allow_write/],
  ["bash: line 1: /outside/x: permission denied", "landlock", /Landlock/],
  ["touch: cannot touch '/usr/x': Read-only file system", "bubblewrap", /allow_write/],
  ["curl: (6) Could not resolve host: example.com", "bubblewrap", /allow_network/],
  ["cat: /there: No such file or directory", "bubblewrap", /\/there .*allow_read/],
] as const)("A failure that looks like a wall gets a hint with its setting: %s behind %s", (stderr, backend, expected) => {
  expect(hint(stderr, backend)).toMatch(/^Perhaps a wall: /);
  expect(hint(stderr, backend)).toMatch(expected);
});

it("A file's own permissions are no wall where walls do not answer like that", () => {
  expect(hint("cat: x: Permission denied", "bubblewrap")).toBeUndefined();
});

it("Without walls, and without a failure, there is no hint", () => {
  expect(hint("cat: x: Permission denied", "none")).toBeUndefined();
  expect(hint("cat: x: Permission denied", "landlock", 0)).toBeUndefined();
});
