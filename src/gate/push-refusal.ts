/** The text of a refused push, and the note of what was held of it. */
import { actorOf } from '../agents/actor.ts';
import { programName } from '../base/files/package.ts';
import { shellWord } from '../base/text/shell-quote.ts';
import type { PushAnswer } from './decide-push.ts';

interface Pusher {
  readonly env: NodeJS.ProcessEnv;
  readonly cwd: string;
  readonly now: () => Date;
}

/** `undefined` if the push may go on. */
export async function pushRefusal(
  answer: PushAnswer,
  { env, cwd, now }: Pusher,
  again = 'push again',
): Promise<string | undefined> {
  if (answer.kind === 'none') return undefined;
  const { cannotTellText, denialText } = await import('./denial.ts');
  const what = '`git push`';
  if (answer.kind === 'unknown') return cannotTellText(what, answer.error);
  const { hold, workspace, agreed } = answer;
  const { notePushes } = await import('./held-pushes.ts');
  const pushes = agreed ? hold.pushes.map((it) => ({ ...it, held: [] })) : hold.pushes;
  notePushes(workspace, { pushes }, now());
  if (hold.verdict === 'pass' || agreed) return undefined;
  const { refusalFacts } = await import('./pending.ts');
  const facts = await refusalFacts(workspace, hold, now());
  const program = programName(env);
  const { wayTo } = await import('./at-boundary.ts');
  const { root } = workspace.place;
  // Git does not say in which folder an agent has started it: `git -C X push`.
  const isPerson = actorOf({ env }).agent === undefined;
  const way = isPerson ? wayTo(root, cwd) : `cd ${shellWord(root)} && `;
  return denialText(hold, { what, program, way, again, ...facts });
}
