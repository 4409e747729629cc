/** `doctor --fix`: writes damaged installations again, and closes lanehold's folder to other users. */
import type { Runtime } from '../../agents/kit/hook-shim.ts';
import { explained } from '../../base/errors.ts';
import { homeOf } from '../../base/files/home.ts';
import { hookScriptFile, isCurrentScript } from '../../install/hook-script.ts';
import { installManifest } from '../../install/manifest.ts';
import { closeToOthers } from '../../install/permissions.ts';
import { currentRuntime } from '../../install/targets.ts';
import type { AppContext } from '../context.ts';
import { agentHealth } from './doctor-agents.ts';
import { gitHookHere, setUpGitHold, setUpGitHook, wantsGitHold } from './git-hook.ts';
import { installHooks } from './installation.ts';

/** The repairs and the failures, one sentence each without a full stop. It never confirms an agent's question. */
export async function mend(context: AppContext, runtime: Runtime = currentRuntime()) {
  const done: string[] = [];
  const failed: string[] = [];
  const home = homeOf(context.env);
  done.push(...closeToOthers(home).map((path) => `closed ${path} to others`));
  const script = hookScriptFile(home);
  const wasCurrent = isCurrentScript(script);
  for (const { agent, scope, folder } of await installed(context)) {
    const there = { ...context, cwd: folder ?? context.cwd };
    const wish = { agents: [agent], scope, dryRun: false, extras: 'recorded' } as const;
    const files = await orSaid(failed, async () => {
      const { agents } = await installHooks(there, wish, runtime);
      return agents[0].files;
    });
    for (const { file, what, state } of files ?? []) {
      if (state !== 'current') done.push(`wrote the ${what} in ${file} again`);
    }
  }
  if (!wasCurrent && isCurrentScript(script)) done.push(`wrote ${script} again`);
  const { gone } = await gitHookHere(context);
  if (gone !== undefined) {
    await orSaid(failed, async () => {
      if (wantsGitHold(context)) await setUpGitHold(context, { scope: 'user' }, runtime);
      else await setUpGitHook(context, runtime);
      done.push('let git hold pushes again');
    });
  }
  return { done, failed };
}

/** Recorded installations, and those that exist without a record. */
async function installed(context: AppContext) {
  const recorded = installManifest(homeOf(context.env)).installations.map(
    ({ agent, scope, folder }) => ({ agent, scope, folder }),
  );
  const found = (await agentHealth(context)).flatMap(({ agent, installed: scopes }) =>
    scopes.map((scope) => ({ agent, scope, folder: undefined })),
  );
  const all = [...recorded, ...found];
  return [...new Map(all.map((it) => [JSON.stringify(it), it])).values()];
}

async function orSaid<T>(failed: string[], work: () => Promise<T>): Promise<T | undefined> {
  try {
    return await work();
  } catch (error) {
    const { message, hint } = explained(error);
    failed.push(hint === undefined ? message : `${message}; ${hint}`);
    return undefined;
  }
}
