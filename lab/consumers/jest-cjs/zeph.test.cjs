const { expect, it } = require("@jest/globals");

it("Zeph works in Jest with CommonJS, through import()", async () => {
  const { runProgram } = await import("./main.mjs");
  expect(await runProgram()).toEqual([]);
}, 120_000);
