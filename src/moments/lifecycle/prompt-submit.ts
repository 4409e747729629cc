/** Tells the session at a prompt what is new for it, which mostly is nothing. */
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { homeOf } from '../../base/files/home.ts';
import { laneMark } from '../../lanes/spec/lane-mark.ts';
import { type Caller, type Handler, NO_OPINION, withContext } from './handler.ts';
import { compareTranscript } from './ran-commands.ts';

export const promptSubmit: Handler<'prompt-submit'> = async (event, caller) => {
  // What the client had not written yet when the turn before ended.
  await compareTranscript(event.session, event.transcript, caller);
  const parts = [await news(event, caller), await recalled(event, caller)];
  return withContext(NO_OPINION, parts, '\n\n');
};

type Event = Parameters<typeof promptSubmit>[0];

async function recalled({ prompt, ...event }: Event, caller: Caller): Promise<string | undefined> {
  if (prompt === undefined) return undefined;
  const { recallForPrompt } = await import('./recall.ts');
  return recallForPrompt({ ...event, prompt }, caller);
}

async function news({ cwd, session }: Event, caller: Caller): Promise<string | undefined> {
  const { env } = caller;
  const mark = laneMark(env, cwd);
  const lanes = existsSync(join(homeOf(env).runs, 'lanes'));
  if (lanes && mark !== undefined) {
    const { newsAtPrompt } = await import('./in-lane.ts');
    const reply = await newsAtPrompt(mark, caller);
    if (reply !== undefined) return reply.decision === 'none' ? reply.context : undefined;
  }
  const { promptNews } = await import('./prompt-news.ts');
  return promptNews({ cwd, session }, { lanes, pending: mark === undefined }, caller);
}
