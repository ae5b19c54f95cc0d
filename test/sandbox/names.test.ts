import { createSocket, type Socket } from "node:dgram";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { available, EVERYBODY, inside, type Who, who } from "./support.ts";

/** Where a resolver of the machine would listen. Port 53 where it is free and allowed, because nobody can tell `getent` another one. */
async function openResolver(): Promise<{ readonly port: number; readonly heard: string[]; close(): void }> {
  const heard: string[] = [];
  const bound = (port: number) =>
    new Promise<Socket>((resolve, reject) => {
      const socket = createSocket("udp4");
      socket.once("error", reject);
      socket.on("message", (message) => void heard.push(message.toString("latin1")));
      socket.bind(port, "127.0.0.1", () => resolve(socket));
    });
  const socket = await bound(53).catch(() => bound(0));
  return { port: socket.address().port, heard, close: () => socket.close() };
}

describe.runIf(available).each(EVERYBODY)("a name that a command of %s looks up", (name) => {
  let me: Who;
  let resolver: Awaited<ReturnType<typeof openResolver>>;
  beforeAll(async () => {
    me = who(name);
    resolver = await openResolver();
  });
  afterAll(() => {
    resolver.close();
    me.remove();
  });
  const command = () =>
    `getent hosts canary-data.example && echo RESOLVED; echo canary-data > /dev/udp/127.0.0.1/${resolver.port}; ls /etc/resolv.conf; echo end`;

  test("reaches no resolver behind a closed network, and none is named there", async () => {
    const did = await inside(me.workspace(), me, command());
    expect(did.out).toContain("end");
    expect(did.out).not.toContain("RESOLVED");
    expect(did.out).toMatch(/resolv\.conf.*No such file/);
    await new Promise((resolve) => setTimeout(resolve, 200));
    expect(resolver.heard).toEqual([]);
  });

  test("reaches the machine's with allow_network, which is what that setting says", async () => {
    const did = await inside(me.workspace(), me, `echo canary-data > /dev/udp/127.0.0.1/${resolver.port}; echo end`, {
      config: { allow_network: true },
    });
    expect(did.out).toContain("end");
    await expect.poll(() => resolver.heard.join("")).toContain("canary-data");
  });
});
