// Swaps one name between something harmless and a link to somewhere else, as fast as it can, until it is told to stop or its time is up.
// Arguments: the name, the harmless thing (a file or a folder, kept aside), the link's target, and for how many milliseconds at most.
import { existsSync, linkSync, renameSync, rmSync, symlinkSync, unlinkSync } from "node:fs";

const [name, harmless, target, most] = process.argv.slice(2);
const isFolder = process.argv[6] === "folder";
const spare = `${name}.spare`;
const until = Date.now() + Number(most);
process.on("SIGTERM", () => process.exit(0));
process.stdout.write("ready\n");

let swaps = 0;
const pause = () => new Promise((resolve) => setImmediate(resolve));
while (Date.now() < until) {
  try {
    if (isFolder) {
      // A folder cannot be replaced by a rename, so it steps aside for a moment.
      if (existsSync(harmless)) renameSync(harmless, name);
      else renameSync(name, harmless);
      if (existsSync(harmless)) {
        symlinkSync(target, name);
        unlinkSync(name);
        renameSync(harmless, name);
      }
    } else {
      symlinkSync(target, spare);
      renameSync(spare, name);
      linkSync(harmless, spare);
      renameSync(spare, name);
    }
  } catch {
    // The other side may have removed or replaced the name; the next round goes on from there.
    rmSync(spare, { force: true });
  }
  if (++swaps % 50 === 0) await pause();
}
