import { isBlank, type Line } from "../line.ts";

const FEWEST = 2;
const LONGEST = 300;
/** An output with no step in so many lines narrates none; the others need not be looked at. */
const SAMPLE = 1000;

/** Of steps that follow one another and went well, the last: it tells how far it came, and what was being done when something else was said. */
export function withoutSteps(lines: readonly Line[]): readonly Line[] {
  if (lines.length > SAMPLE && !lines.slice(0, SAMPLE).some(isStep)) return lines;
  const kept: Line[] = [];
  let run: Line[] = [];
  let steps = 0;
  const end = () => {
    const last = run.findLastIndex((line) => !isBlank(line));
    kept.push(...(steps < FEWEST ? run : run.slice(last)));
    run = [];
    steps = 0;
  };
  for (const line of lines) {
    if (isStep(line)) {
      run.push(line);
      steps++;
    } else if (steps > 0 && isBlank(line)) run.push(line);
    else {
      end();
      kept.push(line);
    }
  }
  end();
  return kept.length < lines.length ? kept : lines;
}

/** How a line may begin before it says what is done: a bullet, a count, a level, the name of the program. */
const LEAD = String.raw`^\s{0,40}(?:[-*•>»→=#+:~]{1,3} ){0,2}(?:\[ ?\d{1,3}%\] |[[(] ?\d[\d,]{0,7} ?\/ ?\d[\d,]{0,7}[\])]:? |(?:[Ss]tep|[Tt]ask) \d{1,5}\/\d{1,5}:? )?(?:\[[\w:@/. -]{1,50}\] ?){0,3}(?:[›ℹ✔✓] *){0,2}(?:\[?(?:INFO|info|DEBUG|debug|TRACE|trace|VERBOSE|verb)\]?:? +(?:- +)?)?(?:(?!note|help|hint|tip)[a-z][\w.-]{1,20}(?:\[\d{1,7}\])?: )?`;
/** Looking, fetching, moving, translating: what is done on the way, and leaves nothing that is spoken of. */
const DOING =
  "analy[sz]ing|authenticating|bundling|byte-?compiling|caching|calculating|checking|cloning|collecting|compiling|compressing|computing|configuring|connecting|contacting|decompressing|determining|discovering|downloading|enumerating|evaluating|examining|exporting|extracting|fetching|gathering|generating|hashing|importing|indexing|initiali[sz]ing|inspecting|linking|loading|locating|minifying|negotiating|obtaining|optimi[sz]ing|parsing|preparing|probing|processing|pulling|querying|reading|receiving|rendering|requesting|resolving|retrieving|scanning|searching|solving|synchroni[sz]ing|syncing|transferring|transforming|traversing|unpacking|uploading|using cached|validating|verifying|visiting|waiting|walking";
/** Beside a number these are sums: `Resolved 12 packages`. */
const DONE =
  "cached|collected|compiled|downloaded|extracted|fetched|generated|linked|loaded|parsed|processed|pulled|resolved|retrieved|scanned|transferred|unpacked|uploaded|verified|visited";
/** What these speak of is the outcome, or no step at all. */
const OUTCOME =
  "aborting|adding|applying|changing|committing|creating|deleting|deploying|destroying|downgrading|dropping|exiting|failing|ignoring|installing|killing|listening|migrating|missing|modifying|nothing|publishing|purging|releasing|removing|replacing|restarting|retrying|reverting|rolling|running|serving|setting|skipping|stopping|tagging|testing|uninstalling|updating|upgrading|using|warning|writing";
const DOES = new RegExp(`${LEAD}(?:(?:${DOING})(?::? \\S|\\.\\.\\.|…|$)|(?:${DONE}):? (?!\\d|in \\d|all )\\S)`, "i");
/** `copying static files... done`, `reading sources... [ 40%] intro`, `Waking up the daemon…`. */
const ANNOUNCES = new RegExp(
  String.raw`${LEAD}(?!(?:${OUTCOME})\b)[a-z]{2,20}ing\b.{0,160}?(?:\.\.\.|…) ?(?:\.?|done\W{0,2}|ok\W?|yes|finished\W?|completed?\W?|succe\w+\W?|[✓✔]|\[ ?\d{1,3}%\].{0,100}|\d{1,3}%.{0,20}|\(?\d{1,6}\/\d{1,6}\)?.{0,100})$`,
  "i",
);
/** An answer to what was looked for, or a word of doubt. */
const ANSWERS = /\b(?:no|not found|none|unknown|missing|skipped|warn(?:ing)?s?|deprecated|instead|unsuccessful|retry(?:ing)?)\b|:$/i;

/** Cheap, and true of every step; and of every announcement. */
const MAY_BE = /(?:ing|ed|ING|ED)\b/;
const TRAILS = /\.\.\.|…/;

/** A line that a rule wrote says what the rule found worth saying. */
function isStep({ text, errors, from }: Line): boolean {
  if (errors > 0 || from.length > 0 || text.length > LONGEST) return false;
  return MAY_BE.test(text) && (DOES.test(text) || (TRAILS.test(text) && ANNOUNCES.test(text))) && !ANSWERS.test(text);
}
