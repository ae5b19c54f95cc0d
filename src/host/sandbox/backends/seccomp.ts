import { type Arch, numberOf, PRIVILEGE, PROBED, SURFACE, type Syscall, syscallNames } from "./syscalls.ts";

/**
 * The system call filter as raw cBPF for `bwrap --seccomp`: what raises privileges or widens the kernel's surface is refused, the rest
 * is allowed. Calls of another architecture (i386, x32) kill the process: their numbers mean something else.
 */
export function seccompFilter({ arch, families = FAMILIES, pairs = families }: FilterOptions): Buffer {
  const check = (name: Syscall, body: readonly Instruction[]) => {
    const number = numberOf(name, arch);
    return number === null ? [] : [ifEqual(number, 0, body.length), ...body];
  };
  const refuse = (group: Partial<Record<Syscall, unknown>>, errno: number) =>
    syscallNames(group).flatMap((name) => check(name, [answer(ERRNO | errno)]));
  return assemble([
    load(AT.arch),
    ifEqual(AUDIT_ARCH[arch], 1, 0),
    answer(KILL_PROCESS),
    load(AT.number),
    ...(arch === "x64" ? [ifAtLeast(X32_BIT, 0, 1), answer(KILL_PROCESS)] : []),
    ...refuse(PRIVILEGE, EPERM),
    ...refuse(SURFACE, EPERM),
    ...refuse(PROBED, ENOSYS),
    ...check("clone", [load(AT.argument(0)), ifAnyBit(NEW_NAMESPACE, 0, 1), answer(ERRNO | EPERM), answer(ALLOW)]),
    ...check("socket", onlyFamilies(families)),
    ...check("socketpair", onlyFamilies(pairs)),
    // Only the low 32 bits of the request count, for the kernel as for us.
    ...check("ioctl", [load(AT.argument(1)), ifEqual(TIOCSTI, 1, 0), ifEqual(TIOCLINUX, 0, 1), answer(ERRNO | EPERM), answer(ALLOW)]),
    ...check("personality", [load(AT.argument(0)), ifEqual(0, 2, 0), ifEqual(0xffffffff, 1, 0), answer(ERRNO | EPERM), answer(ALLOW)]),
    ...Object.entries(MODE_AT).flatMap(([name, at]) => check(name as Syscall, noSetId(at))),
    // The mode means something only where a file is made; otherwise the register holds whatever was in it.
    ...Object.entries(FLAGS_AT).flatMap(([name, at]) =>
      check(name as Syscall, [load(AT.argument(at)), ifAnyBit(MAKES_FILE, 1, 0), answer(ALLOW), ...noSetId(at + 1)]),
    ),
    answer(ALLOW),
  ]);
}

export interface FilterOptions {
  readonly arch: Arch;
  /** Address families of sockets. */
  readonly families?: readonly number[];
  /** And of pairs, which connect a process only with its own children. */
  readonly pairs?: readonly number[];
}

/**
 * Which argument is the mode. A file that is setuid or setgid would carry the rights of the one who runs Zeph out of the walls, as root
 * those of the machine. `mkdir` is not here: the kernel takes these bits from its mode itself.
 */
export const MODE_AT = { chmod: 1, fchmod: 1, fchmodat: 2, fchmodat2: 2, mknod: 1, mknodat: 2, creat: 1 } as const satisfies Places;
/** Which argument holds the flags; the mode is the next one. */
export const FLAGS_AT = { open: 1, openat: 2 } as const satisfies Places;
type Places = Partial<Record<Syscall, number>>;

const AF = { UNIX: 1, INET: 2, INET6: 10, NETLINK: 16 };
/** An allow-list, because the network namespace does not isolate every family: vsock reaches the hypervisor from any of them. */
export const FAMILIES: readonly number[] = [AF.UNIX, AF.INET, AF.INET6, AF.NETLINK];

type Instruction = readonly [code: number, yes: number, no: number, value: number];
const load = (offset: number): Instruction => [0x20, 0, 0, offset];
const answer = (value: number): Instruction => [0x06, 0, 0, value];
const ifEqual = (value: number, yes: number, no: number): Instruction => [0x15, yes, no, value];
const ifAtLeast = (value: number, yes: number, no: number): Instruction => [0x35, yes, no, value];
const ifAnyBit = (value: number, yes: number, no: number): Instruction => [0x45, yes, no, value];

/** Offsets in `struct seccomp_data`. Both machines are little-endian: the low word of an argument comes first. */
const AT = { number: 0, arch: 4, argument: (n: number) => 16 + 8 * n };
const AUDIT_ARCH: Record<Arch, number> = { x64: 0xc000003e, arm64: 0xc00000b7 };
const X32_BIT = 0x40000000;
const [EPERM, ENOSYS, EAFNOSUPPORT] = [1, 38, 97];
const ALLOW = 0x7fff0000;
const KILL_PROCESS = 0x80000000;
const ERRNO = 0x00050000;
const TIOCSTI = 0x5412;
const TIOCLINUX = 0x541c;
/** NEWNS, NEWCGROUP, NEWUTS, NEWIPC, NEWUSER, NEWPID, NEWNET. NEWTIME shares its bit with the exit signal of clone and cannot be asked for there. */
const NEW_NAMESPACE = 0x7e020000;

/** S_ISUID and S_ISGID. A mode has 16 bits for the kernel, so the low word is enough. */
const SET_ID = 0o6000;
/** O_CREAT, and the bit of O_TMPFILE that is its own. The same on both machines. */
const MAKES_FILE = 0o20000100;

const noSetId = (argument: number): Instruction[] => [
  load(AT.argument(argument)),
  ifAnyBit(SET_ID, 0, 1),
  answer(ERRNO | EPERM),
  answer(ALLOW),
];

function onlyFamilies(families: readonly number[]): Instruction[] {
  const tests = families.map((family, i) => ifEqual(family, families.length - i, 0));
  return [load(AT.argument(0)), ...tests, answer(ERRNO | EAFNOSUPPORT), answer(ALLOW)];
}

function assemble(program: readonly Instruction[]): Buffer {
  const bytes = Buffer.alloc(program.length * 8);
  program.forEach(([code, yes, no, value], i) => {
    bytes.writeUInt16LE(code, i * 8);
    bytes.writeUInt8(yes, i * 8 + 2);
    bytes.writeUInt8(no, i * 8 + 3);
    bytes.writeUInt32LE(value >>> 0, i * 8 + 4);
  });
  return bytes;
}
