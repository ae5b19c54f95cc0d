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
    seen_untrusted: number;
    seen_skill: string | null;
    seen_skill_trust: string | null;
  };
  messages: {
    conversation_id: string;
    position: number;
    body: string;
    created_at: number;
    pieces: string | null;
  };
}
