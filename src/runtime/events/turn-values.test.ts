import { describe, expect, it } from "vitest";
import { createTurnValues } from "./turn-values.ts";

describe("The values of a turn", () => {
  it("are bounded, and the newest stay", () => {
    const values = createTurnValues();
    for (let n = 0; n < 300; n++) values.add("t", `https://a.example/${n} dir/f${n} {"n":${n}}\n{"n":${n}}`);
    const { urls, paths, json } = values.of("t");
    expect([urls.length, paths.length, json.length]).toEqual([100, 100, 20]);
    expect([urls.at(-1), paths.at(-1), json.at(-1)]).toEqual(["https://a.example/299", "dir/f299", { n: 299 }]);
  });
  it("are those of one turn and are gone when it ends", () => {
    const values = createTurnValues();
    values.add("a", "https://a.example");
    expect(values.of("b").urls).toEqual([]);
    values.end("a");
    expect(values.of("a")).toEqual({ urls: [], paths: [], json: [] });
  });
  it("hold no word or number that happens to be JSON, and no broken table", () => {
    const values = createTurnValues();
    values.add("t", 'true\n5\n"x"\n{a: 1}\n[1\n');
    expect(values.of("t").json).toEqual([]);
  });
});
