// Ratios, not times: the thing and its yardstick take turns in one run, so a busy machine slows both.
/** Median of each, the two taking turns. */
export async function versus(ours, yardstick, rounds) {
  const a = [];
  const b = [];
  for (let i = 0; i < rounds; i++) {
    b.push(await timed(yardstick));
    a.push(await timed(ours));
  }
  return { ours: median(a), yardstick: median(b) };
}

export async function timed(work) {
  const started = process.hrtime.bigint();
  await work();
  return Number(process.hrtime.bigint() - started) / 1e6;
}

/** The longest the event loop stood still while the work went on. */
export async function longestBlock(work) {
  let worst = 0;
  let last = performance.now();
  const timer = setInterval(() => {
    worst = Math.max(worst, performance.now() - last - 5);
    last = performance.now();
  }, 5);
  const value = await work();
  worst = Math.max(worst, performance.now() - last - 5);
  clearInterval(timer);
  return { worst, value };
}

export const median = (times) => [...times].sort((x, y) => x - y)[Math.floor(times.length / 2)];

/** The value below which that share of them lies. */
export const at = (share, times) => [...times].sort((x, y) => x - y)[Math.min(times.length - 1, Math.floor(times.length * share))];
