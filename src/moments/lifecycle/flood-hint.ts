/** Answers a command whose output would fill the context with the quiet form, once: the same command then runs. */
import type { Reply } from '../../agents/types.ts';
import type { Flood } from '../../commands/floods.ts';
import { type Caller, NO_OPINION, orLogged } from './handler.ts';

const BYTES_PER_TOKEN = 3.6;

export async function floodHint(
  flood: Flood,
  command: string,
  session: string,
  caller: Caller,
): Promise<Reply> {
  const { agent, env, now } = caller;
  if (session === '' || env.LANEHOLD_RECALL === 'off') return NO_OPINION;
  return orLogged(caller, 'before-tool', NO_OPINION, async () => {
    const [{ ownRecall }, { sha256 }, { toldStore }] = await Promise.all([
      import('../../base/config/own-recall.ts'),
      import('../../base/text/sha256.ts'),
      import('../../store/told.ts'),
    ]);
    const limit = ownRecall(env, 'outputLimit').value;
    if (limit === 0 || flood.bytes <= limit) return NO_OPINION;
    const store = await caller.store();
    const shown = { agent, session, uid: `flood:${sha256(command).slice(0, 16)}`, digest: '' };
    const isNew = store.write(() => toldStore(store).show({ ...shown, at: now(), tokens: 0 }));
    if (!isNew) return NO_OPINION;
    const count = (it: number) => Math.round(it).toLocaleString('en');
    const tokens = count(flood.bytes / BYTES_PER_TOKEN / 1000);
    const size = `about ${count(flood.bytes / 1024)} kB, ${tokens},000 tokens`;
    return {
      decision: 'deny',
      reason: `lanehold: this would print ${size}. Run \`${flood.instead}\` instead; to have all of it, run the same command again.`,
    };
  });
}
