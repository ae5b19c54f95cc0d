import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { DEFAULT_LIMITS } from "../../src/host/sandbox/limits.ts";
import { available, has, inside, PYTHON, type Who, who } from "./support.ts";

const GIB = 2 ** 30;

/** Nobody makes a cgroup for an ordinary user: what is left are the limits of each process and the sizes of what lies in memory. */
describe.runIf(available && has(PYTHON))("a command of an ordinary user, with the limits it has by default", () => {
  let me: Who;
  beforeAll(() => {
    me = who("user");
  });
  afterAll(() => me.remove());
  const python = async (code: string) => (await inside(me.workspace(), me, `${PYTHON} - <<'END'\n${code}\nEND`)).out;

  test("cannot have more than 512 processes at once", async () => {
    const out = await python(
      [
        "import os,signal",
        "n=0",
        "try:",
        "  while n<1000:",
        "    if os.fork()==0: signal.pause()",
        "    n+=1",
        "except OSError as e: print('refused',e.errno,flush=True)",
        "print('made',n,flush=True)",
        "os.kill(0,9)",
      ].join("\n"),
    );
    expect(out).toContain("refused 11");
    const made = Number(/made (\d+)/.exec(out)![1]);
    expect(made).toBeLessThanOrEqual(DEFAULT_LIMITS.processes!);
    // It is this sandbox alone that is counted, so most of them are there for the command.
    expect(made).toBeGreaterThan(DEFAULT_LIMITS.processes! / 2);
  });

  test("cannot take more than 4 GiB in one process, and may do so in each of several", async () => {
    // Reserved, not written to: the limit counts what is asked for.
    const take = (bytes: number) =>
      `import mmap\ntry:\n  m=mmap.mmap(-1,${bytes},flags=mmap.MAP_PRIVATE|mmap.MAP_ANONYMOUS)\n  print('taken')\nexcept OSError as e: print('refused',e.errno)`;
    expect(await python(take(5 * GIB))).toContain("refused 12");
    expect(
      await python(
        `import os,sys\nfor n in range(2):\n  if os.fork()==0:\n    exec(${JSON.stringify(take(3 * GIB))})\n    sys.stdout.flush()\n    os._exit(0)\nfor n in range(2): os.wait()`,
      ),
    ).toMatch(/taken\s+taken/);
  });

  test("has a /tmp and a home of 1 GiB, and 256 MiB of shared memory", async () => {
    const { out } = await inside(me.workspace(), me, 'df -B1 --output=size /tmp "$HOME" /dev/shm | tail -n 3');
    const [tmp, home, shared] = out.trim().split(/\s+/).map(Number);
    expect([tmp, shared]).toEqual([DEFAULT_LIMITS.tempBytes, DEFAULT_LIMITS.sharedMemoryBytes]);
    expect(home).toBeLessThanOrEqual(DEFAULT_LIMITS.tempBytes);
  });
});
