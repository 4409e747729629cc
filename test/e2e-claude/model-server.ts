/** A stand-in for the model behind Claude Code that plays prepared turns and keeps what it was shown. */
import { type Listening, startMessagesServer, type Turn } from './messages-server.ts';

/** A turn, or what to answer to what the model was just shown. */
export type PreparedTurn = Turn | ((shown: string) => Turn);

export interface ModelServer extends Listening {
  /** What the model was newly shown when turn `n` (from 0) was asked of it, and before it answered. */
  readonly shown: readonly string[];
}

/**
 * @param turns what the model answers, in order; beyond the last it says that it is done.
 * @param onTurn called with the number of a turn before it is answered; the agent waits for it.
 */
export async function startModelServer(
  turns: readonly PreparedTurn[],
  onTurn: (turn: number) => Promise<void>,
): Promise<ModelServer> {
  const shown: string[] = [];
  const numbers = new Map<string, number>();

  const server = await startMessagesServer(async (asked) => {
    // The client repeats a request now and then; the same conversation gets the same turn.
    const number = numbers.get(asked.conversation) ?? numbers.size;
    numbers.set(asked.conversation, number);
    shown[number] ??= asked.shown;
    await onTurn(number);
    const turn = turns[number] ?? { say: 'There is nothing more to do.' };
    return typeof turn === 'function' ? turn(asked.shown) : turn;
  });
  return { ...server, shown };
}
