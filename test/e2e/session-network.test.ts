import { createServer } from "node:net";
import { expect, it, onTestFinished } from "vitest";
import { box, jsonLines } from "./zeph.ts";

const SERVER = `perl -MIO::Socket::INET -e '$s = IO::Socket::INET->new(LocalAddr => "127.0.0.1", LocalPort => 8765, Listen => 5) or die; while ($c = $s->accept) { print $c "served\\n"; close $c }'`;
const ASK = "for i in $(seq 200); do { exec 3<>/dev/tcp/127.0.0.1/8765; } 2>/dev/null && break; sleep 0.05; done; cat <&3";
const line = (id: number, args: object) => JSON.stringify({ id, tool: "bash", args });

it("A server that one call of a batch starts answers the next, not the machine, and not another batch", async ({ skip }) => {
  const place = box();
  const machine = createServer((socket) => socket.end("machine\n"));
  await new Promise<void>((done) => machine.listen(0, "127.0.0.1", done));
  onTestFinished(() => void machine.close());
  const { port } = machine.address() as { port: number };
  const calls = [
    line(1, { command: SERVER, background: true }),
    line(2, { command: ASK }),
    line(3, { command: `exec 3<>/dev/tcp/127.0.0.1/${port} && cat <&3` }),
  ];
  const { stdout } = await place.run(["call", "--batch", "--yes"], { input: calls.join("\n") });
  const answers = jsonLines(stdout).sort((a, b) => a.id - b.id);
  if (answers[1].sandbox?.backend !== "bubblewrap") skip("bubblewrap does not work here");
  expect(answers[1].text).toContain("served");
  expect(answers[2].text).not.toContain("machine");
  expect(answers[2].text).toMatch(/refused/i);
  const other = await place.run(["call", "bash", JSON.stringify({ command: "exec 3<>/dev/tcp/127.0.0.1/8765 && cat <&3" }), "--json"]);
  expect(jsonLines(other.stdout)[0].text).toMatch(/refused/i);
});

it("A script whose command wanted a name is told how to open names, and of no rule for calls", async ({ skip }) => {
  const proxied = "printf 'CONNECT a.example.com:443 HTTP/1.1\\r\\nHost: a.example.com:443\\r\\n\\r\\n' >&3; head -1 <&3; exit 7";
  const { code, stdout, stderr } = await box().run([
    "call",
    "bash",
    JSON.stringify({ command: `exec 3<>/dev/tcp/127.0.0.1/3128; ${proxied}` }),
  ]);
  if (code !== 4 && !stdout.includes("403")) skip("there is no way out of a closed network here");
  expect({ code, stdout: stdout + stderr }).toEqual({ code: 4, stdout: expect.stringContaining("wanted to reach a.example.com:443") });
  expect(stderr).toContain("open the name with tools.sandbox.allow_domains");
  expect(stderr).not.toContain("[tools.permissions]");
});
