/** Checks that pushes are really held here, and what can be repaired in a damaged store. */
import { existsSync, statSync } from 'node:fs';
import { ownRecall } from '../../base/config/own-recall.ts';
import { ExplainedError, explained } from '../../base/errors.ts';
import { type Home, homeOf } from '../../base/files/home.ts';
import { projectPlace } from '../../base/git/project.ts';
import { plural } from '../../base/text/printable.ts';
import { redact } from '../../base/text/redact/redact.ts';
import { age } from '../../base/text/time.ts';
import { exclusively } from '../../install/manifest.ts';
import { openToOthers } from '../../install/permissions.ts';
import { installers } from '../../install/targets.ts';
import { broken, checkSwitches, type Finding, guarded, ok, warning } from '../../install/verify.ts';
import { rebuildLanes } from '../../lanes/keep/rebuild.ts';
import { expectedAgents } from '../../moments/watch/expected.ts';
import { lastEvent } from '../../moments/watch/trace.ts';
import { schemaVersion } from '../../store/connect.ts';
import { runStore } from '../../store/lanes.ts';
import { modelCallStore } from '../../store/model-calls.ts';
import { openStore } from '../../store/open.ts';
import { assertIntact, quarantineDamaged } from '../../store/quarantine.ts';
import { type AppContext, openFeatures } from '../context.ts';
import { agentHealth, checkAgents, checkClients, findHookGaps } from './doctor-agents.ts';
import { laneProblems } from './doctor-lanes.ts';
import { gitHookStatus, gitHookVerdict } from './git-hook.ts';
import { checkResidents } from './resident.ts';

export type Check = (context: AppContext) => Promise<readonly Finding[]>;

export type Diagnosis = Awaited<ReturnType<typeof diagnose>>;

/** @param checks the checks, in this order. */
export async function diagnose(context: AppContext, checks: readonly Check[] = CHECKS) {
  const findings: Finding[] = [];
  for (const check of checks) findings.push(...(await check(context)));
  const isOk = findings.every(({ state }) => state !== 'broken');
  const told = findings.map((it) => ({ ...it, commands: commandsIn(it.hint ?? '') }));
  return { ok: isOk, findings: told, agents: await agentHealth(context) };
}

