import { Writable } from "node:stream";

/** Where readline draws. While something else is on the screen nothing is drawn into it; what was typed shows up with the next prompt. */
export function createScreenOutput(stdout: NodeJS.WriteStream, isOn: () => boolean): NodeJS.WritableStream {
  const output = new Writable({
    decodeStrings: false,
    write(text: string, _encoding, done) {
      if (isOn()) stdout.write(text);
      done();
    },
  });
  Object.defineProperties(output, { columns: { get: () => stdout.columns }, rows: { get: () => stdout.rows }, isTTY: { value: true } });
  stdout.on("resize", () => output.emit("resize"));
  return output;
}
