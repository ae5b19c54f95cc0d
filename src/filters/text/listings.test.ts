import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { type Line, printedLine, sumOf } from "../line.ts";
import { blamedCommits } from "./blame.ts";
import { namesSideBySide, shortRows } from "./listing.ts";
import { groupedPaths } from "./paths.ts";
import { groupedSizes } from "./sizes.ts";
import { indentedTree, packageTree } from "./tree.ts";

const linesOf = (texts: readonly string[]): Line[] => texts.map(printedLine);
const textsOf = (lines: readonly Line[] | null): string[] => (lines ?? []).map(({ text }) => text);

/** Words of a short form: apart by blanks, or quoted. */
function wordsOf(text: string): string[] {
  return [...text.matchAll(/"(?:[^"\\]|\\.)*":?|\S+/g)].map(([word]) => {
    const colon = word.endsWith(":") ? ":" : "";
    const bare = colon ? word.slice(0, -1) : word;
    return `${bare.startsWith('"') ? (JSON.parse(bare) as string) : bare}${colon}`;
  });
}

/** `folder: a b` names folder/a and folder/b; other lines name what they say. */
function pathsIn(line: string): string[] {
  const isFamily = /^(?:"(?:[^"\\]|\\.)*"|[^\s"]*): /.test(line);
  const [first, ...names] = wordsOf(line);
  if (!isFamily) return [first!, ...names];
  const folder = first!.slice(0, -1);
  return names.map((name) => `${folder}${folder.endsWith("/") ? "" : "/"}${name}`);
}

/** Names with blanks, quotes and colons, in many scripts. */
const segment = fc
  .oneof(
    fc.constantFrom("src", "a", "b", "lib", "x y", "it's", 'say "so"', "c:", "d: e", "日本", "…", "-n", "a.ts"),
    fc.string({ maxLength: 6 }),
  )
  .filter((name) => name.trim() === name && name !== "" && !/[/\p{Cc}]/u.test(name) && printedLine(name).errors === 0);

describe("a list of paths", () => {
  const short = (paths: readonly string[]) => textsOf(groupedPaths(linesOf(paths)));

  it("says a folder once", () => {
    expect(short(["./src/a.ts", "./src/b.ts", "./src/c.ts"])).toEqual(["./src: a.ts b.ts c.ts"]);
  });

  it("gathers what is alone in its folder under the folder above", () => {
    expect(short(["m/a/package.json", "m/b/package.json", "m/c/package.json"])).toEqual([
      "m: a/package.json b/package.json c/package.json",
    ]);
  });

  it("leaves a few paths as they are", () => {
    expect(short(["a/b.ts", "c/d.ts"])).toEqual(["a/b.ts", "c/d.ts"]);
  });

  it("keeps messages in their place", () => {
    const denied = "find: '/root': Permission denied";
    expect(short(["a/1", "a/2", "a/3", denied, "a/4"])).toEqual(["a: 1 2 3", denied, "a/4"]);
  });

  it("quotes a name that could be read as two", () => {
    expect(short(["a/x y", "a/b", "a/c:"])).toEqual(['a: "x y" b "c:"']);
  });

  it("can be read back, whatever the names are", () => {
    const path = fc
      .tuple(fc.constantFrom("", "./", "/", "../"), fc.array(segment, { minLength: 1, maxLength: 5 }), fc.constantFrom("", "/"))
      .map(([start, parts, end]) => `${start}${parts.join("/")}${end}`);
    fc.assert(
      fc.property(fc.uniqueArray(path, { maxLength: 40 }), (paths) => {
        const lines = groupedPaths(linesOf(paths));
        expect(textsOf(lines).flatMap(pathsIn).sort()).toEqual([...paths].sort());
        expect(sumOf(lines).covers).toBe(paths.length);
      }),
      { numRuns: 100 },
    );
  });
});

