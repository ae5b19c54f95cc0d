import pc from "picocolors";
import { expect, it } from "vitest";
import { markdownVoice, renderer } from "./markdown.ts";
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
  const render = renderer(tagged);
  return text.split("\n").flatMap((line) => render(line, width));
};

it.each([
  ["plain", "plain"],
  ["**bold** and *it* and _it_", "<b>bold</b> and <i>it</i> and <i>it</i>"],
  ["`a < b` ~~no~~", "<c>a < b</c> <s>no</s>"],
  ["## Head *ing* ##", "<b>Head <i>ing</i></b>"],
  ["* item", "- item"],
  ["  3. item", "  3. item"],
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

it("leaves code as it is, until its own fence closes", () => {
  expect(draw("```ts\nlet **a** = `b`\n~~~\n```not the end\n````\nafter **it**")).toEqual([
    "    <d>let **a** = `b`</d>",
    "    <d>~~~</d>",
    "    <d>```not the end</d>",
    "after <b>it</b>",
  ]);
});

it("breaks lines at spaces, under where the text began, and counts no colours", () => {
  const coloured = renderer(pc.createColors(true));
  expect(coloured("- one **two** three four", 11)).toEqual(["- one \u001b[1mtwo\u001b[22m", "  three", "  four"]);
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

function spoken() {
  const written: string[] = [];
  const stdout = { write: (text: string) => written.push(text), columns: 80 };
  return { written, voice: markdownVoice({ stdout, out: tagged } as unknown as Terminal) };
}

it("draws a line once it is complete, however it was cut", () => {
  const { written, voice } = spoken();
  for (const char of "**a** b\r\n😀 c") voice.say(char);
  expect(written).toEqual(["<b>a</b> b\n"]);
  voice.say("😀"[0]!);
  voice.say(`${"😀"[1]!}!`);
  voice.end();
  expect(written).toEqual(["<b>a</b> b\n", "😀 c😀!\n"]);
  voice.end();
  expect(written).toHaveLength(2);
});

it("does not hold an endless line, and forgets an open fence with the answer", () => {
  const { written, voice } = spoken();
  voice.say("x".repeat(20_000));
  expect(written.join("").length).toBeGreaterThan(10_000);
  voice.end();
  voice.say("```\ncode");
  voice.end();
  voice.say("**b**\n");
  expect(written.at(-1)).toBe("<b>b</b>\n");
});

it("is quick on lines made to be slow", () => {
  const started = performance.now();
  for (const text of ["*".repeat(8000), "[".repeat(8000), "`".repeat(8000), "_a*".repeat(2600), "<a ".repeat(2600), "![](".repeat(2000)])
    draw(text);
  expect(performance.now() - started).toBeLessThan(3000);
});
