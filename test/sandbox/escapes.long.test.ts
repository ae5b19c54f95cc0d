import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { createCage } from "../../src/host/sandbox/limits.ts";
import { escapes, type Targets } from "./escapes.ts";
import { available, EVERYBODY, has, inside, PYTHON, type Who, type Wish, who } from "./support.ts";
import { type Planted, plantTargets, SMALL } from "./targets.ts";

/** For the names of the rows; what they aim at is planted later. */
const NOWHERE: Targets = { home: "", outside: "", pid: 0, port4: 0, port6: 0, portUdp: 0, abstract: "", tag: "", small: 0 };

/** Small enough to be reached quickly. That the real ones are in place is a matter of the golden command line. */
const LIMITS: Record<number, Wish> = {
  79: { limits: { processes: 128 }, timeoutMs: 60_000 },
  80: { limits: { dataBytes: 256 * 2 ** 20 } },
  81: { limits: { tempBytes: SMALL } },
  83: { limits: { sharedMemoryBytes: SMALL } },
  84: { limits: { fileBytes: SMALL } },
};
/** A contained attempt must still have been made. */
const SAYS: Record<number, RegExp> = { 21: /wrote/, 73: /survived/, 75: /started/, 79: /end/, 85: /30000000/ };

describe.runIf(available).each(EVERYBODY)("as %s", (name) => {
  const root = name === "root";
  let me: Who;
  let targets: Planted;
  let caged: boolean;
  beforeAll(async () => {
    me = who(name);
    targets = await plantTargets(me);
    const cage = createCage({ processes: 1, memoryBytes: 2 ** 30 });
    caged = cage !== null;
    cage?.remove();
  });
  afterAll(async () => {
    await targets.remove();
    me.remove();
  });

  describe.concurrent("a command", () => {
    test.each(escapes(NOWHERE).map(({ n, name }) => [n, name] as const))(
      "%i %s",
      async (n) => {
        const { command, expect: wanted, needs = [] } = escapes(targets)[n - 1]!;
        const skipped =
          needs.includes("python") && !has(PYTHON)
            ? `${PYTHON} is missing`
            : needs.includes("x64") && process.arch !== "x64"
              ? "written for x86_64"
              : n === 79 && root && !caged
                ? "a fork bomb as root needs a pids cgroup"
                : null;
        if (skipped) return console.log(`SKIPPED: row ${n} as ${name}: ${skipped}`);
        const did = await inside(me.workspace(), me, command, LIMITS[n]);
        expect(did.ran, did.setupError).toBe(true);
        expect(/ESCAPED/.test(did.out) ? "got through" : "held", did.out).toBe(wanted === "allowed" ? "got through" : "held");
        if (SAYS[n]) expect(did.out).toMatch(SAYS[n]);
        expect(did.stopped).toBeUndefined();
        // A shell that cannot fork tries again for 15 s.
      },
      90_000,
    );
  });

  test("the machine is as it was", () => expect(targets.damage()).toEqual([]));
});

test("there are 85 of them", () => {
  expect(escapes(NOWHERE).map(({ n }) => n)).toEqual(Array.from({ length: 85 }, (_, i) => i + 1));
});
