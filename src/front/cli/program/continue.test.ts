import { expect, it } from "vitest";
import { continueLast } from "./continue.ts";

const ID = "0b7c1c1e-9f3e-4b43-9d4c-1f9a4c1b2a3d";

it.each([
  [
    ["run", "--continue", "and now?"],
    ["run", "--continue=last", "and now?"],
  ],
  [
    ["run", "--continue", ID, "and"],
    ["run", "--continue", ID, "and"],
  ],
  [
    ["run", "--continue", "0b7c1c", "and"],
    ["run", "--continue", "0b7c1c", "and"],
  ],
  [
    ["run", "--continue", "0B7C1C1E-9f", "and"],
    ["run", "--continue", "0B7C1C1E-9f", "and"],
  ],
  [
    ["run", "--continue", "0b7c1"],
    ["run", "--continue=last", "0b7c1"],
  ],
  [
    ["run", "--continue", "-abcdef"],
    ["run", "--continue=last", "-abcdef"],
  ],
  [
    ["run", "--continue", `${ID}0`],
    ["run", "--continue=last", `${ID}0`],
  ],
  [
    ["run", "--continue=x", "and"],
    ["run", "--continue=x", "and"],
  ],
  [
    ["run", "and", "--continue"],
    ["run", "and", "--continue=last"],
  ],
  [["--continue"], ["--continue=last"]],
  [
    ["run", "--", "--continue"],
    ["run", "--", "--continue"],
  ],
  [
    ["filter", "--continue", "x"],
    ["filter", "--continue", "x"],
  ],
])("%j is read as %j", (typed, read) => expect(continueLast(typed)).toEqual(read));
