/** The briefing that a session of this project would get now. */
import { actorOf } from '../../agents/actor.ts';
import { recallSettings } from '../../base/config/capture.ts';
import { AT_ONCE } from '../../moments/lifecycle/handler.ts';
import { startTexts } from '../../moments/lifecycle/session-start.ts';
import { indexNotes } from '../../recall/notes.ts';
import { tokensOf } from '../../recall/tokens.ts';
import { type AppContext, openProject } from '../context.ts';

/**
 * The briefing and its parts, with estimated tokens; `most` is the budget in the settings, without the handoff of an
 * open run. Nothing is recorded as shown, so a second call gives the same.
 */
export async function briefingNow(context: AppContext) {
  const workspace = await openProject(context);
  indexNotes(workspace);
  const { cwd, env, now, store } = context;
  const agent = actorOf(context).agent ?? 'person';
  const start = { kind: 'session-start', source: 'new', session: '', cwd } as const;
  const texts = await startTexts(start, { agent, env, now, store, ...AT_ONCE, looksOnly: true });
  const text = texts.join('\n\n');
  return {
    text,
    tokens: tokensOf(text),
    most: recallSettings(workspace.place.root, env).briefing.value,
    parts: texts.map((it) => ({ text: it, tokens: tokensOf(it) })),
  };
}
