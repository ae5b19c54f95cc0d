/** What is wrong with going on with a conversation. For people: the message says what to do. */
export class ConversationError extends Error {
  override readonly name = "ConversationError";
}
