/** At a prompt: tells the session what is new for it, which mostly is nothing. */
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { laneMark } from '../lanes/inside/lane-mark.ts';
import { homeOf } from '../store/home.ts';
import { takePendingNews } from './activity.ts';
import { type Handler, NO_OPINION } from './handler.ts';

export const promptSubmit: Handler<'prompt-submit'> = async ({ cwd, session }, caller) => {
  const { agent, env } = caller;
  const mark = laneMark(env, cwd);
  // Without lanes or news there is nothing to say, and no database is opened.
  const lanes = existsSync(join(homeOf(env).runs, 'lanes'));
  const pending = mark === undefined && takePendingNews(env, { agent, session });
  if (!lanes && !pending) return NO_OPINION;
  if (lanes && mark !== undefined) {
    const { newsAtPrompt } = await import('./in-lane.ts');
    const reply = await newsAtPrompt(mark, caller);
    if (reply !== undefined) return reply;
  }
  const { promptNews } = await import('./prompt-news.ts');
  const context = await promptNews({ cwd, session, about: { lanes, pending } }, caller);
  return context === undefined ? NO_OPINION : { decision: 'none', context };
};
