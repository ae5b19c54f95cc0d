/** The tables as queries see them. Times are milliseconds, ids are UUIDs as text, structured values are JSON as text. */
export interface Tables {
  conversations: {
    id: string;
    workspace: string;
    title: string;
    created_at: number;
    updated_at: number;
    last_position: number;
    window_start: number;
    elided_until: number;
    counted_tokens: number;
    counted_position: number;
  };
  messages: {
    conversation_id: string;
    position: number;
    body: string;
    created_at: number;
  };
}
