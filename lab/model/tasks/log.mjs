import { commit, missing, run, write } from "../kit.mjs";

const SECONDS = 3 * 3600;
const START = Date.UTC(2031, 2, 4, 9, 0, 0);
const BROKEN = { from: 6067, to: 7210, upstream: "stock-c", deploy: 6052, version: "4.8.0" };
const UPSTREAMS = ["pay-a", "pay-b", "stock-a", "stock-b", "stock-c", "mail-a"];

export const letter = "k";
export const title = "a log of 32,394 lines";
export const ask =
  "In logs/app.log (three hours of a shop) many requests were answered with 503. Find out: which upstream was it, from which second to which second (the first and last 503 of that time by it), how many 503 did it answer in that time, and which change came just before. Ordinary single 503s of others do not count. Answer in four lines; change nothing.";

export function lay(folder) {
  write(folder, {
    "logs/app.log": `${logLines().lines.join("\n")}\n`,
    "README.md": "# Shop\n\nThe log has a line for each request, and lines of deploys and warnings.\n",
  });
  commit(folder, "shop");
}

export function check(folder, said) {
  const { first, last, count } = logLines();
  const facts = [BROKEN.upstream, clock(first).slice(11, 19), clock(last).slice(11, 19), BROKEN.version];
  return missing({
    ...Object.fromEntries(facts.map((fact) => [`the answer has ${fact}`, said.includes(fact)])),
    [`the answer has ${count}`]: said.replaceAll(/[,.](?=\d{3}\b)/g, "").includes(String(count)),
    "nothing is changed": run(folder, 'test -z "$(git status --porcelain)"').ok,
  });
}

function logLines() {
  const next = numbers(4711);
  const lines = [];
  const found = { lines, first: 0, last: 0, count: 0 };
  for (let second = 0; second < SECONDS; second++) {
    if (second % 1801 === 900)
      lines.push(`${clock(second)} INFO  deploy ${UPSTREAMS[second % 4]} ${1 + (second % 3)}.${second % 9}.0 by ci`);
    if (second === BROKEN.deploy) lines.push(`${clock(second)} INFO  deploy ${BROKEN.upstream} ${BROKEN.version} by ci, was 4.7.1`);
    for (let request = 0; request < 3; request++) {
      const upstream = UPSTREAMS[next(UPSTREAMS.length)];
      const isBroken = upstream === BROKEN.upstream && second >= BROKEN.from && second < BROKEN.to && next(4) > 0;
      const status = isBroken ? 503 : next(400) === 0 ? 503 : next(50) === 0 ? 404 : 200;
      if (isBroken && found.count++ === 0) found.first = second;
      if (isBroken) found.last = second;
      if (status === 503 && !isBroken && upstream === BROKEN.upstream) continue;
      lines.push(
        `${clock(second, next(1000))} ${status === 503 ? "ERROR" : "INFO "} web-${1 + next(3)} GET /items/${next(900)} ${status} ${20 + next(300)}ms upstream=${upstream}`,
      );
    }
  }
  return found;
}

const clock = (second, ms = 0) => new Date(START + second * 1000 + ms).toISOString();

/** The same numbers at each call: a linear congruential generator. */
function numbers(seed) {
  let state = seed;
  return (below) => {
    state = (state * 1103515245 + 12345) % 2147483648;
    return Math.floor((state / 2147483648) * below);
  };
}
