import { runProgram } from "./main.mjs";

const wrong = await runProgram();
for (const what of wrong) console.error(what);
console.log(wrong.length === 0 ? "consumer ok" : "consumer failed");
process.exit(wrong.length === 0 ? 0 : 1);
