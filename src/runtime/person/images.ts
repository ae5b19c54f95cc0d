import { ToolError } from "../../core/error.ts";
import type { ImageType } from "../../core/media/media.ts";
import type { MessageImage, Model } from "../../core/ports/model.ts";
import type { RuntimeInternals } from "../runtime.ts";

/** An image for a message: a file of the workspace, or its bytes (as such or in base64). */
export type ImageInput = { readonly path: string } | { readonly data: Uint8Array | string; readonly mediaType: ImageType };

const MOST_IMAGES = 8;
const MOST_BYTES = 5 * 1024 * 1024;
const KINDS = "png, jpeg, gif or webp";

/** What is sent of the images a person gives. Throws a TypeError, or a ToolError for a file that may not be read. */
export async function readImages(
  { readBytes, note }: Pick<RuntimeInternals, "readBytes" | "note">,
  model: Model,
  given: readonly ImageInput[],
): Promise<readonly MessageImage[]> {
  if (given.length === 0) return [];
  if (!model.images)
    throw new TypeError(
      `${model.id} takes no images. Choose another model, or set input = ["text", "image"] for its provider if it does take them.`,
    );
  if (given.length > MOST_IMAGES) throw new TypeError(`A message has at most ${MOST_IMAGES} images, not ${given.length}.`);
  const images: MessageImage[] = [];
  for (const [n, one] of given.entries()) {
    const name = "path" in one ? one.path : `Image ${n + 1}`;
    const bytes = "path" in one ? await bytesOf(one.path, readBytes) : bytesIn(one.data, name);
    if (bytes.length > MOST_BYTES) throw new TypeError(`${name} has ${bytes.length} bytes; ${MOST_BYTES} are the most.`);
    const mediaType = typeOf(bytes);
    if (mediaType === null) throw new TypeError(`${name} is no image of a kind that models take: ${KINDS}.`);
    if ("mediaType" in one && one.mediaType !== mediaType) throw new TypeError(`${name} is ${mediaType} and not ${one.mediaType}.`);
    images.push({ mediaType, data: bytes.toString("base64") });
  }
  for (const one of given) if ("path" in one) note(`the person gave the model the image ${one.path.slice(0, 300)}`);
  return images;
}

async function bytesOf(path: string, read: RuntimeInternals["readBytes"]): Promise<Buffer> {
  if (read === null) throw new ToolError("permanent_failure", "Files are not read on this machine here. Give the image's bytes instead.");
  return read(path, MOST_BYTES);
}

function bytesIn(data: unknown, name: string): Buffer {
  if (data instanceof Uint8Array) return Buffer.from(data.buffer, data.byteOffset, data.byteLength);
  if (typeof data !== "string" || !/^[A-Za-z0-9+/]*={0,2}$/.test(data.slice(0, 8 * 1024 * 1024)))
    throw new TypeError(`${name} needs data: its bytes, or their base64.`);
  return Buffer.from(data, "base64");
}

/** By its first bytes: a name or a word says nothing about a file. */
function typeOf(bytes: Buffer): ImageType | null {
  const text = bytes.toString("latin1", 0, 12);
  if (text.startsWith("\x89PNG\r\n\x1a\n")) return "image/png";
  if (text.startsWith("\xff\xd8\xff")) return "image/jpeg";
  if (text.startsWith("GIF87a") || text.startsWith("GIF89a")) return "image/gif";
  return text.startsWith("RIFF") && text.endsWith("WEBP") ? "image/webp" : null;
}
