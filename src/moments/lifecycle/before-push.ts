/** The `pre-push` hook of git: decides whether exactly these commits may leave. */
import { existsSync, realpathSync } from 'node:fs';
import { resolve } from 'node:path';
import { actorOf, agentAbove } from '../../agents/actor.ts';
import type { HookOutput } from '../../agents/types.ts';
import { homeOf } from '../../base/files/home.ts';
import { type ProjectPlace, placeOfGitDir, projectPlace } from '../../base/git/project.ts';
import { hookGit } from '../../base/git/small-git.ts';
import { decidePush, type PushAnswer } from '../../gate/decide-push.ts';
import { OwnProcessNeeded, orElse } from '../../gate/errors.ts';
import type { Push } from '../../gate/git/read-push.ts';
import type { Effects } from './handler.ts';

export interface GitCall extends Effects {
  /**
   * Path of the previous hook, then git's own arguments: name of the remote, its address. The path is empty if git's
   * configuration starts this hook.
   */
  readonly args: readonly string[];
  readonly input: Buffer;
  readonly cwd: string;
  readonly env: NodeJS.ProcessEnv;
  readonly now: () => Date;
  readonly isResident?: boolean | undefined;
  readonly onTerminal: () => boolean;
  readonly parents: () => Promise<readonly (readonly string[])[]>;
}

const PASSED: HookOutput = { stdout: '', stderr: '', exitCode: 0 };

/**
 * Judges a push; one that cannot be judged is refused.
 *
 * @throws {OwnProcessNeeded} only in the resident process.
 */
export async function beforePush(call: GitCall): Promise<HookOutput> {
  const [, ...given] = call.args;
  // This switch is for people: an agent could set it as easily as it writes `--no-verify`.
  if (call.env.LANEHOLD_DISABLE === '1' && !(await isBelowAgent(call))) {
    return { ...PASSED, stderr: 'lanehold: LANEHOLD_DISABLE=1 is set, nothing is held\n' };
  }
  if (await isJudgedByFile(call)) return PASSED;
  const push: Push = { remote: given[0] ?? '', lines: call.input.toString('utf8') };
  const answer = await answerPush(push, call);
  if (answer.kind === 'none') return PASSED;

  const { agent, name, session } = actorOf(call);
  const { pushRefusal } = await import('../../gate/push-refusal.ts');
  const refusal = await pushRefusal(answer, call);
  const projectId = answer.kind === 'judged' ? answer.workspace.projectId : null;
  const command = commandOf(push);
  const { recordDecision } = await import('./record-decision.ts');
  const decision = refusal === undefined ? ('pass' as const) : ('deny' as const);
  const who = { projectId, agent: agent ?? name, session: session ?? '' };
  const entry = { ...who, rule: 'git push', decision, command, reason: refusal ?? '' };
  await recordDecision(entry, call, 'pre-push');
  const { noteUnseenPush } = await import('./unseen-push.ts');
  const { root } = placeOf(call.cwd, call.env);
  const missed = (await noteUnseenPush({ command, root, projectId }, call)) ?? '';
  const unseen = call.env.LANEHOLD_DISABLE === '1' ? `${missed}${NO_SWITCH}` : missed;
  if (refusal === undefined) return { ...PASSED, stderr: unseen };
  const isPersonHere = agent === undefined && name !== 'ci' && call.onTerminal();
  const way = isPersonHere ? 'A person may push all the same: git push --no-verify\n' : '';
  return { stdout: '', stderr: `${refusal}\n${way}${unseen}`, exitCode: 1 };
}

const NO_SWITCH = 'lanehold: LANEHOLD_DISABLE=1 counts only where no agent is among the parents\n';

async function isBelowAgent({ env, parents }: GitCall): Promise<boolean> {
  return actorOf({ env }).agent !== undefined || agentAbove(await parents()) !== undefined;
}

/**
 * Whether the hook file judges the push: git starts the hooks of its configuration first, then the file, which judges
 * if it is lanehold's as well. Settings of the command line may keep git from starting it.
 */
async function isJudgedByFile({ args: [previous], cwd, env }: GitCall): Promise<boolean> {
  if (previous !== '' || env.GIT_CONFIG_PARAMETERS || env.GIT_CONFIG_COUNT) return false;
  // A hook that cannot be read judges nothing.
  return orElse(false, async () => {
    const [{ hookFolder }, { holdsByFile }] = await Promise.all([
      import('../../git-hold/hook-folder.ts'),
      import('../../git-hold/git-hook-state.ts'),
    ]);
    return holdsByFile(await hookFolder(hookGit(placeOf(cwd, env).root, env)));
  });
}

async function answerPush(push: Push, call: GitCall): Promise<PushAnswer> {
  const { env, cwd, now, store } = call;
  try {
    const { database } = homeOf(env);
    const place = placeOf(cwd, env);
    const git = hookGit(place.root, env);
    return await decidePush(push, {
      place,
      git,
      env,
      now,
      store,
      storeIfAny: async () => (existsSync(database) ? store() : undefined),
      async askRemote() {
        if (call.isResident) throw new OwnProcessNeeded();
        const { askRemote } = await import('../../gate/git/ask-remote.ts');
        return askRemote(git, env, call.args[2] ?? push.remote);
      },
    });
  } catch (error) {
    if (error instanceof OwnProcessNeeded) throw error;
    return { kind: 'unknown', error };
  }
}

/** The place of the push: git sets GIT_DIR if the working directory does not show the repository. */
function placeOf(cwd: string, { GIT_DIR }: GitCall['env']): ProjectPlace {
  const place = projectPlace(cwd);
  if (!GIT_DIR) return place;
  const named = realpathSync(resolve(cwd, GIT_DIR));
  return place.gitDir === named ? place : placeOfGitDir(named);
}

function commandOf({ remote, lines }: Push): string {
  const refs = lines.split('\n').flatMap((line) => {
    const words = line.split(' ');
    const [local = '', destination = ''] = [words.slice(0, -3).join(' '), words.at(-2) ?? ''];
    return local === '' ? [] : [`${local === '(delete)' ? '' : local}:${destination}`];
  });
  return ['git push', remote, ...refs].join(' ');
}
