import { expect, it } from "vitest";
import { displayed } from "./display.ts";
import { calls, says, scripted } from "./scripted.ts";
import { hasTerminal, terminal } from "./terminal.ts";
import { box } from "./zeph.ts";

const CTRL_D = "\u0004";
const report = `# Plants\n\n${Array.from({ length: 30 }, (_, n) => `- plant ${n + 1}`).join("\n")}`;

it.skipIf(!hasTerminal)("a chat tells of a scheduled task when the turn is over, and shows its answer as one", async () => {
  const here = scripted(
    box(),
    [[says("I begin"), says(" now."), calls("bash", { command: "while [ ! -e on ]; do sleep 1; done" })], [says(report)], [says("Heard.")]],
    'autonomy = "full"',
  );
  const added = await here.run(["schedule", "add", "in 15 seconds", "Water the plants"]);
  expect(added.code).toBe(0);
  const tty = terminal(here, "--no-color", { columns: 60 });
  await tty.see("Zeph, with");
  await tty.see("you> ");
  tty.type("go\r");
  // The task comes while the turn is at work, and has ended when that goes on.
  const conversations = async () => JSON.parse((await here.run(["sessions", "--json"])).stdout);
  await expect.poll(conversations, { interval: 1000 }).toContainEqual(expect.objectContaining({ title: "Water the plants", messages: 2 }));
  here.write("on", "");
  await tty.see("Heard.");
  await tty.see("1 call");
  await tty.see("Scheduled task done");
  await tty.see("\nconversation ");
  await tty.see("you> ");
  const shown = displayed(tty.text(), 60).filter((line) => !line.startsWith("bash "));
  const from = shown.indexOf("I begin now.");
  const [, ...rest] = shown.slice(from);
  expect(rest[0]).toBe("Heard.");
  expect(rest[1]).toMatch(/tokens in/);
  const end = rest.slice(2);
  expect(end[0]).toBe("Scheduled task started: Water the plants");
  const at = end.indexOf("Scheduled task done: Water the plants [2]");
  expect(end.slice(at + 1, at + 4)).toEqual(["# Plants", "", "- plant 1"]);
  expect(end).toContain("- plant 18");
  expect(end).not.toContain("- plant 19");
  expect(end).toContain("  … 12 more lines, /show 2");
  expect(end.at(-2)).toMatch(/^conversation [0-9a-f-]{36}$/);
  expect(end.at(-1)).toBe("you>");
  tty.type("/show 2\r");
  await tty.see("[2] scheduled: Water the plants");
  await tty.see("- plant 30");
  await tty.see("you> ");
  tty.type(CTRL_D);
  expect((await tty.end).code).toBe(0);
});
