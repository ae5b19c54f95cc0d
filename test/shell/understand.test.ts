// biome-ignore-all lint/suspicious/noTemplateCurlyInString: bash has these braces too.
import { describe, expect, it } from "vitest";
import { understand } from "../../src/shell/understand.ts";

const commands = (text: string) => understand(text).commands.map(({ argv }) => argv);
const touched = (text: string) =>
  understand(text).touches.flatMap((touch) =>
    touch.kind === "path" ? [`${touch.access} ${touch.path}${touch.tree ? "/" : ""}`] : touch.kind === "url" ? [touch.url] : [],
  );

describe("words", () => {
  it.each<[string, (string | null)[]]>([
    ["echo a 'b c' \"d $x\"", ["echo", "a", "b c", null]],
    ["x='a b'; echo $x \"$x\"", ["echo", "a", "b", "a b"]],
    ["x=(a 'b c'); echo \"${x[@]}\" ${x[@]}", ["echo", "a", "b c", "a", "b", "c"]],
    ["echo a{1..3} {x,y}{1,2}", ["echo", "a1", "a2", "a3", "x1", "x2", "y1", "y2"]],
    ["echo {a..c} {01..03} {5..1..2}", ["echo", "a", "b", "c", "01", "02", "03", "5", "3", "1"]],
    ["echo {a} '{a,b}' \\{a,b}", ["echo", "{a}", "{a,b}", "{a,b}"]],
    [`rm {'a,b',c} {"d,\\"}",e}`, ["rm", "a,b", "c", 'd,"}', "e"]],
    ['echo ~ ~/x "~" $HOME/y', ["echo", "~", "~/x", "./~", "~/y"]],
    ["echo *.ts 'a*'", ["echo", "*.ts", "a*"]],
    ["x=abc; echo ${x#a} ${x%c} ${x:1} ${x:0:1} ${x/b/B} ${x^^} ${#x}", ["echo", "bc", "ab", "bc", "a", "aBc", "ABC", null]],
    ["x=a.b.c; echo ${x%%.*} ${x##*.} ${x%.*}", ["echo", "a", "c", "a.b"]],
    ["echo \"\" ''", ["echo", "", ""]],
    ["echo $y ${y:-z}", ["echo", null, "z"]],
    ["IFS=,; x=a,b; echo $x", ["echo", null]],
    ["x=a,b; IFS=, read -r y; echo $x", ["echo", "a,b"]],
  ])("%s", (text, argv) => expect(commands(text)).toContainEqual(argv));
});

it("a word with several values makes several commands", () => {
  expect(commands("for x in a b; do echo $x; done")).toEqual([
    ["echo", "a"],
    ["echo", "b"],
  ]);
  expect(commands("if t; then a=1; else a=2; fi; echo $a")).toEqual(
    expect.arrayContaining([
      ["echo", "1"],
      ["echo", "2"],
      ["echo", null],
    ]),
  );
});

describe("what is touched", () => {
  it.each([
    ["echo x > a 2>&1", ["write a"]],
    ["echo x >> a 2> /dev/null", ["write a"]],
    ["cat < a &> b", ["read a", "write b"]],
    ["rm -rf a b", ["delete a/", "delete b/"]],
    ["rm a", ["delete a"]],
    ["mv a b", ["delete a/", "write b"]],
    ["cp -t d a b", ["read a", "read b", "write d"]],
    ["ln -s a b", ["write b"]],
    ["cd sub && rm x", ["delete sub/x"]],
    ["(cd sub; touch a); touch b", ["write sub/a", "write b"]],
    ["cd /x; cd y; > z", ["write /x/y/z"]],
    ["cd ~; touch a", ["write ~/a"]],
    ["sed -i s/a/b/ f g", ["write f", "write g"]],
    ["sed -n 's/a/b/w out' f", ["write out"]],
    ["tee -a x y", ["write x", "write y"]],
    ["dd if=a of=b", ["read a", "write b"]],
    ["tar xf a.tar -C out", ["write out/"]],
    ["tar czf out.tgz src", ["write out.tgz"]],
    ["chmod -R 755 d", ["write d/"]],
    ["chmod -x f", ["write f"]],
    ["find d -name x -delete", ["read d", "delete d/{}/"]],
    ["find d -fprintf out x", ["read d", "write out"]],
    ["git checkout -- a b", ["write a/", "write b/"]],
    ["git -C sub clean -fd", ["delete sub/./"]],
    ["git log --output=x", ["write x"]],
    ["grep -rn pattern src", ["read src"]],
    ["curl -o out https://a.example/x", ["write out", "https://a.example/x"]],
    ["git clone https://a.example/x.git", ["https://a.example/x.git"]],
    ["exec 3<>/dev/tcp/h/80", ["tcp://h:80"]],
    ["{ echo a; } > out", ["write out"]],
    ["for f in a b; do rm $f; done", ["delete a", "delete b"]],
    ["history -a f", ["write f"]],
    ["sort a -o b", ["write b"]],
    ["cat a <<EOF > b\nx\nEOF", ["read a", "write b"]],
    ["awk '{print > \"x\"}' f", ["write x"]],
    ["perl -pi -e 's/a/b/' f", ["write f"]],
  ])("%s", (text, expected) => expect(touched(text)).toEqual(expected));
});

