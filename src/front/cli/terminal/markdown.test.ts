import pc from "picocolors";
import { expect, it } from "vitest";
import { cpuMs } from "../../../../test/cpu.ts";
import { createMarkdownWriter, createRenderer } from "./markdown.ts";
import type { Terminal } from "./terminal.ts";

const tagged = {
  ...pc.createColors(false),
  bold: tag("b"),
  italic: tag("i"),
  dim: tag("d"),
  cyan: tag("c"),
  underline: tag("u"),
  strikethrough: tag("s"),
};
function tag(name: string) {
  return (text: unknown) => `<${name}>${text}</${name}>`;
}
const draw = (text: string, width = 80) => {
  const render = createRenderer(tagged);
  return text.split("\n").flatMap((line) => render.line(line, width));
};

it.each([
  ["plain", "plain"],
  ["**bold** and *it* and _it_", "<b>bold</b> and <i>it</i> and <i>it</i>"],
  ["`a < b` ~~no~~", "<c>a < b</c> <s>no</s>"],
  ["## Head *ing* ##", "<b>Head <i>ing</i></b>"],
  ["* item", "- item"],
  ["  3. item", "  3. item"],
  ["\u000b- item", "\\u000b- item"],
  ["> said", "<d>| </d>said"],
  ["[text](http://a.b/c)", "<u>text</u> (http://a.b/c)"],
  ["http://a.b/c", "<u>http://a.b/c</u>"],
  ["snake_case_name 2 * 3 * 4", "snake_case_name 2 * 3 * 4"],
  ["<b>x</b> &lt; \\*", "<b>x</b> &lt; *"],
  ["#hashtag", "#hashtag"],
  ["| a | **b** |", "| a | **b** |"],
  ["---", `<d>${"-".repeat(40)}</d>`],
  ["", ""],
  ["**not closed", "**not closed"],
])("draws %j", (text, drawn) => expect(draw(text)).toEqual([drawn]));

it("the writer leaves code as it is, until its own fence closes", () => {
  expect(draw("```ts\nlet **a** = `b`\n~~~\n```not the end\n````\nafter **it**")).toEqual([
    "    <d>let **a** = `b`</d>",
    "    <d>~~~</d>",
    "    <d>```not the end</d>",
    "after <b>it</b>",
  ]);
});

it("breaks lines at spaces, under where the text began, and counts no colours", () => {
  const coloured = createRenderer(pc.createColors(true));
  expect(coloured.line("- one **two** three four", 11)).toEqual(["- one \u001b[1mtwo\u001b[22m", "  three", "  four"]);
  expect(draw("一二三 四五六 七", 10)).toEqual(["一二三", "四五六 七"]);
  expect(draw(`see ${"x".repeat(30)} end`, 10)).toEqual(["see", "x".repeat(30), "end"]);
});

it("spells out what a terminal would obey, everywhere", () => {
  const evil = "\u001b[31m\u009b\u202e";
  for (const text of [
    evil,
    `**${evil}**`,
    `\`${evil}\``,
    `[${evil}](http://x/${evil})`,
    `# ${evil}`,
    `- ${evil}`,
    `\`\`\`\n${evil}`,
    `| ${evil}`,
    `<a ${evil}>`,
  ])
    expect(draw(text).join("\n")).toMatch(/^[\t\n -~]*$/);
});

function spoken(columns = 80) {
  const written: string[] = [];
  const stdout = { write: (text: string) => written.push(text), columns };
  return { written, writer: createMarkdownWriter({ stdout, out: tagged } as unknown as Terminal) };
}

it("the writer draws a line once it is complete, however it was cut", () => {
  const { written, writer } = spoken();
  for (const char of "**a** b\r\n- 😀 c") writer.say(char);
  expect(written).toEqual(["<b>a</b> b\n"]);
  writer.say("😀"[0]!);
  writer.say(`${"😀"[1]!}!`);
  writer.end();
  expect(written).toEqual(["<b>a</b> b\n", "- 😀 c😀!\n"]);
  writer.end();
  expect(written).toHaveLength(2);
});

