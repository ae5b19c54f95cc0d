// How fast the whole filter is, on outputs made up of every line being a little different.
const MB = 1_000_000;

/** What an agent may well print, and must not wait for. */
const ORDINARY = 1.3 * MB;

/** Megabytes a second on about `size` bytes, how many times longer twice as much takes (2 is linear), and what 1.3 MB take in milliseconds. */
export function speedOf({ command, exitCode, make }, filter, size = 4 * MB) {
  const once = make(size);
  const ordinary = make(ORDINARY);
  const twice = make(2 * size);
  const time = (raw) => {
    const started = performance.now();
    filter({ command, raw, exitCode });
    return performance.now() - started;
  };
  time(once);
  // The best of several, in turns: whatever else the machine does only adds to a time.
  const times = Array.from({ length: 7 }, () => [time(once), time(twice), time(ordinary)]);
  const [one, two, ms] = [0, 1, 2].map((n) => Math.min(...times.map((all) => all[n])));
  return { megabytes: once.length / MB / (one / 1000), growth: (two / one) * (once.length / twice.length) * 2, ms };
}

export const INPUTS = [
  {
    what: "a service log",
    least: 20,
    command: "tail -n 100000 service.log",
    exitCode: 0,
    make: (size) =>
      lines(
        size,
        (n) =>
          `2026-11-15T06:${pad(Math.floor(n / 60) % 60)}:${pad(n % 60)}.${String(n % 1000).padStart(3, "0")}Z ${n % 997 === 0 ? "ERROR" : "INFO"} [worker-${n % 16}] request ${hex(n)} from 10.0.${n % 250}.${n % 200} took ${n % 900} ms${n % 997 === 0 ? ": connection refused" : ""}`,
      ),
  },
  {
    what: "a verbose test run that fails",
    command: "npx vitest run --reporter=verbose",
    exitCode: 1,
    make: (size) =>
      lines(size, (n) =>
        n % 500 === 499 ? failure(n) : ` ✓ src/module-${n % 40}.test.ts > part ${n % 90} > does the thing number ${n} ${n % 30}ms`,
      ),
  },
  {
    what: "a diff",
    command: "git diff",
    exitCode: 0,
    make: (size) => lines(size, (n) => (n % 60 === 0 ? header(n) : `${"+- "[n % 3]}  const value${n} = compute(${n}, "${hex(n)}");`)),
  },
  {
    what: "an output nobody has a rule for",
    command: "./deploy.sh",
    exitCode: 0,
    make: (size) => lines(size, (n) => `step ${n}: ${hex(n)} copied to host-${n % 12}`),
  },
];

function lines(size, line) {
  const all = [];
  for (let n = 0, length = 0; length < size; n++) {
    all.push(line(n));
    length += all.at(-1).length + 1;
  }
  return `${all.join("\n")}\n`;
}

const pad = (n) => String(n).padStart(2, "0");
const hex = (n) => ((n * 2_654_435_761) % 2 ** 32).toString(16).padStart(8, "0");
const failure = (n) =>
  ` × src/module-${n % 40}.test.ts > part ${n % 90} > does the thing number ${n} ${n % 30}ms\n   → expected ${n} to be ${n + 1}`;
const header = (n) =>
  `diff --git a/src/file-${n}.ts b/src/file-${n}.ts\nindex ${hex(n)}..${hex(n + 1)} 100644\n--- a/src/file-${n}.ts\n+++ b/src/file-${n}.ts\n@@ -1,59 +1,59 @@ function f${n}() {`;
