import { expect, it } from "vitest";
import { innerLinks } from "./inner-links.ts";

const at = { home: "/home/ada", inside: "/home/agent" };

it("Names of a shown folder: the one in the home inside, and those of links; not what is mounted, kept, or below another", () => {
  const place = "/home/ada/.claude/skills";
  const skill = { folder: `${place}/a`, names: [`${place}/a`, "/home/ada/.agents/skills/a", "/srv/a"] };
  expect(innerLinks([skill], { ...at, mounts: [`${place}/a`] })).toEqual([
    [`${place}/a`, "/home/agent/.claude/skills/a"],
    [`${place}/a`, "/home/ada/.agents/skills/a"],
    [`${place}/a`, "/home/agent/.agents/skills/a"],
    [`${place}/a`, "/srv/a"],
  ]);
  const whole = { folder: place, names: [place] };
  expect(innerLinks([whole, { folder: `${place}/a`, names: [`${place}/a`] }], { ...at, mounts: [place] })).toEqual([
    [place, "/home/agent/.claude/skills"],
  ]);
  const kept = ["/home/ada/.cache/a", "/home/ada/.local/share/pnpm/a"].map((folder) => ({ folder, names: [folder] }));
  expect(innerLinks(kept, { ...at, mounts: kept.map(({ folder }) => folder) })).toEqual([]);
});

it("A home that is the one inside needs no second name", () => {
  const folder = "/home/agent/.claude/skills/a";
  expect(innerLinks([{ folder, names: [folder] }], { ...at, home: "/home/agent", mounts: [folder] })).toEqual([]);
});
