import { existsSync, mkdirSync, readdirSync, symlinkSync, writeFileSync } from "node:fs";
import { chmod } from "node:fs/promises";
import { dirname, join } from "node:path";
import { afterAll, describe, expect, it } from "vitest";
import { ungrouped } from "../../test/ungrouped.ts";
import { workspace } from "../../test/workspace.ts";

const place = workspace([{ op: "file", path: "outside/secret.txt", content: "needle outside\n" }]);
const zeph = await place.runtime();
afterAll(async () => {
  await zeph.close();
  place.remove();
});

type Runtime = typeof zeph;
const file = (name: string, content: string | Buffer) => {
  mkdirSync(dirname(join(place.work, name)), { recursive: true });
  writeFileSync(join(place.work, name), content);
};
const call = async (tool: string, input: object, runtime: Runtime = zeph) => {
  const outcome = await runtime.call(tool, input);
  return outcome.ok ? outcome.output.text : `${outcome.error.category}: ${outcome.error.message}`;
};
const grep = async (input: object, runtime?: Runtime) => ungrouped(await call("grep", input, runtime));
const find = (input: object, runtime?: Runtime) => call("find_path", input, runtime);
/** Runs with other settings for the file tools. */
async function under<T>(file: object, act: (runtime: Runtime) => Promise<T>): Promise<T> {
  const runtime = await place.runtime({ file });
  try {
    return await act(runtime);
  } finally {
    await runtime.close();
  }
}

describe("lines around a match", () => {
  file("ctx/a.txt", "1\n2\nneedle\n4\n5\n6\n7\n8\nneedle\n");
  file("ctx/b.txt", "needle\nb\n");
  it.each([
    [{ path: "ctx" }, "ctx/a.txt:3: needle\nctx/a.txt:9: needle\nctx/b.txt:1: needle"],
    [
      { path: "ctx", context: 1 },
      "ctx/a.txt:2- 2\nctx/a.txt:3: needle\nctx/a.txt:4- 4\n--\nctx/a.txt:8- 8\nctx/a.txt:9: needle\nctx/b.txt:1: needle\nctx/b.txt:2- b",
    ],
    [{ path: "ctx/b.txt", context: 3 }, "ctx/b.txt:1: needle\nctx/b.txt:2- b"],
    [{ path: "ctx", glob: "b.*" }, "ctx/b.txt:1: needle"],
    [{ path: "ctx", glob: "!b.*" }, "ctx/a.txt:3: needle\nctx/a.txt:9: needle"],
  ])("%j", async (input, expected) => expect(await grep({ pattern: "needle", ...input })).toBe(expected));
});

it("says a file's name once, with the lines below it, and a name that looks like a line begins with ./", async () => {
  file("grouped/a.txt", "1\nneedle\n3\n4\nneedle\n");
  file("grouped/12:x", "needle\n");
  expect(await call("grep", { pattern: "needle", path: "grouped" })).toBe("grouped/12:x\n1:needle\ngrouped/a.txt\n2:needle\n5:needle");
  expect(await call("grep", { pattern: "needle", path: "grouped/a.txt", context: 1 })).toBe(
    "grouped/a.txt\n1-1\n2:needle\n3-3\n4-4\n5:needle",
  );
  file("7:y", "rare needle\n");
  expect(await call("grep", { pattern: "rare needle", path: "7:y" })).toBe("./7:y\n1:rare needle");
});

describe("case", () => {
  file("case/a.txt", "Needle\n");
  it.each([
    [{}, "No matches for needle in 1 file."],
    [{ case_sensitive: true }, "No matches for needle in 1 file."],
    [{ case_sensitive: false }, "case/a.txt:1: Needle"],
  ])("%j", async (input, expected) => expect(await grep({ pattern: "needle", path: "case", ...input })).toBe(expected));
});

describe("a line too long to be shown", () => {
  const filler = "const a=b(c);".repeat(3000);
  file("min/a.js", `${filler}export function debounce(){}${filler}\n${"é".repeat(400)}debounce${"é".repeat(400)}\nshort debounce\n`);
  file("min/wide.js", Buffer.from(`\ufeff${filler}export function debounce(){}\n`, "utf16le") as never);
  it.each(["min", "min/a.js", "min/wide.js"])("keeps what was searched for, in %s", async (path) => {
    const lines = (await grep({ pattern: "debounce", path })).split("\n");
    for (const line of lines) expect(line).toContain("debounce");
    expect(lines[0]).toMatch(/\.js:1: \[\.\.\. omitted 38\d{3} bytes of long line\] .*const a=b\(c\);export function debounce\(\)\{\}/);
    for (const line of lines) expect(line).not.toContain("\ufffd");
    expect(Math.max(...lines.map(({ length }) => length))).toBeLessThan(600);
  });
});

