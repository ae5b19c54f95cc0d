import type { Socket } from "node:net";

/** The first bytes of a connection, as far as they are needed to know what it wants. */
export interface OpeningBytes {
  /** Waits until `read` has found what it looks for; null when the time is up, the client is gone, or there is too much of it. */
  until<T>(read: (bytes: Buffer, from: number) => { readonly value: T; readonly length: number } | null): Promise<T | null>;
  /** What came after all that was read. Nothing more is read from the socket until somebody does. */
  rest(): Buffer;
}

export interface OpeningLimits {
  readonly bytes: number;
  /** For all of it: who sends a byte now and then is not waited for. */
  readonly ms: number;
}

/** Bytes go into one buffer that grows, so that a thousand small pieces cost no more than a large one. */
export function createOpeningBytes(socket: Socket, { bytes: most, ms }: OpeningLimits): OpeningBytes {
  let buffer = Buffer.alloc(1024);
  let length = 0;
  const deadline = Date.now() + ms;

  const add = (chunk: Buffer) => {
    if (length + chunk.length > buffer.length) {
      const larger = Buffer.alloc(Math.max(buffer.length * 2, length + chunk.length));
      buffer.copy(larger, 0, 0, length);
      buffer = larger;
    }
    length += chunk.copy(buffer, length);
  };
  const drop = (count: number) => {
    buffer = Buffer.from(buffer.subarray(count, length));
    length = buffer.length;
  };
  return {
    until(read) {
      return new Promise((resolve) => {
        let from = 0;
        const look = (): boolean => {
          const found = read(buffer.subarray(0, length), from);
          from = length;
          if (found) {
            drop(found.length);
            finish(found.value);
            return true;
          }
          if (length > most) finish(null);
          return length > most;
        };
        const onData = (chunk: Buffer) => {
          add(chunk);
          look();
        };
        const gone = () => finish(null);
        const finish = (value: Parameters<typeof resolve>[0]) => {
          clearTimeout(timer);
          socket.pause();
          socket.off("data", onData).off("end", gone).off("close", gone);
          resolve(value);
        };
        const timer = setTimeout(gone, Math.max(0, deadline - Date.now()));
        if (look()) return;
        socket.on("data", onData).once("end", gone).once("close", gone);
        socket.resume();
      });
    },
    rest: () => Buffer.from(buffer.subarray(0, length)),
  };
}