/** The commands in a hint: quoted texts of several words, since a setting is one word. */
const commandsIn = (hint: string): string[] =>
  [...hint.matchAll(/`([a-z][\w./-]* [^`]+)`/g)].map(([, command = '']) => command);

const CHECKS: readonly Check[] = [
  async () => [ok('node', `Node ${process.versions.node}`)],
  checkStore,
  checkLanes,
  (context) => guarded('switches', async () => checkSwitches(context, await installers())),
  (context) => checkAgents(context),
  checkGitHook,
  checkFeatures,
  checkGaps,
  checkResidents,
  checkClients,
  checkModel,
];

/** Moves a damaged database aside; restores runs and lanes from their files, even if the database was deleted. */
export async function repairStore({ env, now }: AppContext) {
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
    const facts = [
      ok('store', `the database opens: ${home.database}`),
      ok('store', await storeFacts(home)),
    ];
    // Only the owner may read the folder.
    const open = openToOthers(home);
    if (open.length === 0) return facts;
    const fact = `others may read or change ${open.join(', ')}`;
    // A folder that a person made may be open to others; the files that lanehold writes into it are not.
    const isFolder = open.every((it) => it === home.root);
    return [...facts, (isFolder ? warning : broken)('store', fact, 'run `lanehold doctor --fix`')];
  });
}

async function storeFacts(home: Home): Promise<string> {
  const store = await openStore(home);
  const version = schemaVersion(store.db);
  store.close();
  const kilobytes = Math.ceil(statSync(home.database).size / 1_000);
  return `its schema is version ${version}, its size ${kilobytes.toLocaleString('en')} kB`;
}

/** Returns no finding without an open run; `checkStore` reports a database that does not open. */
function checkLanes({ env, now }: AppContext): Promise<readonly Finding[]> {
  const check = 'lanes';
  return guarded(check, async () => {
    const store = await openStore(homeOf(env)).catch(explained);
    if (store instanceof ExplainedError) return [];
    try {
      const problems = await laneProblems({ store, env, now });
      if (problems.length > 0) return problems;
      const open = runStore(store).openEverywhere().length;
      if (open === 0) return [];
      return [ok(check, `${plural(open, 'open run')}, and nothing amiss in them`)];
    } finally {
      store.close();
    }
  });
}

async function checkGitHook(context: AppContext): Promise<readonly Finding[]> {
  if (projectPlace(context.cwd).kind === 'folder') return [];
  const check = 'git-hook';
  const hint = 'run `lanehold git-hook install`';
  return guarded(check, async () => {
    const status = await gitHookStatus(context);
    const { state, file, remark, configured, gone } = status;
    if (gone !== undefined) return [broken(check, `git hook ${gitHookVerdict(status)}`, hint)];
    const holds = 'the git hook holds pushes';
    if (configured.state === 'installed') {
      return [ok(check, `${holds} from every repository: hook.lanehold`)];
    }
    if (state === 'installed') {
      if (remark === undefined) return [ok(check, `${holds}: ${file}`)];
      return [warning(check, `${holds}, but ${remark}`, hint)];
    }
    return [ok(check, 'no git hook here: only pushes of agents with hooks are held', hint)];
  });
}

/** Returns no finding for an unreadable store or registry: other checks report it, and pushes are held. */
async function checkFeatures(context: AppContext): Promise<readonly Finding[]> {
  if (projectPlace(context.cwd).kind === 'folder') return [];
  const { features, policy } = (await openFeatures(context).catch(() => undefined))?.registry ?? {};
  if (features?.size !== 0 || policy?.uncovered !== 'allow') return [];
  const fact = 'this project has no features, so nothing of it is held';
  return [warning('features', fact, 'run `lanehold feature discover`')];
}

/** Commands and sessions that no hook saw, as other sources show. */
async function checkGaps(context: AppContext): Promise<readonly Finding[]> {
  const check = 'alive';
  return guarded(check, async () => {
    if (!existsSync(homeOf(context.env).database)) return [];
    const gaps = await findHookGaps(context);
    // The checks of the settings report the other kinds.
    const missed = gaps.filter(({ kind }) => kind === 'unseen' || kind === 'silent');
    const findings = missed.map(({ fact, agent }) => ({
      ...broken(check, fact, hint(agent)),
      agent,
    }));
    return [...findings, ...lastEvents(context)];
  });
}

const DAY_MS = 86_400_000;

/** The model that picks notes, and whether it answers; no finding without one. */
function checkModel({ env, now }: AppContext): Promise<readonly Finding[]> {
  const check = 'model';
  return guarded(check, async () => {
    const model = ownRecall(env, 'model').value;
    if (model === null) return [];
    const store = await openStore(homeOf(env));
    const since = new Date(now().getTime() - DAY_MS);
    const { calls, tokens, said } = modelCallStore(store).since(since);
    const problem = modelCallStore(store).lastProblem(since);
    store.close();
    const most = ownRecall(env, 'modelTokens').value;
    const used = `${plural(calls, 'call')} in 24 hours, ${tokens + said} of ${most} tokens`;
    const fact = `${redact(model)} picks notes: ${used}`;
    if (!problem) return [ok(check, fact)];
    const hint = 'try it: `lanehold recall pick`';
    return [warning(check, `${fact}; no usable answer to the last: ${problem}`, hint)];
  });
}

function lastEvents({ env, cwd, now }: AppContext): Finding[] {
  const expected = expectedAgents(env, projectPlace(cwd).root);
  const titles = new Map(expected.map(({ agent, title }) => [agent, title]));
  return [...titles].map(([agent, title]) => {
    const at = lastEvent(env, agent);
    const when = at === undefined ? 'no hook has run yet' : `its last hook ran ${age(at, now())}`;
    return { ...ok('alive', `${title}: ${when}`), agent };
  });
}

const hint = (agent: string): string =>
  `mend what is broken above, or run \`lanehold install --agent ${agent}\`, then start a new session`;