it("the writer prints the words of a paragraph as they come, up to the first mark", () => {
  const { written, writer } = spoken(40);
  writer.say("Once upon a ti");
  expect(written.join("")).toBe("Once upon a");
  expect(writer.atLineStart()).toBe(false);
  writer.say(`me there was \u009b31m a very long${"😀"[0]!}`);
  expect(written.join("")).toBe("Once upon a time there was \\u009b31m a\nvery");
  writer.say(`${"😀"[1]!} and **bold `);
  writer.say("word** then plain");
  expect(written.join("")).toBe("Once upon a time there was \\u009b31m a\nvery long😀 and");
  writer.end();
  expect(written.join("")).toBe("Once upon a time there was \\u009b31m a\nvery long😀 and <b>bold word</b> then\nplain\n");
  expect(writer.atLineStart()).toBe(true);
  writer.say("open ");
  writer.end();
  expect(written.at(-1)).toBe(" \n");
});

it.each([
  "# Head of",
  "- an item",
  "* an item",
  "12. an item",
  "12) an item",
  "> a quote",
  "| a table",
  "    code of",
  "\tcode of",
  "``` lang x",
  "---",
])("waits for the whole line of %j", (begun) => {
  const { written, writer } = spoken();
  for (const char of `${begun} more `) writer.say(char);
  expect(written).toEqual([]);
  expect(writer.atLineStart()).toBe(true);
});

it("the writer prints code line by line, and what only looks like a block at once", () => {
  const { written, writer } = spoken();
  writer.say("```\nlet a = 1 ");
  expect(written).toEqual([]);
  writer.say("\n```\n");
  for (const begun of ["3.5 is more", "2024 was a", "Sure! Here it"]) {
    writer.say(`${begun} `);
    expect(written.join("").endsWith(begun)).toBe(true);
    writer.say("\n");
  }
});

it("the writer prints a script without spaces as it comes", () => {
  const { written, writer } = spoken(40);
  const text = "一二三四五".repeat(10);
  for (const char of text) writer.say(char);
  expect(written.join("").length).toBeGreaterThan(40);
  writer.say(" **b**\n");
  expect(written.join("")).toBe(`${text} <b>b</b>\n`.replace(" ", "\n"));
});

it("the writer draws the same whatever the pieces are", () => {
  const words = [
    "one",
    "",
    "two*",
    "**b**",
    "_i_",
    "a_b",
    "`c`",
    "http://a.b/c",
    "www.a.bc",
    "me@a.bc",
    "[t](u)",
    "\\*",
    "!",
    "~~s~~",
    "<b>",
    "&lt;",
    "-",
    "3.",
    "#",
    "|",
    "\t",
    "四五",
    "😀",
    "\n",
    "\n",
    "```\n",
  ];
  let seed = 1;
  const random = (n: number) => {
    seed = (seed * 48_271) % 2_147_483_647;
    return seed % n;
  };
  for (let n = 0; n < 2000; n++) {
    const text = Array.from({ length: random(25) }, () => words[random(words.length)]!).join(" ");
    const { written, writer } = spoken(40);
    for (let at = 0; at < text.length; ) {
      const end = at + 1 + random(6);
      writer.say(text.slice(at, end));
      at = end;
    }
    writer.end();
    const lines = draw(text.replace(/\n$/, ""), 40);
    expect({ text, drawn: written.join("") }).toEqual({ text, drawn: text === "" ? "" : lines.map((line) => `${line}\n`).join("") });
  }
});

it("the writer does not hold an endless line, and forgets an open fence with the answer", () => {
  const { written, writer } = spoken();
  writer.say("x".repeat(20_000));
  expect(written.join("").length).toBeGreaterThan(10_000);
  writer.end();
  writer.say(`x${"😀".repeat(10_000)}`);
  writer.end();
  expect(written.every((piece) => piece.isWellFormed())).toBe(true);
  writer.say(`words *${"y".repeat(20_000)}`);
  expect(written.join("").length).toBeGreaterThan(50_000);
  expect(writer.atLineStart()).toBe(true);
  writer.end();
  writer.say("```\ncode");
  writer.end();
  writer.say("**b**\n");
  expect(written.at(-1)).toBe("<b>b</b>\n");
});

it("the writer is quick on lines made to be slow", () => {
  const started = cpuMs();
  for (const text of ["*".repeat(8000), "[".repeat(8000), "`".repeat(8000), "_a*".repeat(2600), "<a ".repeat(2600), "![](".repeat(2000)])
    draw(text);
  expect(cpuMs() - started).toBeLessThan(6000);
});
