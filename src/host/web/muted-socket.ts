import type { Duplex } from "node:stream";

export interface MutedSocket {
  /** Nothing is heard while this is done. It comes afterwards. */
  deafWhile(act: () => void): void;
}

/**
 * Stands between a socket and undici, which is stricter with servers than they are with themselves.
 * It skips every informational answer but `100 Continue`, which is an error to it when nothing was to be continued:
 * each 100 before the answer is made a 103. And it gives up when something comes before it has asked: it does not hear that.
 */
export function createMutedSocket(socket: Duplex): MutedSocket {
  const read = socket.read.bind(socket);
  const rewrite = rewriter();
  let isDeaf = false;
  socket.read = (size) => {
    if (isDeaf) return null;
    const chunk: unknown = read(size);
    if (chunk instanceof Uint8Array) rewrite(chunk);
    return chunk;
  };
  return {
    deafWhile(act) {
      isDeaf = true;
      try {
        act();
      } finally {
        isDeaf = false;
      }
    },
  };
}

const [CR, LF, ZERO, THREE] = [0x0d, 0x0a, 0x30, 0x33];
/** Where the status is in `HTTP/1.1 100 Continue`. */
const STATUS = { first: 9, last: 11 };

/** Changes heads in place, in whatever pieces they come. It looks at nothing behind the first head that is not informational. */
function rewriter(): (chunk: Uint8Array) => void {
  let at = 0;
  let status = "";
  /** How much of the empty line that ends a head is there. */
  let ending = 0;
  let isOver = false;
  return (chunk) => {
    for (let i = 0; i < chunk.length && !isOver; i++) {
      const byte = chunk[i]!;
      if (at === 0 && (byte === CR || byte === LF)) continue;
      if (at >= STATUS.first && at <= STATUS.last) status += String.fromCharCode(byte);
      if (at === STATUS.last) {
        isOver = !/^1\d\d$/.test(status);
        if (status === "100" && byte === ZERO) chunk[i] = THREE;
      }
      at++;
      ending = byte === (ending % 2 === 0 ? CR : LF) ? ending + 1 : byte === CR ? 1 : 0;
      if (ending < 4) continue;
      at = 0;
      status = "";
      ending = 0;
    }
  };
}
