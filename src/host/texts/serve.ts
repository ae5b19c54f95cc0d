import { parentPort } from "node:worker_threads";
import type { TextJob, TextWork, Worked } from "../../core/ports/texts.ts";
import { cutPieces, joinPieces, type TextPiece } from "./pieces.ts";

/** What goes from the thread to whoever asked. Each piece is asked for, so that they do not all arrive at once. */
export type TextReply = "more" | { readonly answer: unknown } | { readonly failed: string } | { readonly piece: TextPiece };
/** What comes to the thread. */
export type TextMessage = { readonly job: TextJob } | { readonly piece: TextPiece } | "more";

/** The thread's side: gathers a job's texts, works, and hands the answer back in pieces. It holds nothing between two jobs. */
export function serveTexts(work: TextWork): void {
  const port = parentPort!;
  const say = (reply: TextReply) => port.postMessage(reply);
  let job: TextJob | null = null;
  let pieces: TextPiece[] = [];
  let answers: Generator<TextPiece> | null = null;

  const finish = async (): Promise<void> => {
    const [asked, texts] = [job!, await joinPieces(pieces)];
    job = null;
    pieces = [];
    let worked: Worked;
    try {
      worked = work(asked, texts);
    } catch (error) {
      return say({ failed: error instanceof Error ? error.message : String(error) });
    }
    answers = cutPieces(worked.texts);
    say({ answer: worked.answer });
  };

  port.on("message", (message: TextMessage) => {
    if (message === "more") {
      const { value } = answers!.next() as { value: TextPiece };
      if (value.last) answers = null;
      return say({ piece: value });
    }
    if ("job" in message) {
      job = message.job;
      return say("more");
    }
    pieces.push(message.piece);
    if (message.piece.last) return void finish();
    say("more");
  });
}
