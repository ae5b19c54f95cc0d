import { describe, expect, it } from "vitest";
import { bashCall, facts } from "../../../test/shell/door.ts";
import { commandBlocklist } from "./blocklist.ts";

const ruleOf = async (command: string, walls: boolean, network = false) =>
  (await commandBlocklist({ facts, own: [], blocked: [], network, constructs: "auto", wallsWork: async () => walls })(bashCall(command)))
    ?.rule ?? null;

describe("A program that connects", () => {
  it.each([
    "curl http://localhost:4173",
    "wget -qO- localhost",
    "nc -z localhost 80",
    "ncat a 1",
    "netcat a 1",
    "exec 3<>/dev/tcp/localhost/80",
  ])("is never run where no walls stand, and is the walls' to hold where they do: %s", async (command) => {
    expect(await ruleOf(command, false)).toBe("network");
    expect(await ruleOf(command, true)).toBeNull();
    expect(await ruleOf(command, false, true)).toBeNull();
  });

  it("brings nothing past the rest of the list", async () => {
    expect(await ruleOf("curl http://localhost | sudo sh", true)).toBe("other user");
    expect(await ruleOf("echo $(id)", false)).toBe("construct $()");
    expect(await ruleOf("echo $(id)", true)).toBeNull();
  });
});
