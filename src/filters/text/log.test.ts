import { describe, expect, it } from "vitest";
import { type Line, printedLine, sumOf } from "../line.ts";
import { groupedLog } from "./log.ts";
import { isLog, showsLog } from "./log-shape.ts";
import { isStamped, stampOf, untilStamp, withoutStamp } from "./stamps.ts";
import { createTemplates } from "./template.ts";

const linesOf = (texts: readonly string[]): Line[] => texts.map(printedLine);
const grouped = (texts: readonly string[]): readonly Line[] => groupedLog(linesOf(texts))!;
const textsOf = (lines: readonly Line[]): string[] => lines.map(({ text }) => text);
const at = (second: number): string => new Date(1.76e12 + second * 1000).toISOString();

describe("a stamp", () => {
  it.each([
    "2026-11-14T08:00:00.642Z WARN x",
    "2026-11-14 08:00:00,642 INFO x",
    "2026/11/14 08:00:00 x",
    "[2026-11-14 08:00:00] x",
    "Dec 10 06:55:46 host sshd[1]: x",
    "[Sun Dec 04 04:47:44 2005] [error] x",
    '127.0.0.1 - - [15/Nov/2026:01:17:59 +0000] "GET / HTTP/1.1" 200 1',
    "081109 203615 148 INFO dfs.DataNode: x",
    "E1115 01:13:04.358555   17399 a.go:265] x",
    "Nov 15, 2026 6:53:17 AM Jul work",
    "17/06/09 20:10:40 INFO x",
    "12-17 19:31:36.263  1795  1825 I Power: x",
    "20171223-22:15:29:606|Step|x",
    "[    0.123456] usb 1-1: x",
    "1763193600.125 x",
    "08:00:00.123 x",
    'time="2026-11-14T08:00:00Z" level=info msg=x',
    "INFO:root:x",
    "[INFO] x",
    "ERROR - x",
    "<warn> x",
    '{"level":"info","msg":"x"}',
  ])("is seen in %s", (line) => expect(isStamped(line)).toBe(true));

  it.each([
    "const x = 1;",
    "src/info.ts",
    "information is power",
    "INFO-desk.md",
    "2026-11-14 release notes",
    "drwxr-xr-x 2 ana dev 4096 Nov 15 06:54 src",
    "version 1.2.3",
    "error-handler.js",
    "",
  ])("is not seen in %s", (line) => expect(isStamped(line)).toBe(false));

  it("is cut out of its line", () => expect(withoutStamp("[2026-11-14 08:00:00,642] x 08:00:00")).toBe("[] x 08:00:00"));

  it("is told by the clock where the day is the same", () => {
    const stamps = ["2026-11-14T08:00:00.642Z", "2026-11-14T09:10:11.001Z", "2026-11-15T09:10:11.001Z"].map((text) => stampOf(text)!.stamp);
    expect(untilStamp(stamps[0]!, stamps[1]!)).toBe("09:10:11");
    expect(untilStamp(stamps[0]!, stamps[2]!)).toBe("2026-11-15T09:10:11.001Z");
  });

  it("has its clock behind the year in an access log", () => {
    expect(untilStamp("04/Mar/2026:10:00:00 +0000", "04/Mar/2026:10:04:59 +0000")).toBe("10:04:59");
    expect(untilStamp("04/Mar/2026:10:00:00 +0000", "05/Mar/2026:10:04:59 +0000")).toBe("05/Mar/2026:10:04:59 +0000");
    expect(stampOf("x 2026:10:04:59")?.stamp).toBe("10:04:59");
  });
});

describe("a template", () => {
  const templateOf = createTemplates();

  it.each([
    ["took 12ms", "took 1.5s"],
    ["id cb91ce37-5bc8-fbbc-bde5-c0994164d839", "id d118fce8-8a28-4b21-b26e-cda47c952857"],
    ["blk_388 gone", "blk_-3880 gone"],
    ["from 10.0.0.1:22", "from 192.168.1.7:54321"],
    ["commit deadbeef1", "commit a1b2c3d4e5"],
    ["GET /x 200 5ms", "GET /x 204 450ms"],
    ["GET /x 12 ms", "GET /x 450 ms"],
    ["wrote /data/a 200 bytes", "wrote /data/a 500 bytes"],
    ["[Sun Dec 04 04:47:44 2005] x", "[Mon Jan 15 04:47:44 2006] x"],
  ])("is the same for %s and %s", (a, b) => expect(templateOf(a)).toBe(templateOf(b)));

  it.each([
    ['"GET / HTTP/1.1" 200', '"GET / HTTP/1.1" 500'],
    ["exit code 0", "exit code 1"],
    ["GET /x 200 5ms", "GET /x 500 5ms"],
    ["GET /x 404 5ms", "GET /x 500 5ms"],
    ['POST "/x" -> 201', 'POST "/x" -> 409'],
    ["fetched https://a.example/x 200", "fetched https://a.example/x 503"],
    ["/x 200 5ms", "/x 502 5ms"],
    ["user anna", "user bert"],
    ["/admin/1", "/items/1"],
    ["INFO x 1", "WARN x 1"],
  ])("differs for %s and %s", (a, b) => expect(templateOf(a)).not.toBe(templateOf(b)));
});

