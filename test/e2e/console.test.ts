import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, it } from "vitest";
import { chooseConsole, hasTerminal, terminal } from "./terminal.ts";
import { box } from "./zeph.ts";

it("the console runs a line each from a pipe, without prompt, colour or questions", async () => {
  const { runProcess, write, cwd } = box();
  write("a b.txt", "one\ntwo\nthree\n");
  const lines = [
    "# a comment, then the three forms",
    'read "a b.txt" limit=1',
    'read path="a b.txt" offset=3 limit=1',
    'read {"path":"a b.txt","offset":2,"limit":1}',
    "glob path=. pattern=*.txt",
    "write new.txt hello",
    "/judge write new.txt hello",
    "",
  ];
  const { code, stdout, stderr } = await runProcess([], { input: lines.join("\n"), env: { FORCE_COLOR: "1", CI: "1" } });
  expect(code).toBe(4);
  expect(stdout).toBe(
    [
      "1\tone",
      "(2 more lines; go on with offset 2)",
      "3\tthree",
      "2\ttwo",
      "(1 more line; go on with offset 3)",
      "a b.txt",
      "ask: write changes files, and no rule allows it.",
      "  would write new.txt",
      "  self           pass",
      "  files          pass",
      "  scope          pass",
      "  scoped         pass",
      "  dependencies   pass",
      "  quota          pass",
      "  policy         pass",
      "  authorization  pass",
      "  adversarial    pass",
      "  trust          pass",
      "  permissions    ask   write changes files, and no rule allows it.",
      "  walls          pass",
      "  verifiers      pass",
      "  sentinel       pass",
      "  anomaly        pass",
      "  utility        pass",
      "",
    ].join("\n"),
  );
  expect(stderr).toMatch(
    /^(ok, [\d.]+ m?s\n){4}write changes files, and no rule allows it.\nnot run: nobody answered permissions, [\d.]+ m?s\n$/,
  );
  expect(existsSync(join(cwd, "new.txt"))).toBe(false);
});

it("the console says what is wrong with a line and goes on", async () => {
  const { run, write } = box();
  write("a.txt", "one\n");
  const told = async (line: string) => (await run([], { input: `${line}\nread a.txt\n` })).stderr.split("\n")[0];
  expect(await told("read a.txt limit=many")).toBe('"limit" must be a whole number, not "many".');
  expect(await told("grep x case_sensitive=yes")).toBe('"case_sensitive" must be true or false, not "yes".');
  expect(await told("read a.txt lmit=2")).toBe('"lmit" is not an argument of read. Did you mean "limit"?');
  expect(await told("read a.txt b.txt")).toMatch(
    /^"b.txt" is one word too many for read. Give the others by name: path=…, paths=…, offset=…, limit=…/,
  );
  expect(await told("read a.txt path=b.txt")).toMatch(/one word too many/);
  expect(await told('read "a.txt')).toBe('A quote is not closed: "a.txt');
  expect(await told('read {"path":')).toMatch(/not valid JSON/);
  expect(await told("/hlep")).toBe('/hlep is not a command. Did you mean "/help"?');
  expect(await told("raed a.txt")).toBe('There is no tool named "raed". Did you mean "read"?');
});

it("the console says once, to whoever pipes a message into it, that this is no chat", async () => {
  const { code, stderr } = await box().run([], { input: "hello you\nhow are you?\n/plan x\n" });
  expect(code).toBe(5);
  expect(stderr.match(/To ask a model: zeph run "…"/g)).toHaveLength(1);
  expect(stderr).toMatch(/^There is no tool named "hello".*\nThe tool console reads one tool/);
  expect(stderr).toContain("/plan needs a model");
});

it("the console takes a pattern as it is typed, and new lines in double quotes", async () => {
  const { run, write, cwd } = box();
  write("a.txt", "foo=bar\nfoot\n");
  expect((await run([], { input: "grep foo\\b\n" })).stdout).toBe("a.txt\n1:foo=bar\n");
  expect((await run([], { input: "grep foo=bar\n" })).stdout).toBe("a.txt\n1:foo=bar\n");
  await run(["--set", "autonomy=full"], { input: `write b.txt "one\\ntwo \\"x\\""\n` });
  expect(readFileSync(join(cwd, "b.txt"), "utf8")).toBe('one\ntwo "x"');
});

