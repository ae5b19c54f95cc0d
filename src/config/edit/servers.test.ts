import { readFileSync, statSync } from "node:fs";
import * as fc from "fast-check";
import { parse } from "smol-toml";
import { describe, expect, test } from "vitest";
import { anyCharacter } from "../../../test/any-character.ts";
import { messageOf, scratch } from "../../../test/scratch.ts";
import { addServerText, dropServer, removeServerText, saveServer } from "./servers.ts";

const NEW = { name: "files", command: "node", args: ["s.js"] };
const BLOCK = '[[mcp.servers]]\nname = "files"\ncommand = "node"\nargs = ["s.js"]\n';
const OTHER = '[[mcp.servers]]\nname = "web" # mine\nurl = "https://a.example/mcp"\n';
const LONG = '[[mcp.servers]]\nname = "long"\ncommand = "x"\nargs = [\n  "a", # one\n  "b",\n] # end\n';

describe("a server is added, and taken out again", () => {
  test.each([
    ["to nothing", "", BLOCK],
    ["to a byte order mark alone", "\ufeff", `\ufeff${BLOCK}`],
    ["at the end", 'autonomy = "full"\n', `autonomy = "full"\n\n${BLOCK}`],
    ["below the others", `${OTHER}\n[agent]\n# x\n`, `${OTHER}\n${BLOCK}\n[agent]\n# x\n`],
    ["below the others, closely", `${OTHER}[agent]\n`, `${OTHER}\n${BLOCK}\n[agent]\n`],
    ["below one with a long list", `${LONG}\n[agent]\n`, `${LONG}\n${BLOCK}\n[agent]\n`],
    ["below one with a table of its own", `${LONG}[mcp.servers.env]\nA = "b"\n`, `${LONG}[mcp.servers.env]\nA = "b"\n\n${BLOCK}`],
    ["with CRLF", "# a\r\n", `# a\r\n\r\n${BLOCK.replaceAll("\n", "\r\n")}`],
    [
      "into an array",
      '[mcp]\nservers = [\n  { name = "web", url = "https://a.example" }, # w\n]\n',
      '[mcp]\nservers = [\n  { name = "web", url = "https://a.example" }, { name = "files", command = "node", args = ["s.js"] }, # w\n]\n',
    ],
    ["into an empty array", "mcp.servers = []\n", 'mcp.servers = [{ name = "files", command = "node", args = ["s.js"] }]\n'],
    ["into an inline table", "mcp = {}\n", 'mcp = { servers = [{ name = "files", command = "node", args = ["s.js"] }] }\n'],
  ])("%s", (_, before, after) => {
    expect(addServerText(before, NEW, "add")).toBe(after);
    const back = removeServerText(after, "FILES")!;
    expect(plain(parse(back)).mcp?.servers ?? []).toEqual(plain(parse(before)).mcp?.servers ?? []);
  });

  test.each(["", "\ufeff", "# a\r\n", `${OTHER}\n[agent]\n# x\n`, `${LONG}\n[agent]\n`, OTHER, `# top\n\n# about\n${OTHER}`])(
    "and the file is byte for byte what it was: %j",
    (before) => expect(removeServerText(addServerText(before, NEW, "add"), "files")).toBe(before),
  );

  test("with its comment and its tables, wherever they stand", () => {
    const text = `# top\n\n# about\n${BLOCK}[mcp.servers.env]\nA = "b" # secret\n\n[agent]\n\n[mcp.servers.headers]\n\n# web\n${OTHER}`;
    expect(removeServerText(text, "files")).toBe(`# top\n\n[agent]\n\n# web\n${OTHER}`);
    expect(removeServerText(text, "none")).toBeNull();
  });

  test("from an array, first, middle or last", () => {
    const one = (name: string) => `{ name = "${name}", command = "x" }`;
    const text = `mcp.servers = [${one("a")}, ${one("b")}, ${one("c")}]\n`;
    expect(removeServerText(text, "a")).toBe(`mcp.servers = [${one("b")}, ${one("c")}]\n`);
    expect(removeServerText(text, "b")).toBe(`mcp.servers = [${one("a")}, ${one("c")}]\n`);
    expect(removeServerText(text, "c")).toBe(`mcp.servers = [${one("a")}, ${one("b")}]\n`);
    expect(removeServerText(`mcp.servers = [${one("a")}]\n`, "a")).toBe("mcp.servers = []\n");
  });

  test("in place of one of its name, only when that is wanted", () => {
    const text = `# top\n\n# about\n${BLOCK}[mcp.servers.env]\nA = "b"\n\n${OTHER}`;
    expect(messageOf(() => addServerText(text, { name: "Files", command: "y" }, "add"))).toContain("--force");
    expect(addServerText(text, { name: "Files", command: "y" }, "replace")).toBe(
      `# top\n\n# about\n[[mcp.servers]]\nname = "Files"\ncommand = "y"\n\n${OTHER}`,
    );
    expect(addServerText('mcp.servers = [{ name = "files", command = "x" }] # c\n', NEW, "replace")).toBe(
      'mcp.servers = [{ name = "files", command = "node", args = ["s.js"] }] # c\n',
    );
  });

  const piece = fc.constantFrom(
    "# comment",
    "",
    'autonomy = "full"',
    "[agent]\nmax_tool_iterations = 3 # three",
    '[tools.file]\ndeny_read = [\n  "a", # [[mcp.servers]]\n]',
    OTHER.trimEnd(),
    LONG.trimEnd(),
    '  [[ mcp . "servers" ]]\n  name = "inner"\n  command = """\n# not a comment\nx"""',
    '[[mcp.servers]]\nname = "envy"\ncommand = "e"\n[mcp.servers.env]\n"A.B" = "c"',
    'mcp.servers = [ { name = "in", command = "x" } ]',
    'mcp = { servers = [{ name = "in2", command = "x", args = ["]", "}"] }] }',
  );
  const document = fc
    .tuple(
      fc.array(piece, { maxLength: 6 }),
      fc.constantFrom("\n", "\r\n"),
      fc.constantFrom("", "\n", "\n\n"),
      fc.constantFrom("", "\ufeff"),
    )
    .map(([lines, eol, end, bom]) => `${bom}${(lines.join("\n") + end).replaceAll("\n", eol)}`)
    .filter(parses);
  const args = fc.array(
    fc.string({ unit: anyCharacter }).map((text) => text.replaceAll("\0", "x")),
    { maxLength: 3 },
  );

  test("and nothing else changes, in any layout", () => {
    fc.assert(
      fc.property(document, args, (text, args) => {
        const before = plain(parse(text));
        const servers: { name: string }[] = before.mcp?.servers ?? [];
        const server = { name: "new", command: "c", args, env: { 'a"b.c': "\u007f" } };
        const after = addServerText(text, server, "add");
        const expected = { ...before, mcp: { ...before.mcp, servers: [...servers, server] } };
        expect(plain(parse(after))).toEqual(expected);
        const back = plain(parse(removeServerText(after, "new")!));
        expect({ ...back, mcp: { servers: [], ...back.mcp } }).toEqual({ ...before, mcp: { servers: [], ...before.mcp } });
        for (const { name } of servers) {
          const rest = servers.filter((one) => one.name !== name);
          if (rest.length !== servers.length - 1) continue;
          const left = plain(parse(removeServerText(text, name)!));
          expect({ ...left, mcp: { servers: [], ...left.mcp } }).toEqual({ ...before, mcp: { ...before.mcp, servers: rest } });
        }
      }),
      { numRuns: 100 },
    );
  });
});

