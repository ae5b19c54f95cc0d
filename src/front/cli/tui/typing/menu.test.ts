import { expect, it } from "vitest";
import { createDraftEditor } from "./draft-editor.ts";
import { createMenu } from "./menu.ts";

const FILES = ["h:http://169.254.169.254/", "h:t://x", "src/http-table.ts"];

/** What stands in the editor after a text and a Tab. */
async function tabbed(text: string, files: readonly string[] = FILES): Promise<string> {
  const draft = createDraftEditor();
  let arrived = () => {};
  const came = new Promise<void>((resolve) => {
    arrived = resolve;
  });
  const menu = createMenu(draft, {
    commands: () => [],
    files: () => files,
    more: async (before) => [[`${before}completed/`], before],
    arrived: () => arrived(),
  });
  draft.insert(text);
  menu.look();
  expect(menu.key({ name: "tab" })).toBe("taken");
  if (draft.text() === text) await came;
  return draft.text();
}

it("an address with its scheme becomes only what begins like it", async () => {
  expect(await tabbed("@h:t://")).toBe("@h:t://x ");
  expect(await tabbed("@h:t://", ["h:http://169.254.169.254/"])).toBe("@h:t://completed/");
});

it("anything else is found by its letters", async () => {
  expect(await tabbed("@h:169")).toBe("@h:http://169.254.169.254/");
  expect(await tabbed("see @htt.ts")).toBe("see @src/http-table.ts ");
});