describe("a grouped log", () => {
  it("says a kind of record once, how often, until when, and within which bounds", () => {
    const raw = Array.from({ length: 9 }, (_, n) => `${at(n)} INFO web GET /x 200 ${n * 3 + 1}ms`);
    expect(textsOf(grouped(raw))).toEqual([`${raw[0]} (and 8 like it until ${at(8).slice(11, 19)}; 1–25ms)`]);
  });

  it("shows each request that failed in full", () => {
    const raw = Array.from({ length: 60 }, (_, n) => `${at(n)} info GET /api/o/${n} ${n % 20 === 7 ? 404 : 200} ${n + 10}ms`);
    const lines = textsOf(grouped(raw));
    expect(lines).toHaveLength(4);
    expect(lines.slice(1)).toEqual([raw[7], raw[27], raw[47]]);
    expect(lines[0]).toContain("(and 56 like it until");
  });

  it("shows the first of very many requests that failed, the last, and how many", () => {
    const raw = Array.from({ length: 60 }, (_, n) => `${at(n)} info GET /api/o/${n} 503 ${n + 10}ms`);
    const lines = grouped(raw);
    expect(textsOf(lines)).toEqual([raw[0], raw[1], expect.stringContaining("and 56 more like it until"), raw[59]]);
    expect(sumOf(lines)).toMatchObject({ covers: 4, errors: 0 });
  });

  it.each([
    ["INFO probe %n up=1", "INFO probe %n up=0"],
    ["INFO batch %n: processed 100, rejected 0", "INFO batch %n: processed 100, rejected 7"],
    ["INFO replica lag 1s", "INFO replica lag 8000s"],
  ])("shows a record in full whose value is rare among few: %s, %s", (usual, rare) => {
    const raw = Array.from({ length: 120 }, (_, n) => `${at(n)} ${(n === 77 ? rare : usual).replace("%n", String(n))}`);
    const lines = grouped(raw);
    expect(textsOf(lines)).toContain(raw[77]);
    expect(lines.length).toBeLessThanOrEqual(5);
    expect(textsOf(lines).join("\n")).toMatch(/×119|and 118 like it|and 115 more/);
    expect(sumOf(lines).errors).toBe(sumOf(linesOf(raw)).errors);
  });

  it("counts values that are all rare, or not rare, or many", () => {
    const counted = (value: (n: number) => number, length = 40) =>
      grouped(Array.from({ length }, (_, n) => `${at(n)} INFO queue ${value(n)} polled`));
    expect(counted((n) => n % 5, 10)).toHaveLength(1);
    expect(counted((n) => (n < 3 ? 1 : 2))).toHaveLength(1);
    expect(counted((n) => (n < 2 ? 1 : 2))).toHaveLength(3);
    expect(counted((n) => (n < 8 ? n : 9))).toHaveLength(1);
    expect(counted((n) => (n < 1 ? 1 : 2), 9)).toHaveLength(1);
  });

  it("shows no more than ten rare records of a kind", () => {
    const values = (n: number) => Array.from({ length: 8 }, (_, slot) => (n >= slot * 4 && n < slot * 4 + 2 ? 1 : 0)).join(" ");
    const raw = Array.from({ length: 100 }, (_, n) => `${at(n)} INFO flags ${values(n)}`);
    expect(grouped(raw)).toHaveLength(11);
  });

  it("does not count lines that are nothing but a level", () => {
    const raw = [
      "[ERROR] it broke",
      "[ERROR] ",
      "[ERROR] read the log",
      "[ERROR] ",
      "[INFO] done",
      "[INFO]",
      "[ERROR]",
      "",
      "[info] ",
      "[INFO] left",
      "[ERROR]",
    ];
    const lines = grouped(raw);
    expect(textsOf(lines)).toEqual([
      "[ERROR] it broke",
      "[ERROR] read the log",
      "[INFO] done",
      "[ERROR]",
      "[info] ",
      "[INFO] left",
      "[ERROR]",
    ]);
    expect(sumOf(lines)).toEqual(sumOf(linesOf(raw)));
  });

  it("lists what differed, if it is little", () => {
    const raw = [1, 2, 1].map((n) => `INFO queue ${n} polled`);
    expect(textsOf(grouped(raw))).toEqual(["INFO queue 1 polled (and 2 like it; queue 1, 2)"]);
  });

  it("says what differed behind the word before it", () => {
    const raw = Array.from(
      { length: 40 },
      (_, n) => `${at(n)} INFO request id=${n} took ${n * 3}ms for user "u${n % 2}" at worker[${n % 3}]`,
    );
    expect(grouped(raw)[0]!.text).toMatch(/; id 0–39; took 0–117ms; user u0, u1; worker 0, 1, 2\)$/);
  });

  it("lists the ports that errors name", () => {
    const raw = [8080, 9090, 5432, 6379].map((port) => `ERROR cannot bind port ${port}`);
    expect(textsOf(grouped(raw))).toEqual(["ERROR cannot bind port 8080 (and 3 like it; port 8080, 9090, 5432, 6379)"]);
  });

  it("leaves rare records and their order alone", () => {
    const raw = [
      `${at(0)} INFO started on 80`,
      `${at(1)} INFO loaded 3 plugins`,
      `${at(2)} WARN cache is cold`,
      `${at(3)} INFO started on 81`,
    ];
    expect(textsOf(grouped(raw))).toEqual(raw);
  });

  it("shows each different error in full, and tells together those that differ in time, process and port, with what differed", () => {
    const raw = [
      "Dec 10 06:55:46 h sshd[1]: Failed password for root from 10.0.0.1 port 4711 ssh2",
      "Dec 10 06:55:48 h sshd[2]: Failed password for root from 10.0.0.1 port 4712 ssh2",
      "Dec 10 06:55:49 h sshd[3]: Failed password for root from 10.0.0.2 port 4713 ssh2",
    ];
    expect(textsOf(grouped(raw))).toEqual([`${raw[0]} (and 1 like it until 06:55:48; sshd 1, 2; port 4711, 4712)`, raw[2]]);
  });

  it("does not mix errors with records of the same form that are none", () => {
    const raw = ["INFO run 1: 0 errors", "INFO run 2: 3 errors", "INFO run 3: 0 errors", "INFO run 4: 0 errors"];
    expect(textsOf(grouped(raw))).toContain("INFO run 2: 3 errors");
  });

  it("shows the first three of very many errors, the last, how many, and what differed", () => {
    const raw = Array.from({ length: 30 }, (_, n) => `${at(n)} ERROR pay charge failed order=ORD-${7000 + n}`);
    const lines = grouped(raw);
    expect(lines).toHaveLength(4);
    expect(lines[2]!.text).toContain("and 26 more like it until");
    for (const n of [0, 1, 2, 29]) expect(textsOf(lines).join("\n")).toContain(raw[n]);
    for (let n = 0; n < 30; n++) expect(lines[2]!.text).toContain(`ORD-${7000 + n}`);
  });

  it("counts errors it tells of, and lines it does not tell all about", () => {
    const raw = Array.from({ length: 30 }, (_, n) => `${at(n)} ERROR pay charge failed order=ORD-${7000 + n}`);
    expect(sumOf(grouped(raw))).toMatchObject({ covers: 4, errors: 30 });
  });

  it("finds the place of a name, and says the names once", () => {
    const users = Array.from({ length: 24 }, (_, n) => `user_${"abcdefghijklmnopqrstuvwxyz"[n]}`);
    const raw = users.flatMap((user, n) => [
      `${at(n)} INFO login of ${user} from 10.0.0.${n}`,
      `${at(n)} INFO logout of ${user} after ${n}s`,
    ]);
    const lines = textsOf(grouped(raw));
    expect(lines).toHaveLength(2);
    for (const user of users) expect(lines.join("\n").split(user).length).toBeLessThanOrEqual(4);
    for (const user of users) expect(lines[0]).toContain(user);
  });

  it("does not take two events for one because a word differs", () => {
    const raw = ["started", "stopped", "paused", "resumed"].flatMap((word) => [0, 1, 2, 3, 4].map((n) => `${at(n)} INFO server ${word}`));
    const lines = textsOf(grouped(raw));
    for (const word of ["started", "stopped", "paused", "resumed"])
      expect(lines.filter((line) => line.includes(`server ${word} (×5`))).toHaveLength(1);
  });

  it("keeps the trace of a record with it", () => {
    const trace = ["java.lang.IllegalStateException: x", "\tat com.acme.A.b(A.java:1)", "Caused by: y", "\tat com.acme.C.d(C.java:2)"];
    const raw = [0, 1, 2].flatMap((n) => [`${at(n)} ERROR order rejected`, ...trace, `${at(n)} INFO next ${n}`]);
    const lines = grouped(raw);
    expect(textsOf(lines).slice(0, 5)).toEqual([`${raw[0]} (×3 until ${at(2).slice(11, 19)})`, ...trace]);
    expect(sumOf(lines).errors).toBe(sumOf(linesOf(raw)).errors);
  });

  it("keeps what follows a blank line, with the record it belongs to", () => {
    const trace = ["java.lang.IllegalStateException: x", "\tat com.acme.A.b(A.java:1)"];
    const raw = [0, 1, 2].flatMap((n) => [`${at(n)} ERROR order rejected`, "", ...trace]);
    expect(textsOf(grouped(raw))).toEqual([`${raw[0]} (×3 until ${at(2).slice(11, 19)})`, ...trace]);
    expect(textsOf(grouped([`${at(0)} INFO a`, "", "java.lang.Error: x", "\tat com.acme.A.b(A.java:1)"]))).toContain("java.lang.Error: x");
  });

  it("does not take a thing apart that was printed in it", () => {
    const printed = ["{", '"a": [', "1,", "2,", "3,", "]", "}"];
    const raw = [`${at(0)} INFO state`, ...printed, `${at(1)} INFO state`, ...printed, `${at(2)} INFO state`, ...printed];
    expect(textsOf(grouped(raw)).filter((text) => text === "}")).toHaveLength(3);
  });

  it("gives up where every record is of its own kind", () => {
    const word = (n: number): string =>
      [...n.toString(26)].map((digit) => "abcdefghijklmnopqrstuvwxyz"[Number.parseInt(digit, 26)]).join("");
    expect(groupedLog(linesOf(Array.from({ length: 25_000 }, (_, n) => `${at(n)} INFO ${word(n)}`)))).toBeNull();
  });

  it("says only what it looked at where there is very much", () => {
    const raw = Array.from({ length: 30_000 }, (_, n) => `${at(n)} INFO took ${n % 900}ms`);
    expect(grouped(raw)[0]!.text).toMatch(/\(and 29999 like it until [\d:TZ.-]+; about took \d+–\d+ms\)$/);
  });
});

