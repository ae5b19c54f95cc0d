// Secrets in a text, without a runtime.
import assert from "node:assert";
import { findSecrets, redactSecrets } from "zeph/secrets";

// Put together here, so that nobody takes it for a real one.
const token = `${"gh"}p_${"Zk3Q9xWmT7".repeat(4).slice(0, 36)}`;
const text = `deploying with ${token}\nand the code word open-sesame-42\n`;

console.log(redactSecrets(text, { known: ["open-sesame-42"] }));
assert.deepEqual(findSecrets(text), [{ family: "access-token", value: token }]);
assert(!redactSecrets(text).includes(token));
// What looks like nothing is found when it is named.
assert(!redactSecrets(text, { known: ["open-sesame-42"] }).includes("open-sesame-42"));