describe("a server is refused", () => {
  test.each([
    [{ name: "a__b", command: "x" }, "", "no two _ together"],
    [{ name: "a", command: "x", url: "https://a" }, "", "either command or url"],
    [{ name: "a", url: "ftp://a" }, "", "url"],
    [{ name: "a", command: "x", surprise: 1 }, "", "not a setting"],
    [{ name: "a", command: "x\ud800" }, "", "half a character"],
    [{ name: "a", command: "x" }, "a = \n", "This is not valid TOML"],
    [{ name: "a", command: "x" }, "[mcp.servers]\n", "not a list of servers"],
  ])("%j", (server, text, message) => {
    expect(messageOf(() => addServerText(text, server, "add"))).toContain(message);
  });
});

test("a file is made for its owner alone, and stays as it was when something is wrong", () => {
  const { userFile, user } = scratch();
  saveServer(userFile, NEW, "add");
  expect(readFileSync(userFile, "utf8")).toBe(BLOCK);
  expect(statSync(userFile).mode & 0o777).toBe(0o600);
  expect(() => saveServer(userFile, NEW, "add")).toThrow("already");
  expect(dropServer(userFile, "filse")).toBe(false);
  expect(dropServer(userFile, "files")).toBe(true);
  expect(readFileSync(userFile, "utf8")).toBe("");
  user("[mcp.servers]\n");
  expect(() => saveServer(userFile, NEW, "add")).toThrow("not a list");
  expect(readFileSync(userFile, "utf8")).toBe("[mcp.servers]\n");
  expect(dropServer(`${userFile}.none`, "x")).toBe(false);
});

function parses(text: string): boolean {
  try {
    parse(text);
    return true;
  } catch {
    return false;
  }
}

const plain = (value: unknown): any => JSON.parse(JSON.stringify(value));
