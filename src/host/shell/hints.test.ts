import { expect, it } from "vitest";
import type { Walls } from "../../core/ports/walls.ts";
import { type HintFacts, wallHint } from "./hints.ts";

const behind = (backend: Walls["backend"]): Walls => ({ backend, layers: [], network: "closed" });
const hint = (stderr: string, backend: Walls["backend"], exitCode = 1) =>
  wallHint(stderr, exitCode, behind(backend), () => false, { isUnseen: (path) => path.startsWith("/there") });

it.each([
  ["cat: /outside/x: Permission denied", "landlock", /allow_read.*allow_write/],
  ["bash: line 1: /outside/x: permission denied", "landlock", /Landlock/],
  ["touch: cannot touch '/usr/x': Read-only file system", "bubblewrap", /allow_write/],
  ["curl: (6) Could not resolve host: example.com", "bubblewrap", /allow_network/],
  ["cat: /there: No such file or directory", "bubblewrap", /\/there .*allow_read/],
] as const)("A failure that looks like a wall gets a hint with its setting: %s behind %s", (stderr, backend, expected) => {
  expect(hint(stderr, backend)).toMatch(/^Perhaps a wall: /);
  expect(hint(stderr, backend)).toMatch(expected);
});

it("A file's own permissions are no wall where walls do not answer like that", () => {
  expect(hint("cat: x: Permission denied", "bubblewrap")).toBeUndefined();
});

it("Without walls, and without a failure, there is no hint", () => {
  for (const text of ["cat: x: Permission denied", "touch: /usr/x: Read-only file system", "cat: /there: No such file or directory"])
    expect(hint(text, "none")).toBeUndefined();
  expect(hint("cat: x: Permission denied", "landlock", 0)).toBeUndefined();
});

const facts: HintFacts = {
  isUnseen: (path) => path.startsWith("/opt"),
  home: "/home/dev",
  env: { SSH_AUTH_SOCK: "/run/agent", DISPLAY: ":0" },
  toolchains: ["/home/dev/.nvm/versions/node/v20"],
  listensOutside: (port) => port === 5432,
  programOutside: (name) =>
    name === "terraform"
      ? { path: "/home/dev/tf/terraform", why: "holds credentials.json" }
      : name === "deno"
        ? { path: "/opt/deno", why: null }
        : null,
};
const THERE = new Set([
  "/home/dev/src/a.git",
  "/home/dev/.aws/config",
  "/var/run/docker.sock",
  "/run/systemd/system",
  "/home/dev/.config/gh",
  "/opt/data",
]);
const full = (printed: string, exitCode = 1, more: Partial<HintFacts> = {}) =>
  wallHint(printed, exitCode, behind("bubblewrap"), (path) => THERE.has(path), { ...facts, ...more });