describe("a limit", () => {
  for (let n = 0; n < 5; n++) file(`limit/f${n}.txt`, "one\n");
  it.each([
    [4, 4, true],
    [5, 5, false],
    [6, 5, false],
  ])("of %i shows %i, more: %s", async (limit, shown, more) => {
    const lines = (await grep({ pattern: "one", path: "limit", limit })).split("\n");
    expect(lines.filter((line) => /^limit\/f\d.txt:1: one$/.test(line))).toHaveLength(shown);
    expect(lines.at(-1)!.startsWith(`(more matches; the first ${limit} found`)).toBe(more);
    const paths = (await find({ path: "limit", pattern: "*", limit })).split("\n");
    expect(paths.slice(0, shown)).toEqual(Array.from({ length: shown }, (_, n) => `limit/f${n}.txt`));
    expect(paths.at(-1)!.startsWith("(more files match")).toBe(more);
  });
  it("counts matches in one file", async () => {
    file("limit-one/a.txt", "one\n".repeat(9));
    for (const path of ["limit-one", "limit-one/a.txt"])
      expect(await grep({ pattern: "one", path, limit: 2 })).toBe(
        "limit-one/a.txt:1: one\nlimit-one/a.txt:2: one\n(more matches; the first 2 found are shown)",
      );
  });
  it("is also reached when there is more text than anybody reads", async () => {
    for (let n = 0; n < 500; n++) file(`much/${n}.txt`, `${`${"y".repeat(499)}\n`.repeat(40)}z\n`);
    const large = await zeph.call("grep", { pattern: "z", path: "much", context: 20, limit: 5000 });
    expect(large).toMatchObject({ ok: true, output: { truncated: true } });
    expect(large.ok && large.output.text.length).toBeLessThan(6_000_000);
    expect(large.ok && large.output.text).toMatch(/\(more matches; the first \d+ found are shown\)$/);
  });
});

describe("the order", () => {
  const names = Array.from({ length: 9000 }, (_, n) => `order/${n % 7}/${(n * 7919) % 9000}.txt`);
  for (const name of names) file(name, "ordered\n");
  it("of paths is theirs, however many there are", async () =>
    expect((await find({ path: "order", pattern: "*.txt", limit: 10_000 })).split("\n")).toEqual([...names].sort()));
  it("of paths is theirs under a limit", async () =>
    expect((await find({ path: "order", pattern: "*.txt", limit: 50 })).split("\n").slice(0, 50)).toEqual([...names].sort().slice(0, 50)));
  it("of matches is that of the paths", async () => {
    const under3 = names.filter((name) => name.startsWith("order/3/")).sort();
    expect(await grep({ pattern: "ordered", path: "order/3", limit: 5000 })).toBe(under3.map((name) => `${name}:1: ordered`).join("\n"));
  });
});

