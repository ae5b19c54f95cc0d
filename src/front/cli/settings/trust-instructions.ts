import { foldersFromTop } from "../../../config/paths.ts";
import type { TrustRecords } from "../../../core/ports/store.ts";
import { findInstructions, type InstructionText, instructionPathOf } from "../../../runtime/instructions/find-instructions.ts";
import { parentOf } from "../../../text/path.ts";
import { grouped } from "../../../text/words.ts";
import type { Io } from "../io.ts";

/** The project's AGENTS.md and CLAUDE.md that a model in this folder would be told, as they are now. */
export const findVouchable = (cwd: string, { home }: Pick<Io, "home">): readonly InstructionText[] =>
  findInstructions({ workspace: cwd, home }).filter((one) => "bytes" in one);

export const describeInstructions = (files: readonly InstructionText[]): string =>
  files.map(({ path, bytes }) => `Trusted: ${path} (${grouped(bytes.length)} bytes), told to the model as the project's text\n`).join("");

/** A file may be gone by now, so what is recorded counts: those of the folders from the repository's top to this one. */
export async function revokeInstructions(cwd: string, { home }: Pick<Io, "home">, trust: TrustRecords): Promise<readonly string[]> {
  const folders = new Set(foldersFromTop({ cwd, home }));
  const gone: string[] = [];
  for (const { subject } of await trust.list()) {
    const path = instructionPathOf(subject);
    if (path !== null && folders.has(parentOf(path)) && (await trust.remove(subject))) gone.push(path);
  }
  return gone;
}
