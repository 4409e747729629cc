import type { EventStore } from '../../src/store/event-store.ts';
import type { Ran, Start } from './program.ts';

export interface HookStart extends Start {
  readonly args: readonly string[];
  readonly input: string | Buffer;
  /** Of the event, where another process may answer it as well. */
  readonly id?: string | undefined;
  /** Nobody waits for the answer any more. */
  readonly isLeft?: boolean | undefined;
}

/** Runs the code of the hook program in this process: a start of Node costs more than most hooks. */
export async function answerInProcess({
  args,
  cwd,
  env,
  input,
  id,
  isLeft,
}: HookStart): Promise<Ran> {
  const { answerCall } = await import('../../src/moments/hook/answer.ts');
  const { homeOf } = await import('../../src/base/files/home.ts');
  const { openEventStore } = await import('../../src/store/event-store.ts');
  let store: Promise<EventStore> | undefined;
  try {
    const output = await answerCall({
      args,
      env,
      input: () => Buffer.from(input),
      cwd: () => cwd,
      now: () => new Date(),
      store: () => {
        store ??= openEventStore(homeOf(env)).catch((error) => {
          store = undefined;
          throw error;
        });
        return store;
      },
      onTerminal: () => false,
      parents: async () => [],
      id,
      isAwaited: async () => isLeft !== true,
    });
    return { ...output, signal: null };
  } finally {
    const opened = await store?.catch(() => undefined);
    opened?.close();
  }
}