describe("what a line may look like", () => {
  const long = `needle ${"é".repeat(2000)}`;
  const cut = " [... omitted end of long line]";
  it.each<[string, string | Buffer, string]>([
    ["long", `a\n${long}\nb\n`, `2: ${long.slice(0, 500)}${cut}`],
    ["long and last", long, `1: ${long.slice(0, 500)}${cut}`],
    ["one that says it is cut", `needle${cut}\n`, `1: needle${cut}`],
    ["of a DOS file", "a\r\nneedle\r\nb\r\n", "2: needle"],
    ["of a DOS file, last without an end", "a\r\nneedle", "2: needle"],
    ["of a DOS file, long", `a\r\n${long}\r\n`, `2: ${long.slice(0, 500)}${cut}`],
    ["last without an end", "a\nneedle", "2: needle"],
    ["with colons and dashes", "3:4:needle-5-6\n", "1: 3:4:needle-5-6"],
    ["far into a file", `${"x\n".repeat(50_000)}needle here\n${"y\n".repeat(50_000)}needle there\n`, "50001: needle here"],
    ["after a byte order mark", "\ufeffneedle\nneedle 2\n", "2: needle 2"],
    ["not UTF-8", Buffer.from("needle \xe9\n", "latin1"), "1: needle \ufffd"],
    ["UTF-16, little end first", utf16le("\ufeffü\nneedle 😀\r\nneedle\n"), "2: needle 😀"],
    ["UTF-16, big end first", utf16le("\ufeffü\nneedle 😀\r\nneedle\n").swap16(), "3: needle"],
    ["UTF-16 far in", utf16le(`\ufeff${"ü\n".repeat(60_000)}needle\n`), "60001: needle"],
  ])("%s", async (name, content, expected) => {
    file(`lines/${name}.txt`, content);
    const inFolder = await grep({ pattern: "needle", path: "lines", glob: `${name}.txt` });
    expect(inFolder.split("\n")).toContain(`lines/${name}.txt:${expected}`);
    // A file is read through its descriptor, a folder by names that are looked at again: both say the same.
    expect(await grep({ pattern: "needle", path: `lines/${name}.txt` })).toBe(inFolder);
  });
  it("may end as in DOS files or not: $ stands before either end", async () => {
    file("ends/dos.txt", "foo bar\r\nbar x\r\nlast bar");
    file("ends/unix.txt", "foo bar\nbar x\nlast bar");
    file("ends/mixed.txt", "foo bar\r\nbar x\nbar\n");
    file("ends/wide.txt", utf16le("\ufefffoo bar\r\nbar x\r\n"));
    const all = [
      "dos.txt:1: foo bar",
      "dos.txt:3: last bar",
      "mixed.txt:1: foo bar",
      "mixed.txt:3: bar",
      "unix.txt:1: foo bar",
      "unix.txt:3: last bar",
      "wide.txt:1: foo bar",
    ];
    expect(await grep({ pattern: "bar$", path: "ends" })).toBe(all.map((line) => `ends/${line}`).join("\n"));
    expect(await grep({ pattern: "bar$", path: "ends/dos.txt" })).toBe("ends/dos.txt:1: foo bar\nends/dos.txt:3: last bar");
    // Who names it means it.
    for (const pattern of ["bar\\r", "bar\\x0d", "bar[\\r]", "bar\\x{D}", "bar\\u000d"])
      expect(await grep({ pattern, path: "ends/dos.txt" })).toBe("ends/dos.txt:1: foo bar");
  });
  it("leaves binary files out, and says so where nothing else matches", async () => {
    file("binary/a.bin", Buffer.from("needle \0\0\x01 needle\n"));
    file("binary/late.bin", `needle\n${"x\n".repeat(200_000)}\0\n`);
    file("binary/b.txt", "needle\n");
    expect(await grep({ pattern: "needle", path: "binary", glob: "{a.bin,b.txt}" })).toBe("binary/b.txt:1: needle");
    expect(await grep({ pattern: "needle", path: "binary" })).toContain("binary/b.txt:1: needle");
    const one = "No matches in text for needle.\n(1 binary file matches and is not shown: binary/a.bin)";
    expect(await grep({ pattern: "needle", path: "binary", glob: "a.bin" })).toBe(one);
    expect(await grep({ pattern: "needle", path: "binary/a.bin" })).toBe(one);
    expect(await grep({ pattern: "NEEDLE", path: "binary/a.bin" })).not.toContain("binary file");
    expect(await grep({ pattern: "NEEDLE", path: "binary" })).not.toContain("binary file");
    file("many/late.bin", `needle\n${"x\n".repeat(200_000)}\0\nrare\n`);
    for (let n = 0; n < 25; n++) file(`many/${n}\n.bin`, Buffer.from("\0\nrare\n"));
    expect(await grep({ pattern: "rare", path: "many", glob: "[12]*" })).toMatch(
      /\(17 binary files match and are not shown: "many\/1\\n\.bin", .*, …\)$/,
    );
    expect(await grep({ pattern: "rare", path: "many" })).toMatch(/\(at least 20 binary files match and are not shown: /);
    expect(await grep({ pattern: "rare", path: "many", glob: "late.bin" })).toContain("1 binary file matches");
    expect(await grep({ pattern: "needle", path: "many/late.bin" })).toBe(
      "many/late.bin:1: needle\n(a binary file: what follows its first NUL byte is not shown)",
    );
  });
  it("of binary files that may not be read, nothing is said", () =>
    under({ deny_read: ["**/a.bin"] }, async (runtime) => {
      file("unread/a.bin", Buffer.from("\0needle\n"));
      expect(await grep({ pattern: "needle", path: "unread" }, runtime)).not.toContain("binary");
    }));
});

describe("file names", () => {
  it.each(["ünï/çødé 😀.txt", "with space/a b.txt", "-dash/-n.txt", "co:lon/1:2:3.txt", ".hidden/.dot.txt", `${"d/".repeat(90)}deep.txt`])(
    "%s",
    async (name) => {
      file(`names/${name}`, "first\nneedle in here\n");
      const folder = `names/${name.split("/")[0]}`;
      expect(await grep({ pattern: "needle", path: folder })).toBe(`names/${name}:2: needle in here`);
      expect(await find({ path: folder, pattern: "*.txt" })).toBe(`names/${name}`);
    },
  );
  it("that many folders hold are all looked at, and no descriptor stays open", async () => {
    for (let n = 0; n < 300; n++) file(`folders/${n}/deep/er/a.txt`, "needle\n");
    const count = () => readdirSync("/proc/self/fd").length;
    await grep({ pattern: "needle", path: "folders" });
    const before = existsSync("/proc/self/fd") ? count() : 0;
    expect((await grep({ pattern: "needle", path: "folders", limit: 1000 })).split("\n")).toHaveLength(300);
    expect((await grep({ pattern: "needle", path: "folders", limit: 7 })).split("\n")).toHaveLength(8);
    expect((await find({ path: "folders", pattern: "a.txt", limit: 1000 })).split("\n")).toHaveLength(300);
    if (before > 0) await expect.poll(count).toBeLessThanOrEqual(before);
  });
  it("of ignored files and links are not searched, dot files are", async () => {
    file("ignored/.gitignore", "*.log\n");
    file("ignored/.ignore", "skip/\n");
    mkdirSync(join(place.work, "ignored/.git"));
    for (const name of ["a.log", "skip/a.txt", ".env", "a.txt", ".git/config"]) file(`ignored/${name}`, "needle\n");
    symlinkSync("../../outside/secret.txt", join(place.work, "ignored/link.txt"));
    symlinkSync("../../outside", join(place.work, "ignored/linked"));
    expect(await grep({ pattern: "needle", path: "ignored" })).toBe("ignored/.env:1: needle\nignored/a.txt:1: needle");
    // A pattern asks for a file by name, so an ignore file that lists it does not count. One that lists its folder does.
    expect(await find({ path: "ignored", pattern: "{*.txt,*.log,config}" })).toBe("ignored/a.log\nignored/a.txt");
  });
  it("with a broken ignore file beside them are searched all the same", async () => {
    file("broken/.ignore", "{\n");
    file("broken/a.txt", "needle\n");
    expect(await grep({ pattern: "needle", path: "broken" })).toBe("broken/a.txt:1: needle");
  });
});

describe("files that may not be read", () => {
  const NOTE = "(files that may not be read are not searched)";
  file("deny/.env", "TOKEN=abc\nneedle denied\n");
  file("deny/a.txt", "needle\n");
  it("are not searched, and whether they match does not show", () =>
    under({ deny_read: ["**/.env"] }, async (runtime) => {
      expect(await grep({ pattern: "needle", path: "deny" }, runtime)).toBe(`deny/a.txt:1: needle\n${NOTE}`);
      const guess = (pattern: string) => grep({ pattern, path: "deny" }, runtime);
      expect((await guess("TOKEN=a")).replace("TOKEN=a", "")).toBe((await guess("TOKEN=z")).replace("TOKEN=z", ""));
      expect(await guess("TOKEN=a")).toBe(`No matches for TOKEN=a in 1 file.\n${NOTE}`);
    }));
  it("do not use up the limit", () =>
    under({ deny_read: ["**/.env"] }, async (runtime) =>
      expect(await grep({ pattern: "needle|TOKEN", path: "deny", limit: 1 }, runtime)).toBe(`deny/a.txt:1: needle\n${NOTE}`),
    ));
  it("are those that are not allowed, too", () =>
    under({ allow_read: ["**/*.txt"] }, async (runtime) =>
      expect(await grep({ pattern: "needle", path: "deny" }, runtime)).toBe(`deny/a.txt:1: needle\n${NOTE}`),
    ));
  it("are not mentioned where no rule is set", async () =>
    expect(await grep({ pattern: "nothing-like-it", path: "deny" })).not.toContain("("));

  it("cannot borrow another name with a line break in theirs", () =>
    under({ deny_read: ["breaks/secret/**", "**/*.key"] }, async (runtime) => {
      const DENIED = "needle denied";
      file("breaks/secret/x\nopen.txt", `${DENIED}\n`);
      file("breaks/x.key\n.txt.key", `${DENIED}\n`);
      file("breaks/y\n./open.txt.key", `${DENIED}\n`);
      file("breaks/z\n./plain.txt", "needle in a file of its own\n");
      // The names that the second half of each would be mistaken for.
      for (const name of ["open.txt", "secret/open.txt", ".txt.key", "open.txt.key", "plain.txt"]) file(`breaks/${name}`, "other\n");
      const text = await grep({ pattern: "needle|other", path: "breaks" }, runtime);
      expect(text).toBe(
        `breaks/open.txt:1: other\nbreaks/plain.txt:1: other\n"breaks/z\\n./plain.txt":1: needle in a file of its own\n${NOTE}`,
      );
    }));
});

describe("the insides of processes", () => {
  it.skipIf(!existsSync("/proc/self/status"))("are not reached from above", () =>
    under({ allowed_paths: ["/"] }, async (runtime) => {
      expect(await find({ path: "/proc", pattern: "status" }, runtime)).toMatch(/^No files match status among \d+ files\.$/);
      expect(await grep({ path: "/proc", pattern: "^Name:", glob: "status" }, runtime)).toMatch(
        /^No matches for \^Name: in \d+ files?\.(?:\n|$)|^No matches for \^Name:: no file was searched/,
      );
      expect(await grep({ path: `/proc/${process.pid}`, pattern: "x" }, runtime)).toContain("policy_blocked");
      expect(await find({ path: "/proc", pattern: "cpuinfo" }, runtime)).toBe("/proc/cpuinfo");
    }),
  );
});

describe("what the engine refuses", () => {
  it.each([
    [{ pattern: "(" }, /^invalid_parameters: .*unclosed group/],
    [{ pattern: "a\\x00b" }, /^invalid_parameters: .*pattern contains "\\0" but it is impossible to match$/],
    [{ pattern: "a\\nb" }, /^invalid_parameters: .*"\\n" is not allowed in a regex$/],
    [{ pattern: "(?=a)" }, /^invalid_parameters: .*look-around/],
    [{ pattern: "a", glob: "[" }, /^invalid_parameters: .*unclosed character class/],
    [{ pattern: "(((a{999}){999}){999})" }, /^invalid_parameters: .*(size limit|exceeds)/],
  ])("%j", async (input, message) => {
    expect(await grep({ path: "ctx", ...input })).toMatch(message);
    if (!("glob" in input)) expect(await grep({ path: "ctx/a.txt", ...input })).toMatch(message);
  });
  it("is said of a glob", async () => expect(await find({ path: "ctx", pattern: "{a" })).toMatch(/^invalid_parameters: .*alternate group/));
});

// The superuser may enter and list everything.
describe.skipIf(process.getuid?.() === 0)("a folder that is closed", () => {
  it.each([0o600, 0o300, 0])("with mode %o is named", async (mode) => {
    file(`closed-${mode}/a.txt`, "needle\n");
    await chmod(join(place.work, `closed-${mode}`), mode);
    const expected = `permanent_failure: closed-${mode}: permission denied (EACCES).`;
    expect(await grep({ pattern: "needle", path: `closed-${mode}` })).toBe(expected);
    expect(await find({ path: `closed-${mode}`, pattern: "*" })).toBe(expected);
    await chmod(join(place.work, `closed-${mode}`), 0o700);
  });
  it("leaves out what lies in a closed folder below", async () => {
    file("half/a.txt", "needle\n");
    file("half/closed/a.txt", "needle\n");
    await chmod(join(place.work, "half/closed"), 0);
    expect(await grep({ pattern: "needle", path: "half" })).toBe("half/a.txt:1: needle");
    await chmod(join(place.work, "half/closed"), 0o700);
  });
});

describe("a search that is stopped", () => {
  it("ends at once", async () => {
    const stop = new AbortController();
    const running = zeph.call("grep", { pattern: ".", limit: 5000, context: 20 }, { signal: stop.signal });
    stop.abort();
    expect(await running).toMatchObject({ ok: false, error: { category: "cancelled" } });
  });
});

/** With the byte order mark that the text begins with. */
function utf16le(text: string): Buffer {
  return Buffer.from(text, "utf16le");
}
