import { createPrivateKey, createPublicKey, generateKeyPairSync, type KeyObject, sign, verify } from "node:crypto";
import { fsyncSync, openSync, writeSync } from "node:fs";
import { closeAfter } from "../../files/descriptor.ts";
import { readOwnFile } from "../../files/own-file.ts";
import { sha256 } from "../../store/audit/lines.ts";
import { StoreError } from "../../store/sqlite/error.ts";

/** Signs roots. The key is a file of the machine that signs, and never in the database. */
export interface SigningKey {
  /** By which a signature says whose it is. */
  readonly id: string;
  sign(root: string): string;
  /** Whether this key made the signature. */
  made(root: string, signature: string): boolean;
}

/** Checks signatures. */
export interface PublicKeys {
  readonly ids: readonly string[];
  made(root: string, signature: string): boolean;
}

const MAX_BYTES = 64 * 1024;

export function readSigningKey(path: string): SigningKey {
  const { bytes, stats } = readKeyFile(path);
  if (process.platform !== "win32" && stats.mode & 0o007)
    throw new StoreError(path, `${path} is a private key, and everybody on this machine may use it. Run: chmod 600 ${path}`);
  const key = keyIn(path, () => createPrivateKey(bytes));
  const open = createPublicKey(key);
  return {
    id: keyId(open),
    sign: (root) => sign(null, Buffer.from(root), key).toString("base64"),
    made: (root, signature) => isMadeBy(open, root, signature),
  };
}

/** A file with one public key or several, one after the other: those of the past and of today. */
export function readPublicKeys(path: string): PublicKeys {
  const { bytes } = readKeyFile(path);
  const blocks = bytes.toString("utf8").match(/-----BEGIN [A-Z ]+-----[^-]+-----END [A-Z ]+-----/g) ?? [];
  if (blocks.length === 0) throw new StoreError(path, `${path} holds no key in PEM form.`);
  const keys = blocks.map((block) => keyIn(path, () => createPublicKey(block)));
  return { ids: keys.map(keyId), made: (root, signature) => keys.some((key) => isMadeBy(key, root, signature)) };
}

/** Writes a new private key, and the public one beside it. Neither is ever overwritten. */
export function makeKeyFiles(path: string): { readonly id: string; readonly publicPath: string } {
  const { privateKey, publicKey } = generateKeyPairSync("ed25519");
  const publicPath = `${path}.pub`;
  writeNew(path, privateKey.export({ type: "pkcs8", format: "pem" }).toString(), 0o600);
  writeNew(publicPath, publicKey.export({ type: "spki", format: "pem" }).toString(), 0o644);
  return { id: keyId(publicKey), publicPath };
}

function readKeyFile(path: string) {
  try {
    return readOwnFile(path, { maxBytes: MAX_BYTES });
  } catch (error) {
    throw new StoreError(path, `${path} cannot be read as a key. ${(error as Error).message}`, { cause: error });
  }
}

function keyIn(path: string, read: () => KeyObject): KeyObject {
  try {
    const key = read();
    if (key.asymmetricKeyType === "ed25519") return key;
  } catch {
    // What is wrong with it is said below, without a word of what is in it.
  }
  throw new StoreError(path, `${path} is no Ed25519 key in PEM form. Make one with: zeph fleet audit keygen <file>`);
}

function writeNew(path: string, text: string, mode: number): void {
  const fd = openNew(path, mode);
  closeAfter(fd, () => {
    writeSync(fd, text);
    fsyncSync(fd);
  });
}

function openNew(path: string, mode: number): number {
  try {
    return openSync(path, "wx", mode);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== "EEXIST") throw error;
    throw new StoreError(path, `${path} is there already, and no key is ever overwritten. Name another file.`, { cause: error });
  }
}

const keyId = (key: KeyObject): string => sha256(key.export({ type: "spki", format: "der" })).slice(0, 16);

const isMadeBy = (key: KeyObject, root: string, signature: string): boolean =>
  verify(null, Buffer.from(root), key, Buffer.from(signature, "base64"));
