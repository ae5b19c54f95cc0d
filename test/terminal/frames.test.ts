import { describe, expect, it } from "vitest";
import { chooseTheme } from "../../src/front/cli/tui/theme.ts";
import { viewSamples } from "./view-samples.ts";

const UTF8 = { LANG: "C.UTF-8", TERM: "xterm-256color" };
const FRAMES = [
  ...[60, 80, 104].flatMap((width) => [
    { name: `${width} columns, no colours`, width, theme: chooseTheme(UTF8, "none") },
    { name: `${width} columns, dark`, width, theme: chooseTheme(UTF8, "dark") },
  ]),
  { name: "80 columns, no UTF-8", width: 80, theme: chooseTheme({ LANG: "C" }, "none") },
];

/** Colours can be read in a file. */
const readable = (line: string): string => line.replaceAll("\u001b", "␛");

describe("Every view is drawn as its golden frames are", () => {
  it.each(Object.entries(viewSamples()))("%s looks the same as before", async (name, view) => {
    const frames = FRAMES.map((frame) => `## ${frame.name}\n\n${view(frame.width, frame.theme).map(readable).join("\n")}\n`);
    await expect(frames.join("\n")).toMatchFileSnapshot(`../golden/terminal/${name}.txt`);
  });
});
