import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, describe, expect, it } from "vitest";
import { withoutResult } from "../src/agent/messages.ts";
import type { AuditEntry, Message } from "../src/index.ts";
import { agentIn, all, modelSaying, says } from "./talking.ts";
import { workspace } from "./workspace.ts";

const PNG = Buffer.concat([Buffer.from("\x89PNG\r\n\x1a\n", "latin1"), Buffer.alloc(40, 7)]);
const JPEG = Buffer.concat([Buffer.from("\xff\xd8\xff\xe0", "latin1"), Buffer.alloc(40, 8)]);
const GIF = Buffer.from("GIF89a......");
const WEBP = Buffer.from("RIFF....WEBPVP8 ");
const place = workspace([{ op: "mkdir", path: "work/private" }]);
afterAll(() => place.remove());
for (const [name, bytes] of Object.entries({ "a.png": PNG, "b.jpg": JPEG, "private/c.png": PNG, "text.png": Buffer.from("hello") }))
  writeFileSync(join(place.work, name), bytes);
writeFileSync(join(place.work, "large.png"), Buffer.concat([PNG, Buffer.alloc(5 * 1024 * 1024)]));

const seeing = (text: string) => ({ ...modelSaying([says(text)]), images: true as const });
const imagesOf = (message: Message | undefined) => (message?.role === "user" ? message.images : undefined);

describe("images in a message", () => {
  it("are sent beside its text, stored, and sent again when the conversation is resumed", async () => {
    const store = join(place.state, "images.db");
    const audit: AuditEntry[] = [];
    const model = seeing("I see.");
    const agent = await agentIn(place, model, { store, audit: (entry) => void audit.push(entry) });
    const given = [
      { path: "a.png" },
      { path: "b.jpg" },
      { data: GIF, mediaType: "image/gif" as const },
      { data: WEBP.toString("base64"), mediaType: "image/webp" as const },
    ];
    await all(agent.send("look", { images: given }));
    const sent = [
      { mediaType: "image/png", data: PNG.toString("base64") },
      { mediaType: "image/jpeg", data: JPEG.toString("base64") },
      { mediaType: "image/gif", data: GIF.toString("base64") },
      { mediaType: "image/webp", data: WEBP.toString("base64") },
    ];
    expect(model.given[0]!.messages[0]).toEqual({ role: "user", text: "look", images: sent });
    expect(audit.flatMap(({ note }) => note ?? [])).toContain("the person gave the model the image a.png");
    await agent.close();
    const later = seeing("Still.");
    const again = await agentIn(place, later, { store, conversation: "last" });
    await all(again.send("and now?"));
    expect(imagesOf(later.given[0]!.messages[0])).toEqual(sent);
    await again.close();
  });

  it("are refused in words, and nothing is asked or stored", async () => {
    const model = seeing("never");
    const config = { tools: { file: { deny_read: ["**/private/**"] } } };
    const agent = await agentIn(place, model, { config });
    const send = (...images: object[]) => all(agent.send("look", { images } as never));
    await expect(send({ path: "private/c.png" })).rejects.toThrow(/deny_read/);
    await expect(send({ path: "/etc/hostname" })).rejects.toThrow(/outside/i);
    await expect(send({ path: "none.png" })).rejects.toThrow("none.png");
    await expect(send({ path: "large.png" })).rejects.toThrow("has more than 5242880 bytes");
    await expect(send({ path: "text.png" })).rejects.toThrow("is no image of a kind that models take");
    await expect(send({ data: PNG, mediaType: "image/gif" })).rejects.toThrow("Image 1 is image/png and not image/gif");
    await expect(send({ data: Buffer.concat([PNG, Buffer.alloc(5 * 1024 * 1024)]), mediaType: "image/png" })).rejects.toThrow(
      "are the most",
    );
    await expect(send({ data: "no base64!", mediaType: "image/png" })).rejects.toThrow("needs data");
    await expect(send(...Array(9).fill({ path: "a.png" }))).rejects.toThrow("at most 8 images, not 9");
    await expect(all(agent.attend({ images: [{ path: "a.png" }] }))).rejects.toThrow("Images stand beside a text");
    expect([model.given.length, agent.conversation, agent.isBusy]).toEqual([0, null, false]);
    await agent.close();
    const blind = await agentIn(place, modelSaying([says("never")]));
    await expect(all(blind.send("look", { images: [{ path: "a.png" }] }))).rejects.toThrow("test/model takes no images");
    await blind.close();
  });

  it("are left out with a mark to make room", () => {
    const message: Message = { role: "user", text: "look", images: [{ mediaType: "image/png", data: "AA==" }] };
    expect(withoutResult(message)).toEqual({ role: "user", text: "look\n[1 image left out to make room]" });
    expect(withoutResult({ role: "user", text: "x".repeat(500) })).toEqual({ role: "user", text: "x".repeat(500) });
  });
});
