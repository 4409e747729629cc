/** Is what should be held really held here? And what can be mended of a damaged store. */
import { existsSync } from 'node:fs';
import { extname } from 'node:path';
import { attempt, ExplainedError } from '../errors.ts';
import { projectPlace } from '../git/project.ts';
import { exclusively } from '../install/lock.ts';
import { type Installation, readManifest } from '../install/manifest.ts';
import {
  hookProgram,
  type Installer,
  installers,
  NO_START,
  recordedFile,
  scriptAgents,
} from '../install/targets.ts';
import {
  checkClient,
  checkFile,
  checkHookRuns,
  checkLoading,
  checkSwitches,
  type Finding,
  guarded,
  presentIn,
} from '../install/verify.ts';
import { laneProblems } from '../lanes/problems.ts';
import { type Rebuilt, rebuildLanes } from '../lanes/rebuild/rebuild.ts';
import { homeOf } from '../store/home.ts';
import { openStore } from '../store/open.ts';
import { assertIntact, quarantineDamaged } from '../store/quarantine.ts';
import { runStore } from '../store/runs.ts';
import { plural } from '../text/count.ts';
import { age } from '../text/time.ts';
import { expectedAgents } from '../watch/expected.ts';
import { lastEvent } from '../watch/trace.ts';
import type { AppContext } from './context.ts';
import { gitHookStatus, gitHookVerdict } from './git-hook.ts';
import { findHookGaps } from './hook-gaps.ts';

export type Check = (context: AppContext) => Promise<readonly Finding[]>;

export interface Diagnosis {
  readonly ok: boolean;
  readonly findings: readonly Finding[];
}

/** @param checks what to look at, in this order. */
export async function diagnose(
  context: AppContext,
  checks: readonly Check[] = CHECKS,
): Promise<Diagnosis> {
  const findings: Finding[] = [];
  for (const check of checks) findings.push(...(await check(context)));
  return { ok: findings.every(({ state }) => state !== 'broken'), findings };
}

const CHECKS: readonly Check[] = [
  async () => [{ check: 'node', state: 'ok', fact: `Node ${process.versions.node}` }],
  checkStore,
  checkLanes,
  (context) => guarded('switches', async () => checkSwitches(context, await installers())),
  checkInstallations,
  checkGitHook,
  checkGaps,
  checkClients,
];

export interface Repair {
  /** Where the damaged database was moved to; `undefined` if it was not damaged. */
  readonly quarantined: string | undefined;
  /** Also where the database was deleted: a new one knows none of the runs that left traces. */
  readonly rebuilt: readonly Rebuilt[];
}

/** Moves a damaged database aside, and builds runs and lanes again from what they left on disk. */
export async function repairStore({ env, now }: AppContext): Promise<Repair> {
  const home = homeOf(env);
  const quarantined = await exclusively(home, () => quarantineDamaged(home, now()));
  const store = await openStore(home);
  try {
    return { quarantined, rebuilt: await rebuildLanes({ store, env, now }) };
  } finally {
    store.close();
  }
}

function checkStore({ env }: AppContext): Promise<readonly Finding[]> {
  return guarded('store', async () => {
    const home = homeOf(env);
    await assertIntact(home);
    return [{ check: 'store', state: 'ok', fact: `the database opens: ${home.database}` }];
  });
}

/** Finds nothing where no run is open; a database that does not open is for `checkStore`. */
function checkLanes({ env, now }: AppContext): Promise<readonly Finding[]> {
  const check = 'lanes';
  return guarded(check, async () => {
    const store = await openStore(homeOf(env)).catch((error) => {
      if (!(error instanceof ExplainedError)) throw error;
    });
    if (store === undefined) return [];
    try {
      const problems = await laneProblems({ store, env, now });
      if (problems.length > 0) return problems.map((it) => ({ check, ...it }));
      const open = runStore(store).openEverywhere().length;
      if (open === 0) return [];
      const fact = `${plural(open, 'open run')}, and nothing amiss in them`;
      return [{ check, state: 'ok', fact }];
    } finally {
      store.close();
    }
  });
}

/** What there is of ours for every agent: what was recorded, and what counts here. */
function checkInstallations(context: AppContext): Promise<readonly Finding[]> {
  return guarded('settings', async () => {
    const manifest = readManifest(homeOf(context.env));
    const findings: Finding[] = [];
    for (const installer of await installers()) {
      for (const it of inForce(context, installer, manifest)) {
        findings.push(...(await checkInstallation(context, installer, it)));
      }
      findings.push(...(await unreadable(context, installer)));
    }
    if (findings.some(({ check, state }) => check === 'hook' || state === 'broken')) {
      return findings;
    }
    const fact = 'no hooks are installed: nothing is held';
    const hint = 'run `lanehold install`';
    return [...findings, { check: 'settings', state: 'broken', fact, hint }];
  });
}

/** What is wrong with a file that we never wrote to does not keep hooks elsewhere from working. */
async function unreadable(context: AppContext, installer: Installer): Promise<Finding[]> {
  const [hooks] = installer.files('project', context, NO_START);
  const found: Finding[] = [];
  for (const file of installer.settingsFilesInForce(context)) {
    if (hooks === undefined || extname(file) !== extname(hooks.file)) continue;
    const problems = await guarded('settings', () => {
      presentIn({ ...hooks, file }, homeOf(context.env), undefined);
      return [];
    });
    found.push(...problems.map((it) => ({ ...it, state: 'warning' as const })));
  }
  return found;
}

