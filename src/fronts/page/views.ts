/**
 * The views of the page: each path below a project, and the use case behind it. None of them changes anything. Each is
 * loaded at its first use, because the server runs for long.
 */
import { type AppContext, openProject } from '../../app/context.ts';
import { bytesOf, countOf, given, oneOf } from '../../app/values.ts';

type View = (context: AppContext, query: Readonly<Record<string, string>>) => Promise<object>;

const lane = () => import('../../app/view/lane.ts');
const lanes = () => import('../../app/view/lanes.ts');
const hold = () => import('../../app/view/hold.ts');
const sessions = () => import('../../app/view/sessions.ts');
const memory = () => import('../../app/view/memory.ts');

const AGAINST = ['base', 'tip', 'seen'] as const;

export const VIEWS: Readonly<Record<string, View>> = {
  needs: async (context) => (await import('../../app/view/needs.ts')).needsView(context),
  lanes: async (context, { run }) => (await lanes()).lanesView(context, { run }),
  run: async (context, { run }) => (await lanes()).runView(context, { run }),
  'lanes/:key': async (context, { run, key = '' }) =>
    (await lane()).laneView(context, { run, key }),
  'lanes/:key/diff': async (context, { run, key = '', against = 'base' }) =>
    (await lane()).diffView(context, { run, key, against: oneOf('comparison', AGAINST, against) }),
  'lanes/:key/log': async (context, { run, key = '', attempt, of, from, before, raw }) =>
    (await lane()).logView(context, {
      run,
      key,
      of,
      raw: raw === '1',
      attempt: given(countOf, attempt),
      from: given(bytesOf, from),
      before: given(bytesOf, before),
    }),
  hold: async (context) => (await hold()).holdView(context),
  leaving: async (context) => (await hold()).leavingView(context),
  'hold/:name': async (context, { name = '' }) => (await hold()).featureView(context, name),
  gate: async (context, { command = '' }) => {
    const { judgeShellCommand } = await import('../../app/hold/gate.ts');
    const { explanationText } = await import('../words/gate.ts');
    return { explanation: explanationText(await judgeShellCommand(context, command)) };
  },
  sessions: async (context, wish) => (await sessions()).sessionsView(context, wish),
  'sessions/:id': async (context, { id, ...wish }) =>
    (await sessions()).sessionView(context, id, wish),
  timeline: async (context, wish) => (await sessions()).timelineView(context, wish),
  memory: async (context, { q }) => (await memory()).memoryView(context, q),
  'memory/:id': async (context, { id = '' }) => (await memory()).noteView(context, id),
  health: async (context) => (await import('../../app/view/health.ts')).healthView(context),
};

export const projectIdOf = async (context: AppContext): Promise<number> =>
  (await openProject(context)).projectId;

/** @param shown `KEY/ATTEMPT`. @returns the file with the output of that worker. */
export async function shownLog(context: AppContext, shown: string | undefined, run?: string) {
  if (shown === undefined) return undefined;
  const { laneLog } = await import('../../app/lanes/lanes.ts');
  const [key = '', attempt] = shown.split('/');
  const { log } = await laneLog(context, { run, key, attempt: given(countOf, attempt) });
  return log.stdout;
}
