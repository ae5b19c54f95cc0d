import { setTimeout as sleep } from "node:timers/promises";
import { expect, test } from "vitest";
import type { Serve, Served } from "../../core/ports/served.ts";
import type { Walls } from "../../core/ports/walls.ts";
import { createSwapGuard, serveGuarded } from "./swap-guard.ts";

const behind = (backend: Walls["backend"]): Walls => ({ backend, layers: [], network: "closed" });
const asked = async () => "answer";

test("nobody goes by names where a program may write, until it has ended", async () => {
  const quiet = createSwapGuard();
  const program = await quiet.disturb(["/work"]);
  const other = await quiet.disturb(["/work/sub"]);
  expect(await quiet.byName("/work/a", asked)).toBeUndefined();
  expect(await quiet.byName("/workshop/a", asked)).toBe("answer");
  program.over(behind("bubblewrap"));
  expect(await quiet.byName("/work/a", asked)).toBe("answer");
  expect(await quiet.byName("/work/sub/a", asked)).toBeUndefined();
  other.none();
  expect(await quiet.byName("/work/sub/a", asked)).toBe("answer");
});

test("behind walls that something may outlive it is never quiet again", async () => {
  for (const [backend, after] of [
    ["landlock", undefined],
    ["seatbelt", undefined],
    ["none", "answer"],
  ] as const) {
    const quiet = createSwapGuard();
    (await quiet.disturb(["/work"])).over(behind(backend));
    expect(await quiet.byName("/work/a", asked), backend).toBe(after);
  }
});

test("a program waits for those who go by names, and nobody else begins meanwhile", async () => {
  const quiet = createSwapGuard();
  let release = (_: string) => {};
  const first = quiet.byName("/work/a", () => new Promise<string>((resolve) => (release = resolve)));
  let started = false;
  const starting = quiet.disturb(["/work"]).then(() => {
    started = true;
  });
  await sleep(5);
  expect([started, await quiet.byName("/work/b", asked)]).toEqual([false, undefined]);
  release("done");
  expect(await first).toBe("done");
  await starting;
  // What failed holds up nobody.
  const failing = quiet.byName("/else/a", () => Promise.reject(new Error("no")));
  await quiet.disturb(["/else"]);
  await expect(failing).rejects.toThrow("no");
});

test("a served program counts from its start to its end, and not if it cannot start", async () => {
  const quiet = createSwapGuard();
  let end = () => {};
  const ended = new Promise<{ exitCode: number; said: string }>((resolve) => {
    end = () => resolve({ exitCode: 0, said: "" });
  });
  const answers: (() => Promise<Served>)[] = [
    () => Promise.reject(new Error("no such program")),
    async () => ({ walls: behind("bubblewrap"), ended }) as Served,
  ];
  const serve: Serve = serveGuarded(
    quiet,
    () => answers.shift()!(),
    () => ["/work"],
  );
  const program = { argv: ["x"], env: {}, network: "closed" } as const;
  await expect(serve(program)).rejects.toThrow("no such program");
  expect(await quiet.byName("/work/a", asked)).toBe("answer");
  await serve(program);
  expect(await quiet.byName("/work/a", asked)).toBeUndefined();
  end();
  await sleep(1);
  expect(await quiet.byName("/work/a", asked)).toBe("answer");
});

test("a command that runs alone begins beside no other, and those that are to start wait for its end", async () => {
  const quiet = createSwapGuard();
  const server = await quiet.disturb(["/work"], "server");
  const before = await quiet.disturb(["/work/sub"]);
  expect(await quiet.disturbAlone(["/work"])).toBeNull();
  expect(await quiet.disturbAlone(["/work/sub/deeper"])).toBeNull();
  before.none();
  const alone = (await quiet.disturbAlone(["/work"]))!;
  expect(await quiet.disturbAlone(["/work"])).toBeNull();
  await quiet.disturb(["/else"]);
  let started = false;
  const next = quiet.disturb(["/work/sub"]).then(() => {
    started = true;
  });
  await sleep(5);
  expect(started).toBe(false);
  alone.over(behind("bubblewrap"));
  await next;
  server.none();
});
