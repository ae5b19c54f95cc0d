import { mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { startProgram, type Variables } from "../../../../files/programs.ts";

/** Longer texts are not taken back: they would be sent whole. */
const LONGEST = 4 * 1024 * 1024;

/** Lets the person edit a text in their own editor. Throws an Error in words where that does not start. */
export async function editOutside(text: string): Promise<string> {
  const { env } = process;
  const editor = env.VISUAL || env.EDITOR || "vi";
  const folder = await mkdtemp(join(tmpdir(), "zeph-edit-"));
  const file = join(folder, "message.md");
  try {
    await writeFile(file, text, { mode: 0o600 });
    await runEditor(editor, file, env);
    const edited = await readFile(file, "utf8");
    if (edited.length > LONGEST) throw new Error("The text is longer than can be sent. Name the file in a message instead.");
    return edited.replace(/\n$/, "");
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

/** `EDITOR` may hold options: a shell splits it as everybody else's does. */
const runEditor = (editor: string, file: string, env: Variables): Promise<void> =>
  new Promise((resolve, reject) => {
    const child = startProgram("/bin/sh", ["-c", `${editor} "$1"`, "sh", file], { stdio: "inherit", env });
    child.once("error", (error) => reject(new Error(`${editor} did not start: ${error.message}`)));
    child.once("close", (code) => (code === 0 ? resolve() : reject(new Error(`${editor} ended with code ${code ?? "none"}.`))));
  });
