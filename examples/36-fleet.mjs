// A session on a fleet of workers: say something, hear what happens, read the result. It needs a database and a worker:
//   export ZEPH_STORE=postgres://zeph@127.0.0.1/zeph
//   zeph store init $ZEPH_STORE && zeph worker --tenant main
import assert from "node:assert";
import { openFleet } from "zeph";

const { ZEPH_STORE: store = "", ZEPH_TENANT: tenant = "main" } = process.env;
const fleet = await openFleet({ store, tenant, person: "example" });

// A session begins with its first message. Whichever worker has it, the next message goes on there.
const session = fleet.session(`example-${process.pid}`);
const turn = session.send("Make a file.");
for await (const event of turn) if (event.type === "tool_start" || event.type === "done") console.log(event.type);

const { state, result } = await turn.result();
console.log(state, result?.text);
assert.equal(state, "done");

// A task of its own, given once however often it is asked for.
const id = await fleet.submit("Make another.", { key: `example-${process.pid}` });
assert.equal(await fleet.submit("Make another.", { key: `example-${process.pid}` }), id);
assert.equal((await fleet.follow(id).result()).state, "done");
await fleet.close();
