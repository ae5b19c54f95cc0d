import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { afterAll, describe, expect, it, onTestFinished } from "vitest";
import { findFaults } from "./find-faults.ts";
import { enter, hasChromium, openReader, type Reader, seededPlace, startWatching, type Watching } from "./watched.ts";

/** Its own, as a link is good for one entry. */
async function watched(): Promise<Watching> {
  const watching = await startWatching(seededPlace(), ["--answer"]);
  onTestFinished(() => watching.close());
  return watching;
}
async function reading(...options: Parameters<typeof openReader>): Promise<Reader> {
  const reader = await openReader(...options);
  onTestFinished(() => reader.close());
  return reader;
}
const doorWords = ({ page }: Reader, words: string) => page.locator("#words", { hasText: words }).waitFor();

describe.skipIf(!hasChromium)("a browser at the door of zeph watch", () => {
  it("comes in with the link once, keeps no code in its address, and is not let in without", async () => {
    const watching = await watched();
    const stranger = await reading();
    await stranger.page.goto(`${watching.address}/`);
    await doorWords(stranger, "Open the link that zeph watch printed");
    expect(await findFaults(stranger.page)).toEqual([]);
    expect((await stranger.page.goto(`${watching.address}/log`))!.status()).toBe(401);
    expect(await stranger.page.locator("main td").count()).toBe(0);

    const guest = await reading();
    await enter(guest, watching);
    expect(guest.page.url()).toBe(`${watching.address}/`);
    expect(await guest.page.evaluate("document.cookie")).toBe("");
    expect(guest.complaints).toEqual([]);

    await stranger.page.goto("about:blank");
    await stranger.page.goto(watching.link);
    await doorWords(stranger, "This link was used already, or it is too old.");
    expect(stranger.page.url()).toBe(`${watching.address}/`);
    await stranger.page.reload();
    await doorWords(stranger, "Open the link");
  });

  it("comes in by the form and reads where scripts are off", async () => {
    const watching = await watched();
    const reader = await reading({ javaScriptEnabled: false });
    const { page } = reader;
    await page.goto(`${watching.address}/`);
    await page.getByLabel("Code").fill("wrong");
    await page.getByRole("button", { name: "Enter" }).click();
    await doorWords(reader, "This code was used already, or is wrong");
    await page.getByLabel("Code").fill(watching.code);
    await page.getByRole("button", { name: "Enter" }).click();
    await page.getByRole("heading", { level: 1, name: "Now" }).waitFor();
    expect(await page.locator("#theme").isHidden()).toBe(true);
    expect(await page.locator("#link").textContent()).toBe("not live");
    await page.getByRole("link", { name: "Log", exact: false }).first().click();
    await page.getByLabel("outcome").selectOption("denied");
    await page.getByRole("button", { name: "Show" }).click();
    await page.waitForURL(/outcome=denied/);
    expect(new Set(await page.locator("main tbody tr .tag").allTextContents())).toEqual(new Set(["denied"]));
    await page.getByRole("button", { name: /Check the chain/ }).click();
    await page.getByText("The log is intact").waitFor();
  });

  it("is told nothing from a page of another origin, which neither reads nor sends", async () => {
    const watching = await watched();
    const { context, page } = await reading();
    await enter({ page }, watching);
    // What the page itself asks for is over when the reader has left it.
    await page.goto("about:blank");
    const seen: { readonly way: string | undefined; readonly status: number }[] = [];
    context.on("response", async (response) => {
      if (!response.url().startsWith(watching.address)) return;
      // What is asked for as the test ends may never tell.
      const headers = await response
        .request()
        .allHeaders()
        .catch(() => null);
      if (headers) seen.push({ way: headers["sec-fetch-site"], status: response.status() });
    });
    const origin = await strangePage(watching.address);
    await page.goto(origin);
    const tries = (await page.evaluate("tries()")) as readonly string[];
    expect(tries).toEqual(["refused", "refused", "refused", "refused"]);
    const answered = page.waitForResponse((response) => response.url() === `${watching.address}/rules`);
    await page.locator("#send").click();
    expect((await answered).status()).toBe(403);
    await page.goto(origin);
    const linked = page.waitForResponse((response) => response.url() === `${watching.address}/log`);
    await page.locator("#go").click();
    expect((await linked).status()).toBe(403);
    await page.getByText("requests from other pages are not taken").waitFor();
    expect(seen.filter(({ status }) => status < 400)).toEqual([]);
    expect(new Set(seen.map(({ way }) => way)).has("same-origin")).toBe(false);
    // The same address typed by the person opens: the refusal was about where it came from.
    expect((await page.goto(`${watching.address}/log`))!.status()).toBe(200);
  });

  it("is refused where the page is called by another name", async () => {
    const watching = await watched();
    const { page } = await reading();
    const { port } = new URL(watching.address);
    // Chromium takes every name below localhost for this machine; the server listens at another loopback address, so the name is mapped by a request of its own.
    const answer = await page.request.get(`${watching.address}/`, { headers: { host: `localhost:${port}` }, timeout: 0 });
    expect(answer.status()).toBe(403);
    const forged = { origin: "http://evil.example", "sec-fetch-site": "cross-site" };
    for (const [name, value] of Object.entries(forged))
      expect((await page.request.get(`${watching.address}/`, { headers: { [name]: value }, timeout: 0 })).status()).toBe(403);
  });
});

const servers: (() => void)[] = [];
afterAll(() => {
  for (const close of servers) close();
});

/** A page that somebody else wrote, and that knows the address. */
async function strangePage(target: string): Promise<string> {
  const text = `<!doctype html><title>stranger</title>
<form method="post" action="${target}/rules"><input name="toml" value="x"><button id="send">send</button></form><a id="go" href="${target}/log">go</a>
<script>
const ask = (path, options) => fetch("${target}" + path, { credentials: "include", ...options }).then((answer) => "read " + answer.status, () => "refused");
const framed = () => new Promise((done) => {
  const image = new Image();
  image.onload = () => done("read");
  image.onerror = () => done("refused");
  image.src = "${target}/style.css";
});
const tries = async () => [
  await ask("/log?format=jsonl"),
  await ask("/answer", { method: "POST", body: new URLSearchParams({ answer: "once" }) }),
  await ask("/events"),
  await framed(),
];
</script>`;
  const server = createServer((_, response) => response.writeHead(200, { "content-type": "text/html" }).end(text));
  await new Promise<void>((done) => server.listen(0, "127.0.0.1", done));
  servers.push(() => {
    server.closeAllConnections();
    server.close();
  });
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}/`;
}
