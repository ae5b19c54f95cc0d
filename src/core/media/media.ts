import { createHash } from "node:crypto";
import { audioFacts } from "../../text/media/audio-bytes.ts";
import { imageFacts } from "../../text/media/image-bytes.ts";

/** The kinds of images that models take. */
export type ImageType = "image/png" | "image/jpeg" | "image/gif" | "image/webp";
/** The kinds of recordings that models take. */
export type AudioType = "audio/wav" | "audio/mpeg";

/** An image or a recording beside the text of an output. Its bytes were looked at: they are what `mediaType` says, whole, and within the limits. */
export interface Media {
  readonly kind: "image" | "audio";
  readonly mediaType: ImageType | AudioType;
  /** Its bytes in base64. */
  readonly data: string;
  /** How many bytes it has, and the SHA-256 of them. */
  readonly bytes: number;
  readonly sha256: string;
  /** Of an image, in pixels. */
  readonly width?: number;
  readonly height?: number;
  /** Of a recording. */
  readonly seconds?: number;
}

/** It is not handed on, and why. */
export interface RefusedMedia {
  readonly refused: string;
  /** About how many bytes it has. */
  readonly bytes: number;
}

/** Anthropic takes 5 MiB of base64 for one image. */
const MOST_IMAGE_BYTES = (5 * 1024 * 1024 * 3) / 4;
const MOST_AUDIO_BYTES = 8 * 1024 * 1024;
const MOST_PIXELS = 8000;

/** Of one output. */
export const MOST_MEDIA = 8;
export const MOST_MEDIA_BYTES = 10 * 1024 * 1024;

const ALIASES: Readonly<Record<string, Media["mediaType"]>> = {
  "image/jpg": "image/jpeg",
  "audio/mp3": "audio/mpeg",
  "audio/x-mp3": "audio/mpeg",
  "audio/x-wav": "audio/wav",
  "audio/wave": "audio/wav",
  "audio/vnd.wave": "audio/wav",
};
const TYPES = ["image/png", "image/jpeg", "image/gif", "image/webp", "audio/wav", "audio/mpeg"] as const;

/** The type by the name that everybody uses for it; null for one that is not handed on as media. SVG is a text with scripts in it, and never an image here. */
export function mediaTypeOf(said: string): Media["mediaType"] | null {
  const plain = said.split(";", 1)[0]!.trim().toLowerCase();
  return TYPES.find((type) => type === plain) ?? (Object.hasOwn(ALIASES, plain) ? ALIASES[plain]! : null);
}

const made = new WeakSet<Media>();

/** Whether its bytes were looked at. */
export const isCheckedMedia = (value: unknown): value is Media => typeof value === "object" && value !== null && made.has(value as Media);

/** An image or a recording for an output: its bytes, or their base64, and what it is said to be. What follows its end is left out. */
export function checkMedia(data: string | Uint8Array, said: string): Media | RefusedMedia {
  const about = typeof data === "string" ? base64Bytes(data) : data.byteLength;
  const refuse = (refused: string): RefusedMedia => ({ refused, bytes: about });
  const wanted = mediaTypeOf(said);
  if (wanted === null) return refuse("is none of png, jpeg, gif, webp, wav and mp3");
  const most = wanted.startsWith("image/") ? MOST_IMAGE_BYTES : MOST_AUDIO_BYTES;
  if (about > most) return refuse(`is larger than ${sizeText(most)}`);
  const bytes = typeof data === "string" ? decoded(data) : Buffer.from(data);
  if (bytes === null) return refuse("is not written in base64");
  const image = imageFacts(bytes);
  const facts = image ?? audioFacts(bytes);
  if (facts === null) return refuse(`is not ${wanted}, or is broken`);
  if (facts.type !== wanted) return refuse(`says that it is ${wanted}, and is ${facts.type}`);
  if (image && Math.max(image.width, image.height) > MOST_PIXELS)
    return refuse(`is ${image.width} x ${image.height}, and ${MOST_PIXELS} pixels are the most on a side`);
  const own = bytes.subarray(0, facts.end);
  const media: Media = Object.freeze({
    kind: image ? "image" : "audio",
    mediaType: facts.type,
    data: own.toString("base64"),
    bytes: own.length,
    sha256: createHash("sha256").update(own).digest("hex"),
    ...("width" in facts ? { width: facts.width, height: facts.height } : { seconds: Math.round(facts.seconds * 10) / 10 }),
  });
  made.add(media);
  return media;
}

/** Three bytes in four letters. */
export const base64Bytes = (text: string): number => Math.floor((text.length * 3) / 4);

export const isBase64 = (text: string): boolean => decoded(text) !== null;

/** Null for what is not base64, in lines if need be: Node leaves out what it does not know, so what comes back would be another text. */
function decoded(text: string): Buffer | null {
  const bytes = Buffer.from(text, "base64");
  const again = bytes.toString("base64");
  return again === text || again === text.replace(/\s+/g, "") ? bytes : null;
}

/** `image/png, 640 x 480, 34 kB`, `audio/wav, 2.4 s, 77 kB` */
export const mediaText = ({ mediaType, width, height, seconds, bytes }: Omit<Media, "data" | "sha256" | "kind">): string =>
  [
    mediaType,
    ...(width === undefined ? [] : [`${width} x ${height}`]),
    ...(seconds === undefined ? [] : [`${seconds} s`]),
    sizeText(bytes),
  ].join(", ");

/** `640 B`, `34 kB`, `1.2 MB` */
export function sizeText(bytes: number): string {
  if (bytes < 1000) return `${bytes} B`;
  return bytes < 999_500 ? `${Math.round(bytes / 1000)} kB` : `${(bytes / 1e6).toFixed(1)} MB`;
}

/** All but the bytes, for events and logs. */
export const mediaJson = ({ kind, mediaType, bytes, width, height, seconds, sha256 }: Media) => ({
  kind,
  media_type: mediaType,
  bytes,
  ...(width !== undefined && { width, height }),
  ...(seconds !== undefined && { seconds }),
  sha256,
});
