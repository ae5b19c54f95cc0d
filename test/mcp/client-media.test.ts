import { fileURLToPath } from "node:url";
import { describe, expect, it } from "vitest";
import { gif, jpeg, mp3, png, wav, webp } from "../media-bytes.ts";
import { bench, hostile, serverConfig } from "./client-support.ts";

// Blocks with bytes, from a server that says what it likes about them.

const server = (more: object = {}) =>
  serverConfig({
    name: "media",
    command: process.execPath,
    args: [fileURLToPath(new URL("./media-server.mjs", import.meta.url))],
    timeout_secs: 60,
    ...more,
  });
const image = (bytes: Buffer, mimeType: string) => ({ type: "image", mimeType, data: bytes.toString("base64") });
const audio = (bytes: Buffer, mimeType: string) => ({ type: "audio", mimeType, data: bytes.toString("base64") });
const blob = (bytes: Buffer, mimeType: string) => ({
  type: "resource",
  resource: { uri: "file:///a", mimeType, blob: bytes.toString("base64") },
});
const text = (value: string) => ({ type: "text", text: value });

const SVG = "<svg xmlns='http://www.w3.org/2000/svg'><script>alert(1)</script></svg>";

describe("blocks with bytes", () => {
  it("stand beside the text, which names each at its place", async () => {
    const { call } = await bench([server()]);
    const content = [
      text("before"),
      image(png(640, 480, 34_000), "image/png"),
      image(jpeg(5, 6), "image/jpeg"),
      text("between"),
      image(gif(), "image/gif"),
      image(webp(), "image/webp"),
      audio(wav(2.4), "audio/wav"),
      audio(mp3(3), "audio/mpeg"),
      blob(png(2, 2), "image/png"),
    ];
    const output = await call("mcp__media__show", { content });
    expect(output.text.split("\n")).toEqual([
      "before",
      "[image 1: image/png, 640 x 480, 34 kB]",
      `[image 2: image/jpeg, 5 x 6, ${jpeg().length} B]`,
      "between",
      `[image 3: image/gif, 7 x 8, ${gif().length} B]`,
      `[image 4: image/webp, 9 x 10, ${webp().length} B]`,
      "[audio 5: audio/wav, 2.4 s, 19 kB]",
      "[audio 6: audio/mpeg, 3 s, 48 kB]",
      `[resource <file:///a> 7: image/png, 2 x 2, ${png(2, 2).length} B]`,
    ]);
    expect(output.media?.map(({ kind, mediaType }) => [kind, mediaType])).toEqual([
      ["image", "image/png"],
      ["image", "image/jpeg"],
      ["image", "image/gif"],
      ["image", "image/webp"],
      ["audio", "audio/wav"],
      ["audio", "audio/mpeg"],
      ["image", "image/png"],
    ]);
    expect(Buffer.from(output.media![0]!.data, "base64")).toEqual(png(640, 480, 34_000));
  });

  it("are named and not handed on when they are not what they say, or broken", async () => {
    const { call } = await bench([server()]);
    const content = [
      image(jpeg(), "image/png"),
      image(png().subarray(0, 60), "image/png"),
      image(Buffer.from(SVG), "image/svg+xml"),
      image(Buffer.from(SVG), "image/png"),
      image(Buffer.from("%PDF-1.7"), "application/pdf"),
      blob(Buffer.from(SVG), "image/svg+xml"),
      blob(Buffer.from("no wave"), "audio/wav"),
      image(png(9000, 1), "image/png\u202egpj"),
      image(png(9000, 1), "image/png"),
    ];
    const output = await call("mcp__media__show", { content });
    expect(output.media).toBeUndefined();
    expect(output.text.split("\n").map((line) => line.replace(/, \d+ B,/, ","))).toEqual([
      "[image: image/png, not sent: it says that it is image/png, and is image/jpeg]",
      "[image: image/png, not sent: it is not image/png, or is broken]",
      "[image: image/svg+xml, not sent: it is none of png, jpeg, gif, webp, wav and mp3]",
      "[image: image/png, not sent: it is not image/png, or is broken]",
      "[image: application/pdf, not sent: it is none of png, jpeg, gif, webp, wav and mp3]",
      "[resource <file:///a>: image/svg+xml, not shown]",
      "[resource <file:///a>: audio/wav, not sent: it is not audio/wav, or is broken]",
      "[image: image/pnggpj, not sent: it is none of png, jpeg, gif, webp, wav and mp3]",
      "[image: image/png, not sent: it is 9000 x 1, and 8000 pixels are the most on a side]",
    ]);
  });

  it("are cut where the image ends, so that nothing else travels in it", async () => {
    const { call } = await bench([server()]);
    const both = Buffer.concat([gif(), Buffer.from(SVG)]);
    const output = await call("mcp__media__show", { content: [image(both, "image/gif")] });
    expect(Buffer.from(output.media![0]!.data, "base64")).toEqual(gif());
  });

  it("whose base64 is wrong are named, and the rest of the answer is read", async () => {
    const { call } = await bench([hostile("answers with wrong base64")]);
    expect((await call("mcp__bad__echo", { text: "hello" })).text).toBe(
      "before\n[image: image/png, not sent: it is not written in base64]",
    );
  });

  it("are eight of a thousand, and one line speaks of most others", async () => {
    const { call } = await bench([server()]);
    const output = await call("mcp__media__flood", { times: 1000, block: image(png(), "image/png") });
    expect(output.media).toHaveLength(8);
    const lines = output.text.split("\n");
    expect(lines).toHaveLength(8 + 20 + 1);
    expect(lines[8]).toMatch(/not sent: 8 are the most of one result\]$/);
    expect(lines.at(-1)).toBe("[972 more blocks with bytes, not sent]");
  });

  it("are ten megabytes of a result", async () => {
    const { call } = await bench([server()]);
    const output = await call("mcp__media__flood", { times: 4, block: image(png(9, 9, 2_800_000), "image/png") });
    expect(output.media).toHaveLength(3);
    expect(output.text).toContain("2.8 MB, not sent: 10.5 MB are the most of one result]");
  });

  it("of five megabytes are too large, and fifty end the call and not the server", async () => {
    const { call, failure } = await bench([server()]);
    expect((await call("mcp__media__large", { bytes: 7_000_000 })).text).toBe(
      "[image: image/png, 5.3 MB, not sent: it is larger than 3.9 MB]",
    );
    expect((await failure("mcp__media__large", { bytes: 50_000_000 })).message).toMatch(/MCP server "media"/);
    expect((await call("mcp__media__show", { content: [text("still there")] })).text).toBe("still there");
  });

  it("of a call that failed go with its output", async () => {
    const { failure } = await bench([server()]);
    const error = await failure("mcp__media__show", { content: [text("no"), image(png(), "image/png")], fails: true });
    expect(error.output).toMatchObject({ media: [{ mediaType: "image/png" }] });
  });
});