it.each([
  [
    "fatal: '/home/dev/src/a.git' does not appear to be a git repository\nfatal: Could not read from remote repository.",
    /a\.git is a repository outside/,
  ],
  ["fatal: repository '/home/dev/src/a.git' does not exist", /a\.git is a repository outside/],
  ["Author identity unknown\n\n*** Please tell me who you are.", /git config --global user\.name/],
  ["fatal: could not read Username for 'https://git.example': terminal prompts disabled", /credentials for git/],
  [
    "npm error code EAI_AGAIN\nnpm error request to https://registry.example/x failed, reason: getaddrinfo EAI_AGAIN registry.example",
    /network is closed/,
  ],
  ["fatal: unable to access 'https://git.example/x/y.git/': CONNECT tunnel failed, response 403", /network is closed/],
  ["curl: (56) CONNECT tunnel failed, response 403", /network is closed/],
  [
    'error An unexpected error occurred: "https://registry.example/x: tunneling socket could not be established, statusCode=403".',
    /network is closed/,
  ],
  [
    "WARNING: Retrying (Retry(total=0)) after connection broken by 'ProxyError('Cannot connect to proxy.', OSError('Tunnel connection failed: 403 Forbidden'))': /simple/x/",
    /network is closed/,
  ],
  ["Proxy tunneling failed: ForbiddenUnable to establish SSL connection.", /network is closed/],
  ["wget: unable to resolve host address 'a.example'", /network is closed/],
  ["urllib.error.URLError: <urlopen error [Errno -3] Temporary failure in name resolution>", /network is closed/],
  [
    'go: module example.org/x: Get "https://proxy.example/x": dial tcp: lookup proxy.example on 10.0.0.1:53: no such host',
    /network is closed/,
  ],
  ["Caused by: java.net.UnknownHostException: repo.example", /network is closed/],
  ['Unable to tunnel through proxy. Proxy returns "HTTP/1.1 403 Forbidden"', /network is closed/],
  ['psql: error: could not translate host name "db.example" to address: Temporary failure in name resolution', /network is closed/],
  ["ssh: Could not resolve hostname git.example: Temporary failure in name resolution", /network is closed/],
  ["TypeError: fetch failed\n  [cause]: Error: getaddrinfo EAI_AGAIN api.example", /network is closed/],
  ['psql: error: connection to server at "localhost" (127.0.0.1), port 5432 failed: Connection refused', /port 5432 of this machine/],
  ["Error: connect ECONNREFUSED 127.0.0.1:5432", /port 5432 of this machine/],
  ["Cannot connect to the Docker daemon at unix:///var/run/docker.sock. Is the docker daemon running?", /socket \/var\/run\/docker\.sock/],
  ["To get started with GitHub CLI, please run:  gh auth login", /login of gh/],
  ["Could not open a connection to your authentication agent.", /ssh agent/],
  ["System has not been booted with systemd as init system (PID 1). Can't operate.", /services/],
  ["Error: listen EADDRINUSE: address already in use 127.0.0.1:3000", /tool background/],
  ["npm error EROFS: read-only file system, mkdir '/home/dev/.nvm/versions/node/v20/lib/node_modules/x'", /your own programs.*npm i -g/],
  ["touch: cannot touch '/usr/x': Read-only file system", /allow_write/],
  ["bash: line 1: .git/hooks/pre-commit: Read-only file system", /^(?!.*allow_write).*protected from commands/],
  ["cp: cannot create regular file '/home/dev/app/.mcp.json': Read-only file system", /^(?!.*allow_write).*protected from commands/],
  [
    "bash: line 1: terraform: command not found",
    /terraform is installed as \/home\/dev\/tf\/terraform, and it holds credentials\.json.*toolchains/,
  ],
  ["sh: 1: deno: not found", /deno is installed as \/opt\/deno, and commands do not see it/],
  ["/usr/bin/env: ‘deno’: No such file or directory", /deno is installed/],
  ["Error: spawn deno ENOENT", /deno is installed/],
  ["make: deno: No such file or directory", /deno is installed/],
  ["cat: /home/agent/.aws/config: No such file or directory", /a home of their own, without your files/],
  ["Error: ENOENT: no such file or directory, open '/opt/data'", /\/opt\/data is outside the workspace/],
  ["FileNotFoundError: [Errno 2] No such file or directory: '/opt/data'", /\/opt\/data is outside the workspace/],
  ["open /opt/data: no such file or directory", /\/opt\/data is outside the workspace/],
  ["java.nio.file.NoSuchFileException: /opt/data", /\/opt\/data is outside the workspace/],
  ["bash: fork: retry: Resource temporarily unavailable", /how many processes/],
] as const)("A failure that a wall caused is told with what changes it: %s", (printed, expected) =>
  expect(full(printed)).toMatch(expected),
);

it("What the proxy refused is known and not guessed, also where a pipe hides the failure", () => {
  const refusals = [
    { host: "registry.example", port: 443 },
    { host: "other.example", port: 8443 },
  ];
  expect(full("whatever", 1, { refusals })).toMatch(
    /^A wall: the network is closed to registry\.example, other\.example:8443 .*allow_domains/,
  );
  expect(full("request to https://registry.example/x failed", 0, { refusals })).toMatch(/registry\.example/);
  expect(full("all is well", 0, { refusals })).toBeUndefined();
});

