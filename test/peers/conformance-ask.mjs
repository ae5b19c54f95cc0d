// What the conformance suite starts for each scenario. The client itself runs where the tests do: here it is told what to do, and waited for.
import { createConnection } from "node:net";

const [socket, url] = process.argv.slice(2);
const { MCP_CONFORMANCE_SCENARIO: scenario, MCP_CONFORMANCE_CONTEXT: context = "{}" } = process.env;
let said = "";
const there = createConnection(socket, () => there.end(JSON.stringify({ scenario, url, context: JSON.parse(context) })));
there.setEncoding("utf8");
there.on("data", (text) => {
  said += text;
});
there.on("close", () => {
  if (said === "ok") process.exit(0);
  process.stderr.write(`${said || "no answer"}\n`);
  process.exit(1);
});
there.on("error", (error) => {
  said = String(error);
});
