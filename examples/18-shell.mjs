// What a command means, without running it. Whatever is `unknown` could be anything.
import assert from "node:assert";
import { understand } from "zeph/shell";

const { commands, touches, unknown } = understand("cd app && sudo rm -rf build > log.txt");
console.log(commands.map(({ argv }) => argv.join(" ")));
assert.deepEqual(
  commands.map(({ argv }) => argv[0]),
  ["cd", "sudo", "rm"],
);
assert(touches.some((touch) => touch.kind === "path" && touch.access === "delete" && touch.path.endsWith("build")));
assert.deepEqual(unknown, []);

assert(understand('eval "$FROM_SOMEWHERE"').unknown.length > 0);
