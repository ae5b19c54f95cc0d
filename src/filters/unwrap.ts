import { underNames } from "../shell/programs/under-names.ts";

interface Wrapper {
  /** Options that take a value. */
  readonly valued?: string;
  /** How many words of its own come before the program. */
  readonly own?: number;
  /** Subcommands that run another program; others do not. */
  readonly sub?: string;
}

/** Programs that run another one. */
const WRAPPERS: Readonly<Record<string, Wrapper>> = {
  ...underNames("nohup command exec unbuffer setsid cross-env bunx pnpx", {}),
  env: { valued: "-u --unset -C --chdir" },
  sudo: { valued: "-u -g -h -p -C -D" },
  doas: { valued: "-u -C" },
  time: { valued: "-f -o --format --output" },
  timeout: { valued: "-k -s --kill-after --signal", own: 1 },
  nice: { valued: "-n" },
  ionice: { valued: "-c -n" },
  stdbuf: { valued: "-i -o -e" },
  xargs: { valued: "-n -P -I -L -d -a -s -E" },
  "xvfb-run": { valued: "-n -s -e -f -w" },
  dotenv: { valued: "-e -f" },
  npx: { valued: "-p --package" },
  npm: { sub: "exec x", valued: "-w --workspace --prefix -C" },
  pnpm: { sub: "exec dlx", valued: "-C --dir --filter -F" },
  yarn: { sub: "exec dlx", valued: "--cwd" },
  bun: { sub: "x" },
  ...underNames("poetry pipenv pdm rye hatch", { sub: "run" }),
  uv: { sub: "run", valued: "--with --python -p --project --extra --group" },
  uvx: { valued: "--from --with" },
  bundle: { sub: "exec" },
  conda: { sub: "run", valued: "-n -p --name --prefix" },
  mise: { sub: "exec x" },
};

/** Options with a value that may stand before the subcommand. */
const BEFORE: Readonly<Record<string, string>> = {
  ...underNames("terraform tofu brew dotnet", ""),
  git: "-C -c --git-dir --work-tree --namespace",
  docker: "-H --host -c --context --config -l --log-level",
  kubectl: "-n --namespace --context --kubeconfig --cluster -s --server --user",
  helm: "-n --namespace --kube-context",
  cargo: "--config -Z -C --color",
  npm: "-w --workspace --prefix -C --loglevel",
  pnpm: "-C --dir --filter -F",
  yarn: "--cwd",
  go: "-C",
  pip: "--log --proxy",
  make: "-C --directory -f --file -j -I",
  mvn: "-f --file -pl -P",
  gradle: "-p --project-dir",
};

/** Other names of the same program. */
const ALIASES: Readonly<Record<string, string>> = {
  pip3: "pip",
  gmake: "make",
  gradlew: "gradle",
  mvnw: "mvn",
  python3: "python",
  nodejs: "node",
  tofu: "terraform",
  "docker-compose": "docker compose",
  podman: "docker",
  fdfind: "fd",
};

/** A command without what stands around it: wrappers, folders, versions, and options before its subcommand. */
export function unwrapCommand(words: readonly string[]): readonly string[] {
  let rest = words;
  for (let depth = 0; depth < 8; depth++) {
    const next = inside(rest);
    if (next === null || next.length === 0) break;
    rest = next;
  }
  if (rest.length === 0) return rest;
  const program = nameOf(rest[0]!);
  const [first = program, ...more] = (Object.hasOwn(ALIASES, program) ? ALIASES[program]! : program).split(" ");
  const known = Object.hasOwn(BEFORE, first) ? BEFORE[first] : undefined;
  return [first, ...more, ...(known !== undefined ? subcommandFirst(rest.slice(1), known) : rest.slice(1))];
}

function inside(words: readonly string[]): readonly string[] | null {
  const program = nameOf(words[0]!);
  const module = /^python[\d.]*$/.test(program) ? words.indexOf("-m") : -1;
  if (module > 0 && words.slice(1, module).every((word) => word.startsWith("-"))) return words.slice(module + 1);
  if (!Object.hasOwn(WRAPPERS, program)) return null;
  const { valued = "", own = 0, sub } = WRAPPERS[program]!;
  let at = skipOptions(words, 1, valued);
  if (sub) {
    if (!sub.split(" ").includes(words[at] ?? "")) return null;
    at = skipOptions(words, at + 1, valued);
  }
  at += own;
  while (/^[A-Za-z_]\w*=/.test(words[at] ?? "")) at++;
  return words.slice(at);
}

function skipOptions(words: readonly string[], from: number, valued: string): number {
  const names = valued.split(" ");
  let at = from;
  while (at < words.length && words[at]!.startsWith("-")) {
    if (words[at] === "--") return at + 1;
    at += names.includes(words[at]!) ? 2 : 1;
  }
  return at;
}

/** `git -C x --no-pager log -3` is `git log -3` said differently. `+nightly` chooses a toolchain. */
function subcommandFirst(args: readonly string[], valued: string): readonly string[] {
  const start = args[0]?.startsWith("+") ? 1 : 0;
  const at = skipOptions(args, start, valued);
  return at >= args.length ? args : [...args.slice(at), ...args.slice(start, at)];
}

/** `/usr/bin/git`, `./node_modules/.bin/tsc`, `pnpm@9`: the name alone. */
const nameOf = (word: string): string =>
  word
    .replace(/^.*\//, "")
    .replace(/(.)@[\w.^~-]+$/, "$1")
    .replace(/\.(?:exe|cmd|sh)$/, "");
