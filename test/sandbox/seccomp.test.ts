import { execFileSync } from "node:child_process";
import { existsSync } from "node:fs";
import { describe, expect, test } from "vitest";
import { FLAGS_AT, MODE_AT, seccompFilter } from "../../src/host/sandbox/backends/seccomp.ts";
import {
  type Arch,
  archOf,
  numberOf,
  PRIVILEGE,
  PROBED,
  SURFACE,
  SYSCALLS,
  type Syscall,
  syscallNames,
} from "../../src/host/sandbox/backends/syscalls.ts";

const ALLOW = 0x7fff0000;
const KILL = 0x80000000;
const [EPERM, ENOSYS, EAFNOSUPPORT] = [0x50001, 0x50026, 0x50061];
const AUDIT = { x64: 0xc000003e, arm64: 0xc00000b7 };
const I386 = 0x40000003;

/** What the kernel would answer: the program is interpreted here, so both machines are tested on any. */
function answer(program: Buffer, number: number, arch: number, args: readonly bigint[] = []): number {
  const data = Buffer.alloc(64);
  data.writeUInt32LE(number >>> 0, 0);
  data.writeUInt32LE(arch >>> 0, 4);
  for (const [i, arg] of args.entries()) data.writeBigUInt64LE(arg, 16 + 8 * i);
  let a = 0;
  for (let at = 0; at < program.length / 8; at++) {
    const [code, yes, no, value] = [
      program.readUInt16LE(at * 8),
      program[at * 8 + 2]!,
      program[at * 8 + 3]!,
      program.readUInt32LE(at * 8 + 4),
    ];
    if (code === 0x20) a = data.readUInt32LE(value);
    else if (code === 0x06) return value;
    else if (code === 0x15) at += a === value ? yes : no;
    else if (code === 0x35) at += a >= value ? yes : no;
    else if (code === 0x45) at += (a & value) !== 0 ? yes : no;
    else throw new Error(`no such instruction: ${code}`);
  }
  throw new Error("it has no end");
}