/** A file that may have something of ours. */
type Looked = Pick<Installation, 'scope' | 'what' | 'file'> & Partial<Installation>;

/** Files that this version would write here, and all that were recorded for the agent. */
function inForce(
  { env, cwd }: AppContext,
  installer: Installer,
  manifest: readonly Installation[],
): readonly Looked[] {
  const here = (['user', 'project'] as const).flatMap((scope) =>
    (attempt(() => installer.files(scope, { env, cwd }, NO_START)) ?? []).map(
      ({ file, what }): Looked => ({ file, what, scope, folder: cwd }),
    ),
  );
  const recorded = manifest.filter(({ agent }) => agent === installer.name);
  return [...new Map([...here, ...recorded].map((it) => [it.file, it])).values()];
}

/** Whether the settings of any agent that count here have hooks of ours. */
export async function hasHooks(context: AppContext): Promise<boolean> {
  const home = homeOf(context.env);
  const all = await installers();
  return all.some((installer) =>
    inForce(context, installer, []).some((it) => {
      const file = it.what === 'hooks' && recordedFile(installer, it, context);
      return file && attempt(() => presentIn(file, home, undefined)) !== undefined;
    }),
  );
}

async function checkInstallation(
  context: AppContext,
  installer: Installer,
  looked: Looked,
): Promise<readonly Finding[]> {
  const { env } = context;
  const { file, what } = looked;
  const isRecorded = looked.target !== undefined;
  const findings = await guarded('settings', async () => {
    const known = recordedFile(installer, looked, context);
    const present = known && presentIn({ ...known, file }, homeOf(env), looked.runtime);
    const wanted = present && recordedFile(installer, looked, context, present.start);
    if (wanted) {
      const agents = await scriptAgents();
      const checked = checkFile(installer, present, { wanted, hook: hookProgram(), agents });
      const isHooks = what === 'hooks';
      if (!isHooks) return checked;
      const loading = await checkLoading(installer, file);
      return [...checked, ...loading, ...(await checkHookRuns(installer, present, env))];
    }
    if (!isRecorded) return [];
    const fact = `the ${what} that were installed in ${file} are gone`;
    const hint = 'run `lanehold install` again, or `lanehold uninstall`';
    return [{ check: 'settings', state: 'broken', fact, hint }];
  });
  // What is wrong with a file that we never wrote to does not keep hooks elsewhere from working.
  const isOurs = isRecorded || findings.some(({ check }) => check === 'hook');
  return isOurs ? findings : findings.map((it) => ({ ...it, state: 'warning' }));
}

/** A missing git hook is fine, a broken one is not. */
async function checkGitHook(context: AppContext): Promise<readonly Finding[]> {
  if (projectPlace(context.cwd).kind === 'folder') return [];
  const check = 'git-hook';
  const hint = 'run `lanehold git-hook install`';
  return guarded(check, async () => {
    const status = await gitHookStatus(context);
    const { state, file, remark, configured, gone } = status;
    if (gone !== undefined) {
      const fact = `git hook ${gitHookVerdict(status)}`;
      return [{ check, state: 'broken', fact, hint }];
    }
    const holds = 'the git hook holds pushes';
    if (configured.state === 'installed') {
      return [{ check, state: 'ok', fact: `${holds} from every repository: hook.lanehold` }];
    }
    if (state === 'installed') {
      if (remark === undefined) return [{ check, state: 'ok', fact: `${holds}: ${file}` }];
      return [{ check, state: 'warning', fact: `${holds}, but ${remark}`, hint }];
    }
    const fact = 'no git hook here, only the hooks of agents hold';
    return [{ check, state: 'ok', fact, hint }];
  });
}

/** What other layers noticed: commands and sessions that no hook saw. */
async function checkGaps(context: AppContext): Promise<readonly Finding[]> {
  const check = 'alive';
  return guarded(check, async () => {
    if (!existsSync(homeOf(context.env).database)) return [];
    const gaps = await findHookGaps(context);
    // What the settings say is told by the checks of the settings.
    const missed = gaps.filter(({ kind }) => kind === 'unseen' || kind === 'silent');
    const findings = missed.map(
      ({ fact, agent }): Finding => ({ check, state: 'broken', fact, hint: hint(agent) }),
    );
    return [
      ...findings,
      ...lastEvents(context).map((fact) => ({ check, state: 'ok' as const, fact })),
    ];
  });
}

function lastEvents({ env, cwd, now }: AppContext): string[] {
  const expected = expectedAgents(env, projectPlace(cwd).root);
  const titles = new Map(expected.map(({ agent, title }) => [agent, title]));
  return [...titles].map(([agent, title]) => {
    const at = lastEvent(env, agent);
    const when = at === undefined ? 'no hook has run yet' : `its last hook ran ${age(at, now())}`;
    return `${title}: ${when}`;
  });
}

const hint = (agent: string): string =>
  `mend what is broken above, or run \`lanehold install --agent ${agent}\`, then start a new session`;

async function checkClients(context: AppContext): Promise<readonly Finding[]> {
  const checks = (await installers()).map((it) => checkClient(it, context));
  return (await Promise.all(checks)).flat();
}
