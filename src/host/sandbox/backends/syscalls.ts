export type Arch = "x64" | "arm64";

/** Numbers on x86_64 and on arm64, compared with the kernel's headers by a test. null: the call does not exist there. */
type SyscallNumbers = Record<string, readonly [number, number | null]>;

/** The sixteen that raise privileges. `execve` must stay; its variants are `execveat` and the foreign entries that the filter kills. */
export const PRIVILEGE = {
  ptrace: [101, 117],
  process_vm_readv: [310, 270],
  process_vm_writev: [311, 271],
  execveat: [322, 281],
  bpf: [321, 280],
  perf_event_open: [298, 241],
  userfaultfd: [323, 282],
  init_module: [175, 105],
  finit_module: [313, 273],
  kexec_load: [246, 104],
  kexec_file_load: [320, 294],
  mount: [165, 40],
  pivot_root: [155, 41],
  unshare: [272, 97],
  setns: [308, 268],
  keyctl: [250, 219],
} as const satisfies SyscallNumbers;

/** Kernel surface no build or test needs. */
export const SURFACE = {
  delete_module: [176, 106],
  umount2: [166, 39],
  chroot: [161, 51],
  reboot: [169, 142],
  swapon: [167, 224],
  swapoff: [168, 225],
  add_key: [248, 217],
  request_key: [249, 218],
  open_by_handle_at: [304, 265],
  fanotify_init: [300, 262],
  quotactl: [179, 60],
  quotactl_fd: [443, 443],
  acct: [163, 89],
  syslog: [103, 116],
  settimeofday: [164, 170],
  clock_settime: [227, 112],
  clock_adjtime: [305, 266],
  sethostname: [170, 161],
  setdomainname: [171, 162],
  vhangup: [153, 58],
  kcmp: [312, 272],
  pidfd_getfd: [438, 438],
  process_madvise: [440, 440],
  lookup_dcookie: [212, 18],
  nfsservctl: [180, 42],
  move_pages: [279, 239],
  migrate_pages: [256, 238],
  iopl: [172, null],
  ioperm: [173, null],
  modify_ldt: [154, null],
  uselib: [134, null],
  _sysctl: [156, null],
} as const satisfies SyscallNumbers;

/** Answered "not in this kernel", so that callers fall back. What clone3 and openat2 ask for lies behind a pointer a filter cannot read. */
export const PROBED = {
  open_tree: [428, 428],
  move_mount: [429, 429],
  fsopen: [430, 430],
  fsconfig: [431, 431],
  fsmount: [432, 432],
  fspick: [433, 433],
  mount_setattr: [442, 442],
  open_tree_attr: [467, 467],
  clone3: [435, 435],
  io_uring_setup: [425, 425],
  io_uring_enter: [426, 426],
  io_uring_register: [427, 427],
  openat2: [437, 437],
} as const satisfies SyscallNumbers;

export const SYSCALLS = {
  ...PRIVILEGE,
  ...SURFACE,
  ...PROBED,

  clone: [56, 220],
  socket: [41, 198],
  socketpair: [53, 199],
  ioctl: [16, 29],
  personality: [135, 92],
  chmod: [90, null],
  fchmod: [91, 52],
  fchmodat: [268, 53],
  fchmodat2: [452, 452],
  mknod: [133, null],
  mknodat: [259, 33],
  creat: [85, null],
  open: [2, null],

  landlock_create_ruleset: [444, 444],
  landlock_add_rule: [445, 445],
  landlock_restrict_self: [446, 446],
  openat: [257, 56],
  close: [3, 57],
  prctl: [157, 167],
  dup3: [292, 24],
  getxattr: [191, 8],
  capset: [126, 91],
} as const satisfies SyscallNumbers;

export type Syscall = keyof typeof SYSCALLS;
export const syscallNames = (group: Partial<Record<Syscall, unknown>>): Syscall[] => Object.keys(group) as Syscall[];
export const numberOf = (name: Syscall, arch: Arch): number | null => SYSCALLS[name][arch === "x64" ? 0 : 1];

/** null: no filter is known for this machine, so there is no sandbox either. */
export const archOf = (machine: string): Arch | null => (machine === "x64" || machine === "arm64" ? machine : null);