describe("where", () => {
  it("says how deep and where in the text", () => {
    const text = "echo a; sh -c 'echo $(id)'";
    const { commands, constructs } = understand(text);
    expect(commands.map(({ text }) => text)).toEqual(["echo a", "sh -c 'echo $(id)'", "id", "echo $(id)"]);
    expect(commands[2]!.where).toEqual({ start: 8, end: text.length, inside: "inside $(…) inside sh -c" });
    expect(constructs).toEqual([{ kind: "$()", where: { start: 8, end: text.length, inside: "inside sh -c" } }]);
  });
  it("keeps assignments, redirections and the folder", () => {
    expect(understand("cd x; A=1 B=$C cmd > out").commands[1]).toMatchObject({
      argv: ["cmd"],
      text: "A=1 B=$C cmd > out",
      assignments: [
        { name: "A", value: "1" },
        { name: "B", value: null },
      ],
      redirections: [{ operator: ">", access: "write", path: "out" }],
      cwd: "x",
    });
  });
});

describe("constructs", () => {
  it.each<[string, string[]]>([
    ["echo $(a) `b` <(c) >(d)", ["$()", "``", "<()", ">()"]],
    ["cat <<< x; eval y; source z; . w", ["<<<", "eval", "source", "."]],
    ["echo '$(a)' \"\\$(b)\" # $(c)", []],
    ["cat <<'E'\n$(a)\nE", []],
    ["cat <<E\n$(a)\nE", ["$()"]],
    ["echo $((1+1)) ${x} $x", []],
    ["echo eval source . '<<<' \"<(x)\"", []],
  ])("%s", (text, kinds) => expect(understand(text).constructs.map(({ kind }) => kind)).toEqual(kinds));
});

describe("what is not read", () => {
  it.each([
    ["64 kB", `echo ${"a".repeat(65_536)}`, /64 kB/],
    ["64 kB in bytes", `echo '${"é".repeat(40_000)}'`, /64 kB/],
    ["4,096 commands", "a;".repeat(5000), /4,096 commands/],
    ["depth", `${"(".repeat(65)}a${")".repeat(65)}`, /deeper than 64/],
    ["depth of substitutions", `echo ${"$(".repeat(70)}a${")".repeat(70)}`, /deeper than 64/],
    ["NUL", "ls\0a", /U\+0000/],
    ["escape", "ls \x1b[0m", /U\+001B/],
    ["zero width", "su\u200bdo id", /U\+200B/],
    ["right to left", "ls \u202e abc", /U\+202E/],
    ["tags", "ls \u{e0041}", /U\+E0041/],
  ])("%s", (_name, text, why) => {
    const { commands, constructs, unknown, touches } = understand(text);
    expect({ commands, constructs }).toEqual({ commands: [], constructs: [] });
    expect(unknown).toEqual([{ why: expect.stringMatching(why), where: { start: 0, end: text.length, inside: "" } }]);
    expect(touches).toEqual([{ kind: "unknown", why: expect.stringMatching(why) }]);
  });
  it("lines that end with a carriage return are read for what must not run, and vouched for by nobody", () => {
    const { commands, unknown, isUnread } = understand("git status\r\nsudo id");
    expect(commands.map(({ argv }) => argv)).toEqual([["git", "status"], ["sudo", "id"], ["id"]]);
    expect(unknown).toEqual([{ why: expect.stringMatching(/U\+000D/), where: { start: 0, end: 19, inside: "" } }]);
    expect(isUnread).toBe(true);
  });
  it("strange characters in quotes are text", () => expect(understand("echo '\u200b\x1b' \"\u202e\"").unknown).toEqual([]));
  it("at the limit it is read", () => {
    expect(understand(`${"( ".repeat(60)}a${")".repeat(60)}`).commands).toHaveLength(1);
    expect(understand("a;".repeat(4000)).commands).toHaveLength(4000);
    expect(understand(`echo '${"a".repeat(65_000)}'`).unknown).toEqual([]);
    expect(understand(`cat > f.js <<'EOF'\n${"if (a) { b({c: [1]}) }\n".repeat(2000)}EOF`).unknown).toEqual([]);
  });
});

describe("what costs too much is left unread, and said so", () => {
  it.each([
    ["wrappers in wrappers", `${"env ".repeat(100)}id`, /wrapped in each other too often/],
    ["too many commands handed on", `alias ${"a='b' ".repeat(1000)}`, /hands on too many/],
    ["shells in shells", Array.from({ length: 40 }).reduce<string>((inner) => `eval ${inner}`, "id"), /nested too deep|wrapped/],
    ["escaped backticks", `\`${"\\`".repeat(5000)}`, /too many nested expansions/],
    ["too many files", `touch f{1..1000} g{1..100}`, /too many files/],
  ])("%s", (_name, text, why) => expect(understand(text).unknown.map((one) => one.why)).toContainEqual(expect.stringMatching(why)));
});

it("the understanding is the same object the second time, and nobody can change it", () => {
  const first = understand("ls -la memo");
  expect(understand("ls -la memo")).toBe(first);
  expect(() => (first.commands as unknown[]).push(1)).toThrow();
});