/** What goes wrong every day and has nothing to do with walls. */
it.each([
  "error TS2345: Argument of type 'string' is not assignable to parameter of type 'number'.",
  "FAIL src/a.test.ts > adds\nAssertionError: expected 1 to be 2",
  'npm error Missing script: "biuld"\nnpm error\nnpm error To see a list of scripts, run:\nnpm error   npm run',
  "npm error code ERESOLVE\nnpm error ERESOLVE unable to resolve dependency tree",
  "npm error code E404\nnpm error 404 Not Found - GET https://registry.example/nope - Not found",
  "error: Your local changes to the following files would be overwritten by merge:\n\tsrc/a.ts\nPlease commit your changes or stash them before you merge.",
  "CONFLICT (content): Merge conflict in src/a.ts\nAutomatic merge failed; fix conflicts and then commit the result.",
  "fatal: not a git repository (or any of the parent directories): .git",
  "error: pathspec 'nope' did not match any file(s) known to git",
  "fatal: 'nope' does not appear to be a git repository",
  "fatal: '/nowhere/x.git' does not appear to be a git repository",
  " ! [rejected]        main -> main (non-fast-forward)\nerror: failed to push some refs",
  "Traceback (most recent call last):\n  File \"a.py\", line 1, in <module>\nModuleNotFoundError: No module named 'requests'",
  "FileNotFoundError: [Errno 2] No such file or directory: 'data.csv'",
  "PermissionError: [Errno 13] Permission denied: 'out.txt'",
  "bash: ./run.sh: Permission denied",
  "bash: line 1: nope: command not found",
  "ls: cannot access 'nope': No such file or directory",
  "cat: /nowhere/at/all: No such file or directory",
  "make: *** No rule to make target 'biuld'.  Stop.",
  "make: *** [Makefile:3: test] Error 1",
  "a.c:1:10: fatal error: nope.h: No such file or directory",
  "error[E0425]: cannot find value `x` in this scope\nerror: could not compile `r`",
  "error: could not find `Cargo.toml` in `/work` or any parent directory",
  "./main.go:3:2: undefined: foo\nFAIL\tx [build failed]",
  "go: go.mod file not found in current directory or any parent directory; see 'go help modules'",
  "A.java:1: error: ';' expected",
  'Exception in thread "main" java.lang.NullPointerException',
  "[ERROR] Failed to execute goal compile: Compilation failure",
  'psql: error: connection to server at "localhost" (127.0.0.1), port 9999 failed: Connection refused',
  "Error: connect ECONNREFUSED 127.0.0.1:4173",
  "curl: (7) Failed to connect to localhost port 4173 after 0 ms: Couldn't connect to server",
  "curl: (22) The requested URL returned error: 404",
  'ERROR:  relation "users" does not exist',
  "chown: changing ownership of 'a': Operation not permitted",
  "kill: (1) - Operation not permitted",
  "SyntaxError: Unexpected token '}'",
  "Error: Cannot find module './nope'\nRequire stack:\n- /work/a.js",
  "eslint: 3 problems (3 errors, 0 warnings)",
  "error Command failed with exit code 1.",
  "ERR_PNPM_NO_SCRIPT  Missing script: biuld",
  "ERROR: Could not open requirements file: [Errno 2] No such file or directory: 'requirements.txt'",
  "grep: unrecognized option '--nope'",
  "cp: cannot stat 'a': No such file or directory",
  "mkdir: cannot create directory 'a': File exists",
  "rm: cannot remove 'a': Is a directory",
  "tar: a.tar: Cannot open: No such file or directory",
  "cat: disk.img: No space left on device",
])("An ordinary failure is not laid at a wall: %s", (printed) => expect(full(printed)).toBeUndefined());

it("A network that is open is no wall", () => {
  const open: Walls = { backend: "bubblewrap", layers: [], network: "open" };
  for (const text of ["curl: (6) Could not resolve host: a.example", "Error: connect ECONNREFUSED 127.0.0.1:5432", "listen EADDRINUSE"])
    expect(wallHint(text, 1, open, () => true, facts)).toBeUndefined();
});

it("What is outside the workspace is named by where it lies, and not by whether it is there", () => {
  const told = (path: string, exists: boolean) =>
    wallHint(`cat: ${path}: No such file or directory`, 1, behind("bubblewrap"), () => exists, {
      isUnseen: (one) => one.startsWith("/home/me"),
    });
  expect(told("/home/me/.ssh/id_rsa", true)).toContain("/home/me/.ssh/id_rsa is outside the workspace: commands cannot see it");
  for (const path of ["/home/me/.ssh/id_rsa", "/home/me/none", "/usr/none", "/tmp/x", "/home/agent/x"])
    expect(told(path, true)).toBe(told(path, false));
  expect(told("/usr/none", true)).toBeUndefined();
  // The part of a relative path behind its first slash is no path.
  expect(told("src/home/me/x", true)).toBeUndefined();
  expect(told("x//home/me/x", true)).toBeUndefined();
});
