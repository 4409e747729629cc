import type { Store } from '../../src/store/open.ts';
import type { Ran, Start } from './program.ts';

export interface HookStart extends Start {
  readonly args: readonly string[];
  readonly input: string | Buffer;
}

/** Runs the code of the hook program in this process: a start of Node costs more than most hooks. */
export async function answerInProcess({ args, cwd, env, input }: HookStart): Promise<Ran> {
  const { answerCall } = await import('../../src/moments/hook/answer.ts');
  const { homeOf } = await import('../../src/base/files/home.ts');
  const { openStore } = await import('../../src/store/open.ts');
  let store: Promise<Store> | undefined;
  try {
    const output = await answerCall({
      args,
      env,
      input: () => Buffer.from(input),
      cwd: () => cwd,
      now: () => new Date(),
      store: () => {
        store ??= openStore(homeOf(env));
        return store;
      },
      onTerminal: () => false,
    });
    return { ...output, signal: null };
  } finally {
    const opened = await store?.catch(() => undefined);
    opened?.close();
  }
}
