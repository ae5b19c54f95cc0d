import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { cpuMs } from "../../test/cpu.ts";
import { extractPaths } from "./paths-in-text.ts";

describe("paths in a text", () => {
  it.each<[string, string[]]>([
    ["cat /etc/passwd", ["/etc/passwd"]],
    ["see ./foo/bar and ../up, or ~/notes.md.", ["./foo/bar", "../up", "~/notes.md"]],
    ["src/main.rs:12:5: error", ["src/main.rs"]],
    ["cd ../.. && ls ./", ["../..", "./"]],
    ['{"a":"src/x.ts","b":["/y/z"]}', ["src/x.ts", "/y/z"]],
    ["(src/a.ts), [lib/b.ts]; `c/d.ts`! 'e/f.ts'?", ["src/a.ts", "lib/b.ts", "c/d.ts", "e/f.ts"]],
    ["--out=dist/x.js -I=/usr/include @types/node", ["dist/x.js", "/usr/include", "types/node"]],
    ["src/**/*.ts", ["src/**/*.ts"]],
    ["a/b a/b a/b", ["a/b"]],
    ["cat /a/b>/tmp/out</tmp/in", ["/a/b", "/tmp/out", "/tmp/in"]],
    ["and / or //", []],
    ["PATH=/usr/bin:/bin FOO+=/x make", []],
    ["https://example.com/a/b http://x/y(z)/w ftp://h/f file:///etc/passwd git+ssh://h/x", []],
    ["//cdn.example.com/x.js href=//cdn/x", []],
    ["git@github.com:me/repo.git localhost:3000/x www.example.com/a data:text/html,x", []],
    ["--url=https://example.com/x/y", []],
    ["['https://example.com/it','/etc/hosts']", ["/etc/hosts"]],
    ['{"u":"https://example.com/it","p":"/etc/hosts"}', ["/etc/hosts"]],
    ["[docs](https://example.com/a_(b)/c)", []],
    ["nothing here", []],
    ["", []],
  ])("%s", (text, paths) => {
    expect(extractPaths(text)).toEqual(paths);
  });

  const name = fc.stringMatching(/^[a-z][a-z0-9_-]{0,8}(?:\.[a-z]{1,4})?$/);
  const path = fc
    .tuple(fc.constantFrom("/", "./", "../", "~/", "a/"), fc.array(name, { minLength: 1, maxLength: 5 }))
    .map(([start, names]) => start + names.join("/"));
  const around = fc.constantFrom(
    ["", ""],
    ['"', '"'],
    ["'", "'"],
    ["`", "`"],
    ["(", ")"],
    ["[", "]"],
    ["{", "}"],
    ["<", ">"],
    ["", "."],
    ["", ","],
  );

  it("finds every path among words, whatever stands around it", () => {
    fc.assert(
      fc.property(fc.array(fc.tuple(path, around), { minLength: 1, maxLength: 8 }), (list) => {
        const text = list.map(([one, [open, close]]) => `word ${open}${one}${close} word`).join(" ");
        expect(extractPaths(text)).toEqual([...new Set(list.map(([one]) => one))]);
      }),
    );
  });

  it("finds none in an address", () => {
    const address = fc.oneof(
      fc.webUrl({ withFragments: true, withQueryParameters: true }),
      fc.webUrl().map((url) => url.replace(/^https?:/, "")),
      fc.tuple(fc.stringMatching(/^[a-z][a-z0-9+.-]{0,10}$/), path).map(([scheme, rest]) => `${scheme}://${rest}`),
    );
    const wrap = fc.constantFrom(["", ""], ['"', '"'], ["(", ")"], ["[x](", ")"], ["<", ">"], ["--url=", ""], ["see: ", "."]);
    fc.assert(
      fc.property(address, wrap, (url, [open, close]) => {
        expect(extractPaths(`go to ${open}${url}${close} now`)).toEqual([]);
      }),
    );
  });

  it("returns pieces of the text, each with a slash, and never fails", () => {
    fc.assert(
      fc.property(fc.string({ unit: fc.constantFrom(..."/.:=~a'\"()[]{} \n@-_0%$\\&|;,é😀"), maxLength: 200 }), (text) => {
        for (const one of extractPaths(text)) {
          expect(text).toContain(one);
          expect(one).toContain("/");
          expect(one).not.toContain("://");
        }
      }),
    );
  });

  it.each([
    ["slashes", "/"],
    ["names", "a/"],
    ["short paths", " a/b"],
    ["lone slashes", " /"],
    ["addresses", " http://a/b"],
    ["addresses in one token", "http://a/b'"],
    ["colons", "a/b:1"],
    ["dots", "a/......"],
    ["schemes that begin", "a/aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa:"],
    ["options", "--aaaaaaaaaaaaaaaaaaaaaaaaaaaaa/"],
    ["quotes", "'a/b'"],
    ["commas", ",/,"],
    ["double slashes", "'//a'"],
  ])("reads a megabyte of %s without delay", (_, piece) => {
    const text = piece.repeat(Math.ceil(1_000_000 / piece.length));
    extractPaths(text.slice(0, 10_000));
    const took = Math.min(...[1, 2, 3].map(() => timed(() => extractPaths(text))));
    // A quadratic reading would take minutes; the machine may be busy.
    expect(took).toBeLessThan(4000);
  });
});

function timed(work: () => unknown): number {
  const start = cpuMs();
  work();
  return cpuMs() - start;
}