describe.each<Arch>(["x64", "arm64"])("%s", (arch) => {
  const program = seccompFilter({ arch });
  const ask = (name: Syscall, ...args: bigint[]) => answer(program, numberOf(name, arch)!, AUDIT[arch], args);
  const existing = (names: readonly Syscall[]) => names.filter((name) => numberOf(name, arch) !== null);

  test.each(existing([...syscallNames(PRIVILEGE), ...syscallNames(SURFACE)]))("%s is refused", (name) => expect(ask(name)).toBe(EPERM));
  test.each(existing(syscallNames(PROBED)))("%s is not there", (name) => expect(ask(name)).toBe(ENOSYS));

  test("sixteen raise privileges", () => expect(syscallNames(PRIVILEGE)).toHaveLength(16));

  test.each([0x00020000n, 0x02000000n, 0x04000000n, 0x08000000n, 0x10000000n, 0x20000000n, 0x40000000n])(
    "clone with namespace flag %i",
    (flag) => expect(ask("clone", flag | 17n)).toBe(EPERM),
  );
  test("clone of a thread and of a process", () => {
    expect(ask("clone", 0x3d0f00n)).toBe(ALLOW);
    expect(ask("clone", 17n)).toBe(ALLOW);
  });

  test.each([
    [1, ALLOW],
    [2, ALLOW],
    [10, ALLOW],
    [16, ALLOW],
    [17, EAFNOSUPPORT],
    [38, EAFNOSUPPORT],
    [40, EAFNOSUPPORT],
  ])("sockets of family %i", (family, wanted) => {
    expect(ask("socket", BigInt(family))).toBe(wanted);
    expect(ask("socketpair", BigInt(family))).toBe(wanted);
  });

  test("no sockets at all, but pairs, where there is no network namespace", () => {
    const closed = seccompFilter({ arch, families: [16], pairs: [1] });
    const closedTo = (name: Syscall, family: bigint) => answer(closed, numberOf(name, arch)!, AUDIT[arch], [family]);
    expect([1n, 2n, 10n].map((family) => closedTo("socket", family))).toEqual([EAFNOSUPPORT, EAFNOSUPPORT, EAFNOSUPPORT]);
    expect(closedTo("socketpair", 1n)).toBe(ALLOW);
    expect(closedTo("socketpair", 2n)).toBe(EAFNOSUPPORT);
  });

  test("typing into a terminal, whatever the upper half of the argument says", () => {
    expect(ask("ioctl", 0n, 0x5412n)).toBe(EPERM);
    expect(ask("ioctl", 0n, 0x100005412n)).toBe(EPERM);
    expect(ask("ioctl", 0n, 0x541cn)).toBe(EPERM);
    expect(ask("ioctl", 0n, 0x5401n)).toBe(ALLOW);
  });

  test("another personality", () => {
    expect(ask("personality", 0x0400000n)).toBe(EPERM);
    expect(ask("personality", 0n)).toBe(ALLOW);
    expect(ask("personality", 0xffffffffn)).toBe(ALLOW);
  });

  test.each(existing(Object.keys(MODE_AT) as Syscall[]))("%s with setuid or setgid", (name) => {
    const at = MODE_AT[name as keyof typeof MODE_AT];
    const mode = (bits: bigint) => ask(name, ...Array.from({ length: 6 }, (_, i) => (i === at ? bits : 0n)));
    for (const bits of [0o4755n, 0o2755n, 0o6000n, 0o104755n, 0x100000000n | 0o4000n]) expect(mode(bits), String(bits)).toBe(EPERM);
    for (const bits of [0o755n, 0o1777n, 0o100644n, 0n]) expect(mode(bits), String(bits)).toBe(ALLOW);
    // The same bits in another argument are no mode.
    expect(ask(name, ...Array.from({ length: 6 }, (_, i) => (i === at ? 0o644n : 0o6000n)))).toBe(ALLOW);
  });
  test.each(existing(Object.keys(FLAGS_AT) as Syscall[]))("%s with setuid or setgid, where it makes a file", (name) => {
    const at = FLAGS_AT[name as keyof typeof FLAGS_AT];
    const open = (flags: bigint, mode: bigint) => ask(name, ...Array.from({ length: at }, () => 0n), flags, mode);
    const [CREAT, TMPFILE] = [0o100n, 0o20200000n];
    for (const flags of [CREAT, CREAT | 2n, TMPFILE | 2n]) {
      expect(open(flags, 0o4755n)).toBe(EPERM);
      expect(open(flags, 0o2644n)).toBe(EPERM);
      expect(open(flags, 0o644n)).toBe(ALLOW);
    }
    // O_DIRECTORY alone is no O_TMPFILE, and without O_CREAT nobody sets the register.
    for (const flags of [0n, 0o200000n, 0o40000n, 0o2000000n]) expect(open(flags, 0o6777n)).toBe(ALLOW);
  });

  test("calls of another machine kill", () => {
    expect(answer(program, 1, I386)).toBe(KILL);
    expect(answer(program, 1, AUDIT[arch === "x64" ? "arm64" : "x64"])).toBe(KILL);
    if (arch === "x64") for (const number of [0, 1, 101]) expect(answer(program, 0x40000000 | number, AUDIT.x64)).toBe(KILL);
  });

  test("execve stays, and so does everything nobody named", () => {
    const named = new Set(existing(syscallNames(SYSCALLS)).map((name) => numberOf(name, arch)));
    for (let number = 0; number < 500; number++)
      if (!named.has(number)) expect(answer(program, number, AUDIT[arch]), String(number)).toBe(ALLOW);
    expect(answer(program, arch === "x64" ? 59 : 221, AUDIT[arch])).toBe(ALLOW);
  });
});

test("there is no filter for other machines", () =>
  expect([archOf("ia32"), archOf("riscv64"), archOf("x64")]).toEqual([null, null, "x64"]));

describe("the numbers are those of the kernel's headers", () => {
  const HEADERS = {
    x64: ["/usr/include/x86_64-linux-gnu/asm/unistd_64.h", []],
    arm64: [
      "/usr/include/asm-generic/unistd.h",
      ["-D__ARCH_WANT_SYS_CLONE3", "-D__ARCH_WANT_RENAMEAT", "-D__ARCH_WANT_NEW_STAT", "-D__BITS_PER_LONG=64"],
    ],
  } as const;
  for (const arch of ["x64", "arm64"] as const) {
    const [header, flags] = HEADERS[arch];
    test.runIf(existsSync(header) && existsSync("/usr/bin/gcc"))(arch, () => {
      const text = execFileSync("gcc", [...flags, "-E", "-dM", "-include", header, "-x", "c", "/dev/null"], { encoding: "utf8" });
      const known = new Map([...text.matchAll(/^#define __NR(?:3264)?_(\w+) (\d+)$/gm)].map(([, name, number]) => [name!, Number(number)]));
      expect(known.size).toBeGreaterThan(250);
      // Newer than the headers of this machine.
      const NEW = ["open_tree_attr", "fchmodat2"];
      const wrong = syscallNames(SYSCALLS).filter(
        (name) => (known.get(name) ?? null) !== numberOf(name, arch) && !(NEW.includes(name) && !known.has(name)),
      );
      expect(wrong).toEqual([]);
    });
  }
});
