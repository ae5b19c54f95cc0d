import { execFile } from "node:child_process";
import { expect, it } from "vitest";
import { available } from "../sandbox/support.ts";

interface Attack {
  readonly id: string;
  readonly bare: "succeeds" | "fails";
  readonly walled: "holds" | "ESCAPED" | "did not run";
  readonly text: string;
}

/** The attacks of test/stress/attacks/, each tried in a bare shell and behind the walls, as an ordinary user in a fresh home. */
const tryAll = () =>
  new Promise<readonly Attack[]>((resolve, reject) => {
    execFile(process.execPath, ["test/stress/attacks/run.mjs", "--json"], { maxBuffer: 64 << 20 }, (_, stdout, stderr) => {
      const lines = stdout.split("\n").filter((line) => line.startsWith("{"));
      if (lines.length === 0) return reject(new Error(`No attack was tried: ${stderr}`));
      resolve(lines.map((line) => JSON.parse(line)));
    });
  });
let tried: ReturnType<typeof tryAll> | undefined;
const attacks = () => {
  tried ??= tryAll();
  return tried;
};
const those = async (fits: (attack: Attack) => boolean) => (await attacks()).filter(fits).map(({ id, text }) => `${id}: ${text}`);

it.skipIf(!available)("every attack succeeds in a bare shell, else it proves nothing", async () => {
  expect((await attacks()).length).toBeGreaterThan(60);
  expect(await those(({ bare }) => bare !== "succeeds")).toEqual([]);
});

it.skipIf(!available)("no attack succeeds behind the walls, though every question is answered with yes", async () => {
  expect(await those(({ walled }) => walled === "ESCAPED")).toEqual([]);
});

it.skipIf(!available)("every attack was run behind the walls, or refused with a word", async () => {
  expect(await those(({ walled }) => walled === "did not run")).toEqual([]);
});
