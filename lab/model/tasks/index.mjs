import * as failingTest from "./failing-test.mjs";
import * as feature from "./feature.mjs";
import * as find from "./find.mjs";
import * as hidden from "./hidden.mjs";
import * as log from "./log.mjs";
import * as make from "./make.mjs";
import * as merge from "./merge.mjs";
import * as pack from "./package.mjs";
import * as rename from "./rename.mjs";
import * as server from "./server.mjs";
import * as traceback from "./traceback.mjs";
import * as types from "./types.mjs";

const TASKS = [failingTest, feature, traceback, make, find, rename, pack, server, hidden, types, log, merge];

export const LETTERS = TASKS.map(({ letter }) => letter);

export function taskOf(letter) {
  const task = TASKS.find((one) => one.letter === letter);
  if (task === undefined) throw new Error(`no task ${letter}: there are ${LETTERS.join(", ")}`);
  return task;
}
