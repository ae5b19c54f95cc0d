import { StringDecoder } from "node:string_decoder";
import { ModelError } from "../../core/model-error.ts";

/** A whole answer as it comes over the wire, and one line of it (the last event of OpenAI repeats everything). */
const MOST_BYTES = 64 * 1024 * 1024;
const MOST_OF_A_LINE = 16 * 1024 * 1024;

/** The data of server-sent events, those of a chunk together. An event that is not whole when the answer ends is none. No answer can fill memory. */
export async function* readServerEvents(chunks: AsyncIterable<Uint8Array>, onChunk: () => void): AsyncGenerator<string[]> {
  const decoder = new StringDecoder("utf8");
  let bytes = 0;
  let line = "";
  let data: string | null = null;
  for await (const chunk of chunks) {
    onChunk();
    bytes += chunk.length;
    if (bytes > MOST_BYTES) throw new ModelError("runaway", "More was sent than any answer can be. Check base_url.");
    const lines = decoder.write(chunk as Buffer).split("\n");
    // Only what is new is searched: a line that grows by a thousand chunks would be read a thousand times.
    lines[0] = line + lines[0];
    line = lines.pop()!;
    if (line.length > MOST_OF_A_LINE) throw new ModelError("runaway", "A line of the answer has no end. Check base_url.");
    const whole: string[] = [];
    for (const one of lines) {
      const text = one.endsWith("\r") ? one.slice(0, -1) : one;
      if (text.startsWith("data:")) {
        const value = text.slice(text[5] === " " ? 6 : 5);
        data = data === null ? value : `${data}\n${value}`;
      } else if (text === "" && data !== null) {
        whole.push(data);
        data = null;
      }
    }
    if (whole.length > 0) yield whole;
  }
}
