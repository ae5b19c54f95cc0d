import { describe, expect, it } from "vitest";
import { gif, jpeg, mp3, png, wav, webp, webpFrame, webpPixels } from "../../../test/media-bytes.ts";
import { checkMedia, isCheckedMedia, type Media, mediaText, mediaTypeOf } from "./media.ts";

const good = (data: string | Uint8Array, type: string): Media => {
  const checked = checkMedia(data, type);
  if ("refused" in checked) throw new Error(checked.refused);
  return checked;
};
const refusal = (data: string | Uint8Array, type: string): string => {
  const checked = checkMedia(data, type);
  return "refused" in checked ? checked.refused : "not refused";
};

describe("media", () => {
  it.each([
    ["image/png", png(640, 480, 34_000), "image/png, 640 x 480, 34 kB"],
    ["image/jpg", jpeg(5, 6), `image/jpeg, 5 x 6, ${jpeg().length} B`],
    ["image/gif", gif(7, 8), `image/gif, 7 x 8, ${gif().length} B`],
    ["image/webp", webp(9, 10), `image/webp, 9 x 10, ${webp().length} B`],
    ["audio/x-wav", wav(2.4), "audio/wav, 2.4 s, 19 kB"],
    ["audio/mp3; codecs=mp3", mp3(3), "audio/mpeg, 3 s, 48 kB"],
  ])("of %s are known by their bytes", (type, bytes, text) => {
    const media = good(bytes.toString("base64"), type);
    expect(mediaText(media)).toBe(text);
    expect(Buffer.from(media.data, "base64")).toEqual(bytes);
    expect(media.bytes).toBe(bytes.length);
    expect(isCheckedMedia(media)).toBe(true);
    expect(isCheckedMedia({ ...media })).toBe(false);
  });

  it("are refused when they are not what they are said to be", () => {
    expect(refusal(jpeg(), "image/png")).toBe("says that it is image/png, and is image/jpeg");
    expect(refusal(wav(), "image/webp")).toBe("says that it is image/webp, and is audio/wav");
    expect(refusal(Buffer.from("<svg/>"), "image/svg+xml")).toBe("is none of png, jpeg, gif, webp, wav and mp3");
    expect(refusal(Buffer.from("<svg xmlns='http://www.w3.org/2000/svg'/>"), "image/png")).toBe("is not image/png, or is broken");
    expect(refusal(Buffer.alloc(0), "image/png")).toBe("is not image/png, or is broken");
    expect(mediaTypeOf("constructor")).toBeNull();
  });

  it.each(["no base64!", "AAA", "A===", "iVBORw0K=Ggo", "data:image/png;base64,iVBO", "____"])("are refused as %j", (data) => {
    expect(refusal(data, "image/png")).toBe("is not written in base64");
  });

  it("may have line ends in their base64", () => {
    const lines = png().toString("base64").replace(/.{16}/g, "$&\r\n");
    expect(good(lines, "image/png").data).toBe(png().toString("base64"));
  });

  it.each<[string, Buffer]>([
    ["image/png", png()],
    ["image/jpeg", jpeg()],
    ["image/gif", gif()],
    ["image/webp", webp()],
    ["audio/wav", wav(0.01)],
  ])("of %s are broken wherever they are cut, and nothing is thrown", (type, bytes) => {
    for (let end = 0; end < bytes.length; end++) expect(refusal(bytes.subarray(0, end), type)).toMatch(/broken/);
  });

  it("leave out what follows the end of an image", () => {
    const page = Buffer.from("<script>alert(1)</script>PK\x03\x04");
    for (const [type, bytes] of [
      ["image/png", png()],
      ["image/jpeg", jpeg()],
      ["image/gif", gif()],
      ["image/webp", webp()],
    ] as const)
      expect(good(Buffer.concat([bytes, page]), type).data).toBe(bytes.toString("base64"));
  });

  it("are refused when they are too large, before they are decoded", () => {
    expect(refusal(png(8001, 10), "image/png")).toBe("is 8001 x 10, and 8000 pixels are the most on a side");
    expect(good(png(8000, 8000), "image/png")).toMatchObject({ width: 8000 });
    expect(refusal(png(0, 10), "image/png")).toMatch(/broken/);
    expect(refusal(png(4, 4, 4_000_000), "image/png")).toBe("is larger than 3.9 MB");
    expect(refusal("A".repeat(70_000_000), "image/png")).toBe("is larger than 3.9 MB");
  });

  it("of a million parts are refused before all of them are looked at", () => {
    const million = [
      ["image/png", Buffer.concat([png().subarray(0, 33), Buffer.alloc(12 * 200_000), png().subarray(33)])],
      ["image/jpeg", Buffer.concat([jpeg().subarray(0, -2), Buffer.alloc(400_000, 0xff), Buffer.from([0xd9])])],
      ["image/gif", Buffer.concat([gif().subarray(0, -1), Buffer.alloc(600_000, Buffer.from([0x21, 0xf9, 0])), Buffer.from([0x3b])])],
    ] as const;
    for (const [type, bytes] of million) expect(refusal(bytes, type)).toBe(`is not ${type}, or is broken`);
  });

  const FRAME = gif().subarray(-16, -1);
  const gifOf = (...frames: readonly Buffer[]) => Buffer.concat([gif().subarray(0, -16), ...frames, Buffer.from([0x3b])]);
  const gifFrame = (at: number, value: number) => {
    const frame = Buffer.from(FRAME);
    frame.writeUInt16LE(value, at);
    return frame;
  };
  const jpegFrames = (...sizes: readonly (readonly [number, number])[]) => {
    const frames = sizes.map(([width, height]) => jpeg(width, height).subarray(8, 18));
    return Buffer.concat([jpeg().subarray(0, 8), ...frames, jpeg().subarray(18)]);
  };
  const emptyPng = Buffer.concat([png().subarray(0, 33), Buffer.from("\0\0\0\0IDAT\0\0\0\0", "latin1"), png().subarray(-12)]);
  const pngHead = png(8000, 8000).subarray(8, 33);

  it.each<[string, string, Buffer]>([
    ["a PNG without pixels", "image/png", emptyPng],
    ["a PNG of two sizes", "image/png", Buffer.concat([png().subarray(0, 33), pngHead, png().subarray(33)])],
    ["a JPEG of two sizes", "image/jpeg", jpegFrames([5, 6], [60_000, 60_000])],
    ["a GIF with a frame wider than itself", "image/gif", gifOf(FRAME, gifFrame(5, 60_000))],
    ["a GIF with a frame beside itself", "image/gif", gifOf(FRAME, gifFrame(3, 60_000))],
    ["a GIF of 1,001 frames", "image/gif", gifOf(...Array(1001).fill(FRAME))],
    ["a WebP without pixels", "image/webp", webp(9, 10, [])],
    ["a WebP with larger pixels than itself", "image/webp", webp(9, 10, [webpPixels(16_000, 10)])],
    ["a moving WebP with a larger frame than itself", "image/webp", webp(9, 10, [webpFrame(), webpFrame(webpPixels(9, 16_000))])],
    ["a moving WebP with a frame of nothing", "image/webp", webp(9, 10, [webpFrame(Buffer.alloc(0))])],
    ["a moving WebP of 1,001 frames", "image/webp", webp(9, 10, Array(1001).fill(webpFrame()))],
  ])("of %s are refused", (_what, type, bytes) => {
    expect(refusal(bytes, type)).toBe(`is not ${type}, or is broken`);
  });

  it.each<[string, string, Buffer]>([
    ["a JPEG that says its size twice", "image/jpeg", jpegFrames([5, 6], [5, 6])],
    ["a GIF of 1,000 frames", "image/gif", gifOf(...Array(1000).fill(FRAME))],
    ["a moving WebP", "image/webp", webp(9, 10, [webpFrame(), webpFrame(webpPixels(3, 4))])],
    ["a plain WebP", "image/webp", Buffer.concat([Buffer.from("RIFF\x12\0\0\0WEBP", "latin1"), webpPixels()])],
  ])("of %s are good", (_what, type, bytes) => {
    expect(good(bytes, type).bytes).toBe(bytes.length);
  });

  it("of random bytes behind a good beginning never throw", () => {
    for (let n = 0; n < 3000; n++) {
      const bytes = Buffer.from([png(), jpeg(), gif(), webp(), wav(0.01), mp3()][n % 6]!);
      for (let m = 0; m < 3; m++) bytes[(n * 7919 + m * 104_729) % Math.min(200, bytes.length)] = (n * 31 + m * 17) % 256;
      for (const type of ["image/png", "image/jpeg", "image/gif", "image/webp", "audio/wav", "audio/mpeg"]) checkMedia(bytes, type);
    }
  });
});