describe("sizes", () => {
  it("keep their order, and say a folder once where its rows follow one another", () => {
    const rows = ["4\ta/x", "4\ta/y z", "8\ta/w", "20\ta", "4.0K\t./b", "1,2M\tc"];
    expect(textsOf(groupedSizes(linesOf(rows)))).toEqual(['a/: 4 x 4 "y z" 8 w', "20 a", "4.0K b", "1,2M c"]);
  });

  it("leave what is no size", () => {
    expect(textsOf(groupedSizes(linesOf(["du: cannot read directory 'x': Permission denied", "4\ta"])))).toEqual([
      "du: cannot read directory 'x': Permission denied",
      "4 a",
    ]);
  });
});

interface Tree {
  readonly name: string;
  readonly children: readonly Tree[];
}

describe("a drawn tree", () => {
  const draw = ({ name, children }: Tree): string[] => [name, ...branches(children, "")];
  const branches = (children: readonly Tree[], stem: string): string[] =>
    children.flatMap(({ name, children: below }, n) => {
      const isLast = n === children.length - 1;
      return [`${stem}${isLast ? "└── " : "├── "}${name}`, ...branches(below, `${stem}${isLast ? "    " : "│\u00a0\u00a0 "}`)];
    });
  const pathsOf = ({ name, children }: Tree): string[] => [name, ...children.flatMap(pathsOf).map((path) => `${name}/${path}`)];

  /** Indentation tells whose child a line is; words after the colon are its files. */
  function pathsOfIndented(lines: readonly string[]): string[] {
    const above: string[] = [];
    return lines.flatMap((line) => {
      const depth = /^ */.exec(line)![0].length;
      const [first, ...files] = wordsOf(line);
      const name = first!.replace(/:$/, "");
      const path = depth === 0 ? name : `${above[depth - 1]}/${name}`;
      above[depth] = path;
      return [path, ...files.map((file) => `${path}/${file}`)];
    });
  }

  it("names every folder once, with its files after a colon", () => {
    const raw = [".", "├── a", "│   ├── b", "│   │   └── c", "│   └── d", "└── e", "", "2 directories, 3 files"];
    expect(textsOf(indentedTree(linesOf(raw)))).toEqual([".: e", " a: d", "  b: c", "", "2 directories, 3 files"]);
  });

  it("can be read back, whatever the names are", () => {
    const name = segment.filter((text) => !text.includes(" -> ") && !/^\[|:$|^["]/.test(text));
    const treeOf = (depth: number): fc.Arbitrary<Tree> =>
      fc.record({
        name,
        children: depth === 0 ? fc.constant([]) : fc.uniqueArray(treeOf(depth - 1), { maxLength: 4, selector: (child) => child.name }),
      });
    fc.assert(
      fc.property(treeOf(3), (root) => {
        const raw = draw(root);
        fc.pre(raw.length > 4);
        const lines = indentedTree(linesOf(raw))!;
        expect(pathsOfIndented(textsOf(lines)).sort()).toEqual(pathsOf(root).sort());
        expect(sumOf(lines).covers).toBe(raw.length);
      }),
      { numRuns: 50 },
    );
  });

  it("loses nothing when its beginning was cut off", () => {
    const raw = ["│   │   ├── x", "│   │   └── y", "│   └── z", "├── src", "│   └── a.ts", "└── b.ts"];
    const lines = indentedTree(linesOf(raw))!;
    expect(textsOf(lines)).toEqual(["   x", "   y", "  z", " src: a.ts", " b.ts"]);
    expect(sumOf(lines).covers).toBe(raw.length);
  });

  it("is nothing else", () => {
    expect(indentedTree(linesOf(["a", "b", "c"]))).toBeNull();
  });
});

describe("ls", () => {
  const rows = [
    "total 12",
    "drwxr-xr-x  2 ana dev  4096 Nov 15 06:54 .",
    "drwxr-xr-x  9 ana dev  4096 Nov 15 06:50 ..",
    "-rw-r--r--  1 ana dev    72 Nov 15 06:54 a.ts",
    "-rw-r--r--  1 ana dev  9000 Jan  3  2025 my notes.md",
    "-rwxr-xr-x  1 ana dev    10 Nov 15 06:54 run",
    "lrwxrwxrwx  1 ana dev     4 Nov 15 06:54 link -> a.ts",
    "-rw-r--r--  1 root root   1 Nov 15 06:54 other",
    "drwxr-xr-x  2 ana dev  4096 Nov 15 06:54 src",
    "drwxr-xr-x  2 ana dev  4096 Nov 15 06:54 lib",
    "crw-rw-rw-  1 ana dev 1,  3 Nov 15 06:54 null",
  ];

  it("says once what nearly all files have in common", () => {
    expect(textsOf(shortRows(linesOf(rows)))).toEqual([
      "(-rw-r--r--, drwxr-xr-x, ana:dev, Nov 15 06:54 unless said)",
      "72 a.ts",
      '9000 Jan 3 2025 "my notes.md"',
      "10 -rwxr-xr-x run",
      "4 lrwxrwxrwx link -> a.ts",
      "1 root:root other",
      "src/",
      "lib/",
      "1,3 crw-rw-rw- null",
    ]);
  });

  it("counts the rows it leaves out", () => {
    expect(sumOf(shortRows(linesOf(rows))!).covers).toBe(rows.length - 3);
  });

  it("keeps what is no row", () => {
    const lines = ["ls: cannot access 'x': No such file or directory", "src:", ...rows.slice(3, 7), "", "lib:", rows[3]!];
    expect(textsOf(shortRows(linesOf(lines)))).toEqual(
      expect.arrayContaining(["ls: cannot access 'x': No such file or directory", "src:", "lib:"]),
    );
  });

  it("reads the dates of other styles", () => {
    const styles = ["2026-11-15 06:54", "2026-11-15 06:54:12.000000000 +0100", "11-15 06:54", "15 Nov 06:54"];
    for (const date of styles) {
      const lines = ["a", "b", "c"].map((name) => `-rw-r--r-- 1 ana dev 1.5K ${date} ${name}`);
      expect(textsOf(shortRows(linesOf(lines)))).toEqual([`(-rw-r--r--, ana:dev, ${date} unless said)`, "1.5K a", "1.5K b", "1.5K c"]);
    }
  });

  it("puts names side by side", () => {
    expect(textsOf(namesSideBySide(linesOf(["src:", "a", "b c", "", "lib:", "d"])))).toEqual(["src:", 'a "b c"', "lib:", "d"]);
  });
});

it("a tree of packages names those that need no others beside each other", () => {
  const raw = [
    "shop@1.0.0 /home/dev/shop",
    "├─┬ express@4.2.0",
    "│ ├── accepts@1.3.8",
    "│ ├─┬ body@1.0.0",
    "│ │ └── bytes@3.1.2",
    "│ └── ms@2.0.0 deduped",
    "├── UNMET DEPENDENCY left-pad@*",
    "└── ms@2.0.0",
  ];
  expect(textsOf(packageTree(linesOf(raw), "all"))).toEqual([
    "shop@1.0.0 /home/dev/shop: UNMET DEPENDENCY left-pad@*, ms@2.0.0",
    " express@4.2.0: accepts@1.3.8",
    "  body@1.0.0: bytes@3.1.2",
  ]);
  // Whoever asks for a package wants every place of it.
  expect(textsOf(packageTree(linesOf(raw), "some"))).toContain(" express@4.2.0: accepts@1.3.8, ms@2.0.0 deduped");
});

it("a line of blame stands below its commit, with its number and every blank", () => {
  const raw = [
    "5c2615a6 (Ada Lo 2026-03-02 10:11:12 +0100 1) # Notes",
    "5c2615a6 (Ada Lo 2026-03-02 10:11:12 +0100 2) ",
    "^0ce4c9b1 src/b.md (Bo 2026-03-04 09:00:00 +0000 3)   indented  text",
  ];
  expect(textsOf(blamedCommits(linesOf(raw)))).toEqual([
    "5c2615a6 Ada Lo 2026-03-02",
    " 1 # Notes",
    " 2",
    "^0ce4c9b1 src/b.md Bo 2026-03-04",
    " 3   indented  text",
  ]);
  expect(blamedCommits(linesOf([...raw, "fatal: no such path"]))).toBeNull();
});