describe("whether a text is a log", () => {
  const log = Array.from({ length: 10 }, (_, n) => `${at(n)} INFO x`);

  it("is told by most of its lines", () => {
    expect(isLog(linesOf(log), "output")).toBe(true);
    expect(isLog(linesOf([...log.slice(0, 6), "a", "b", "c", "d"]), "output")).toBe(true);
    expect(isLog(linesOf([...log.slice(0, 5), "a", "b", "c", "d", "e"]), "output")).toBe(false);
    expect(isLog(linesOf(log.slice(0, 3)), "output")).toBe(false);
  });

  it("does not depend on traces in it", () => {
    const trace = Array.from({ length: 40 }, () => "\tat com.acme.A.b(A.java:1)");
    expect(isLog(linesOf([...log.slice(0, 5), ...trace]), "output")).toBe(true);
  });

  it.each([
    ["cat app.log", "text", "yes"],
    ["tail -n 5 /var/log/syslog", "text", "yes"],
    ["less app.log.1", "text", "yes"],
    ["zcat app.log.2.gz", "text", "yes"],
    ["journalctl -u x", null, "yes"],
    ["docker logs web", null, "yes"],
    ["kubectl logs pod", null, "yes"],
    ["cat notes.txt", "text", "perhaps"],
    ["python3 svc.py", null, "perhaps"],
    ["sort app.log", "text", "no"],
    ["grep ERROR app.log", null, "no"],
    ["ls -l --full-time", null, "no"],
    ["aws s3 ls s3://x", null, "no"],
    ["kubectl get events", null, "no"],
  ] as const)("%s: %s", (command, verbatim, answer) => expect(showsLog({ words: command.split(" "), verbatim })).toBe(answer));
});