// Without `script` (util-linux) there is no pseudo-terminal to run it in.
it.skipIf(!hasTerminal)("the console asks on a terminal, takes the answer, and leaves on Ctrl-D", async () => {
  const here = box();
  const tty = terminal(here, "--no-color");
  await chooseConsole(tty);
  tty.type('write new.txt "one\\ntwo"\r');
  await tty.see("Allow it?");
  expect(tty.text()).toContain("    | one\r\n    | two\r\n");
  // The line is broken where it does not fit.
  expect(tty.text().replace(/\s+/g, " ")).toContain(`always writes the rule: allow write on ${here.cwd}/new.txt`);
  tty.type("maybe\r");
  await tty.see("Please answer once, session, edits, always, no.");
  tty.type("\r");
  await tty.see("you said no");
  expect(existsSync(join(here.cwd, "new.txt"))).toBe(false);
  tty.type("write new.txt one\r");
  await tty.see("Allow it?");
  tty.type("s\r");
  await tty.see("Created new.txt");
  tty.type("write new.txt two\r");
  await tty.see("Wrote new.txt");
  tty.type("/clear\r");
  await tty.see("forgotten");
  tty.type("write new.txt three\r");
  await tty.see("Allow it?");
  tty.type("a\r");
  await tty.see("Wrote new.txt");
  expect(readFileSync(join(here.env.XDG_CONFIG_HOME!, "zeph", "config.toml"), "utf8")).toContain(`pattern = "${here.cwd}/new.txt"`);
  tty.type("\u0004");
  expect((await tty.end).code).toBe(0);
});

it.skipIf(!hasTerminal)("the console runs what was pasted line by line, and then leaves", async () => {
  const here = box();
  here.write("a.txt", "one\n");
  here.write("b.txt", "two\n");
  const tty = terminal(here, "--no-color");
  await chooseConsole(tty);
  tty.type("read a.txt\rread b.txt\r\u0004");
  await tty.see("1\tone");
  await tty.see("1\ttwo");
  expect((await tty.end).code).toBe(0);
});

it.skipIf(!hasTerminal)("the console completes tools, arguments and files", async () => {
  const here = box();
  here.write("some-folder/inner.txt", "found it\n");
  const tty = terminal(here, "--no-color");
  await chooseConsole(tty);
  for (const [keys, completed] of [
    ["lis", "t_directory "],
    ["pa", "th="],
    ["so", "me-folder/"],
  ] as const) {
    tty.type(keys);
    await tty.see(keys);
    // Alone: a tab in the middle of what is pasted completes nothing.
    tty.type("\t");
    await tty.see(completed);
  }
  tty.type("\r");
  await tty.see("inner.txt");
  tty.type("/exit\r");
  expect((await tty.end).code).toBe(0);
});

it.skipIf(!hasTerminal)("cancels a question with Ctrl-C, clears a line, and leaves at the second on an empty one", async () => {
  const here = box();
  const tty = terminal(here, "--no-color");
  await chooseConsole(tty);
  tty.type("write new.txt one\r");
  await tty.see("Allow it?");
  tty.type("\u0003");
  await tty.see("cancelled,");
  tty.type("half a li\u0003");
  await tty.see("^C");
  tty.type("\u0003");
  await tty.see("Ctrl-C again");
  tty.type("\u0003");
  expect((await tty.end).code).toBe(0);
  expect(existsSync(join(here.cwd, "new.txt"))).toBe(false);
});

it.skipIf(!hasTerminal)("the console colours a diff on a terminal, and not with NO_COLOR", async () => {
  const here = box();
  const call = `call write '{"path":"new.txt","content":"one\\n"}' --yes`;
  const coloured = terminal(here, call);
  expect((await coloured.end).code).toBe(0);
  expect(coloured.text()).toContain("\u001b[32m+one\u001b[39m");
  const plain = terminal(here, `--no-color ${call}`);
  await plain.end;
  expect(plain.text()).not.toContain("\u001b[");
});

it.skipIf(!hasTerminal)("zeph call asks about a single call too: Enter is no, Ctrl-C is 130", async () => {
  const here = box();
  const call = `call write '{"path":"new.txt","content":"one"}'`;
  const refused = terminal(here, call);
  await refused.see("Allow it?");
  refused.type("\r");
  expect((await refused.end).code).toBe(3);
  const cancelled = terminal(here, call);
  await cancelled.see("Allow it?");
  cancelled.type("\u0003");
  expect((await cancelled.end).code).toBe(130);
  const allowed = terminal(here, call);
  await allowed.see("Allow it?");
  allowed.type("o\r");
  expect((await allowed.end).code).toBe(0);
  expect(readFileSync(join(here.cwd, "new.txt"), "utf8")).toBe("one");
});
