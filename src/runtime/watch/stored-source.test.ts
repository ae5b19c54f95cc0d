import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { scratch } from "../../../test/scratch.ts";
import { skillSubject } from "../../core/ports/skill.ts";
import { openDesk } from "../settings/stores.ts";
import { createStoredSource } from "./stored-source.ts";

test("Whoever distrusts a skill of their own does not make it trusted again by that", async () => {
  const place = scratch();
  process.env.HOME = place.home;
  process.env.XDG_CONFIG_HOME = join(place.home, ".config");
  process.env.XDG_STATE_HOME = join(place.root, "state");
  const folder = join(place.home, ".agents/skills/mine");
  mkdirSync(folder, { recursive: true });
  writeFileSync(join(folder, "SKILL.md"), "---\nname: mine\ndescription: x\n---\nBody.\n");
  const desk = openDesk(place.cwd);
  onTestFinished(() => desk.close());
  const asked = { said: new Map(), ask: async () => {}, forget: () => {}, close: async () => {} };
  const source = createStoredSource({ cwd: place.cwd, desk, asked, redact: (text) => text });
  const trusted = async () => (await source.skills()).map(({ name, isTrusted }) => [name, isTrusted]);
  expect(await trusted()).toEqual([["mine", true]]);
  await desk.trust.set(skillSubject(folder), "0".repeat(64));
  expect(await source.trust()).toMatchObject([{ subject: skillSubject(folder) }]);
  expect(await source.distrust(skillSubject(folder))).toBe(true);
  expect([await source.trust(), await trusted()]).toEqual([[], [["mine", false]]]);
  await desk.trust.set("/a/folder", "0");
  expect([await source.distrust("/a/folder"), await source.distrust("/a/folder")]).toEqual([true, false]);
});
