/** The part of `doctor` about agents: the entries in their files, whether they run, and what the agents can do. */
import { existsSync } from 'node:fs';
import { dirname, extname } from 'node:path';
import type { Extra, InstallFile, Place, Scope } from '../../agents/install.ts';
import { statusLineIn } from '../../agents/kit/status-line.ts';
import { attempt } from '../../base/errors.ts';
import { onPath } from '../../base/files/executable.ts';
import { homeOf } from '../../base/files/home.ts';
import { programName } from '../../base/files/package.ts';
import { readText } from '../../base/files/user-files.ts';
import { plural } from '../../base/text/printable.ts';
import { shellQuoted } from '../../base/text/shell-quote.ts';
import { hookScriptFile } from '../../install/hook-script.ts';
import { type Installation, installManifest } from '../../install/manifest.ts';
import {
  foundBy,
  hookProgram,
  type Installer,
  installers,
  NO_START,
  recordedFile,
} from '../../install/targets.ts';
import {
  broken,
  checkClient,
  checkFile,
  checkHookRuns,
  type Finding,
  guarded,
  ok,
  presentIn,
  trustFinding,
  warning,
} from '../../install/verify.ts';
import { type HookGap, hookGaps } from '../../moments/watch/gaps.ts';
import { type AppContext, openProject } from '../context.ts';
import { enforcementOf } from '../hold/enforcement.ts';
import { checkPlugins, hasPlugin, pluginsOf } from './client-plugins.ts';

/**
 * Checks every agent: recorded installations, and files that count here.
 *
 * @param agents by default all.
 */
export function checkAgents(context: AppContext, agents?: readonly Installer[]) {
  return guarded('settings', async () => {
    const manifest = installManifest(homeOf(context.env)).installations;
    const findings: Finding[] = [];
    for (const it of agents ?? (await installers())) {
      const found = await checkAgent(context, it, manifest);
      findings.push(...found.map((one) => ({ ...one, agent: it.name })));
    }
    if (findings.some(({ check, state }) => check === 'hook' || state === 'broken')) {
      return findings;
    }
    const fact = 'no hooks of agents are installed: no command of theirs is held';
    return [...findings, broken('settings', fact, 'run `lanehold install`')];
  });
}

async function checkAgent(
  context: AppContext,
  installer: Installer,
  manifest: readonly Installation[],
): Promise<Finding[]> {
  const script = hookScriptFile(homeOf(context.env));
  const found: Finding[] = [];
  const extras: FoundExtra[] = [];
  for (const it of inForce(context, installer, manifest)) {
    const row = recordedFile(installer, it, context, { ...NO_START, ...it.runtime, script });
    const isRecorded = it.target !== undefined;
    if (row?.extra) extras.push({ row: { ...row, file: it.file }, isRecorded });
    else found.push(...(await checkInstallation(context, installer, it)));
  }
  const scopes = scopesWithHooks(context, installer);
  if (scopes.length > 0 && !hasPlugin(installer, context))
    found.push(...(await checkExtras(installer, extras, context)));
  const lost = await unreadable(context, installer);
  found.push(...lost.filter(({ fact }) => !found.some((it) => it.fact === fact)));
  // If settings cannot be read, it is unknown whether they have a plugin or hooks.
  const untold = lost.length > 0 ? ['plugin', 'agent'] : [];
  const grounds = await checkGrounds(context, installer, scopes);
  return [...found, ...grounds.filter(({ check }) => !untold.includes(check))];
}

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

/** A file that may have entries of lanehold. */
type Looked = Pick<Installation, 'scope' | 'what' | 'file'> & Partial<Installation>;

/** Files that this version would write here, and all that were recorded for the agent. */
function inForce(
  context: AppContext,
  installer: Installer,
  manifest: readonly Installation[],
): readonly Looked[] {
  const recorded = manifest.filter(({ agent }) => agent === installer.name);
  const all = [...filesHere(context, installer), ...recorded];
  return [...new Map(all.map((it) => [`${it.what}\n${it.file}`, it])).values()];
}

/** Leaves out a file that several agents read, if this agent is not installed here. */
function filesHere({ env, cwd }: AppContext, installer: Installer): readonly Looked[] {
  const recorded = attempt(() => installManifest(homeOf(env)).installations) ?? [];
  const isHere =
    foundBy(installer, { env, cwd }) !== undefined ||
    recorded.some(({ agent }) => agent === installer.name);
  return (['user', 'project'] as const).flatMap((scope) =>
    (attempt(() => installer.files(scope, { env, cwd }, NO_START)) ?? [])
      .filter(({ shared }) => !shared || isHere)
      .map(({ file, what }): Looked => ({ file, what, scope, folder: cwd })),
  );
}

/** Whether the settings of any agent that count here have lanehold's hooks. */
export async function hasHooks(context: AppContext): Promise<boolean> {
  return (await installers()).some(
    (it) => scopesWithHooks(context, it).length > 0 || hasPlugin(it, context),
  );
}

function scopesWithHooks(context: AppContext, installer: Installer): readonly Scope[] {
  const home = attempt(() => homeOf(context.env));
  if (home === undefined) return [];
  const found = filesHere(context, installer).filter((it) => {
    const file = it.what === 'hooks' && recordedFile(installer, it, context);
    return file && attempt(() => presentIn(file, home, undefined)) !== undefined;
  });
  return found.map(({ scope }) => scope);
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
      const checked = checkFile(installer, present, { wanted, hook: hookProgram() });
      if (what !== 'hooks') return checked;
      return [...checked, ...(await checkHookRuns(installer, present, env))];
    }
    // The file is gone, and this version would not write it: the user has deleted it.
    if (!isRecorded || (known === undefined && !existsSync(file))) return [];
    const fact = `the ${what} that were installed in ${file} are gone`;
    const hint = 'run `lanehold install` again, or `lanehold uninstall`';
    return [broken('settings', fact, hint)];
  });
  // A broken file that lanehold never wrote to does not stop hooks elsewhere.
  const isOurs = isRecorded || findings.some(({ check }) => check === 'hook');
  return isOurs ? findings : findings.map((it) => ({ ...it, state: 'warning' }));
}

/** Whether the agent runs its hooks, and the effect of a failure; or that it has no hooks. */
async function checkGrounds(
  context: AppContext,
  installer: Installer,
  scopes: readonly Scope[],
): Promise<Finding[]> {
  const { title, name, capabilities, trust, worker } = installer;
  const plugins = await checkPlugins(context, installer, scopes.length > 0);
  if (scopes.length === 0 && plugins.length > 0) return plugins;
  if (scopes.length === 0) {
    const found = foundBy(installer, context);
    if (found === undefined) return [];
    const fact = `${title} is on this machine (${found}), and has no hooks of lanehold`;
    const hint = `to hold what it releases: \`lanehold install --agent ${name}\``;
    return [ok('agent', fact, hint)];
  }
  const trusts = await Promise.all(scopes.map((scope) => trust?.(scope, context)));
  const workers = warning(
    'workers',
    `workers of ${title} run without hooks in lanes: they are installed for this project only`,
    `install them for all you do: \`lanehold install --agent ${name}\``,
  );
  return [
    ...plugins,
    ...trusts.filter((it) => it !== undefined).map((it) => trustFinding(title, it)),
    ...(worker?.lacksProjectHooks && !scopes.includes('user') ? [workers] : []),
    ...enforcementOf(capabilities).gaps.map((gap) => ok('capabilities', `${title} ${gap}`)),
  ];
}

interface FoundExtra {
  readonly row: InstallFile;
  readonly isRecorded: boolean;
}

/** Checks the other files: they hold no push, so nothing is reported as broken. */
async function checkExtras(
  installer: Installer,
  extras: readonly FoundExtra[],
  place: Place,
): Promise<Finding[]> {
  const of = (extra: Extra) => extras.filter(({ row }) => row.extra === extra);
  const findings = [
    ...(await guarded('skills', () => checkSkills(installer, of('skills')))),
    ...(await guarded('statusline', () =>
      of('statusline').flatMap(({ row }) => checkStatusLine(installer, row, place)),
    )),
  ];
  return findings.map((it) => (it.state === 'broken' ? { ...it, state: 'warning' } : it));
}

function checkStatusLine(
  { name, title, settingsFilesInForce }: Installer,
  { file, editor }: InstallFile,
  place: Place,
): Finding[] {
  const text = readText(file) ?? '{}';
  const found = statusLineIn(text);
  const check = 'statusline';
  if (found.kind !== 'ours') {
    const whose = found.kind === 'none' ? 'no status line' : 'a status line of your own';
    const hint = `to show what is held there: \`lanehold install --agent ${name} --yes\``;
    return [ok(check, `${title}: ${whose}`, hint)];
  }
  // A project's settings replace the user's.
  for (const it of settingsFilesInForce(place).filter((other) => other !== file)) {
    const { kind, theirs = '' } = statusLineIn(readText(it) ?? '{}');
    if (kind !== 'theirs' || theirs.includes('lanehold')) continue;
    const fact = `${title}: the status line in ${it} takes the place of lanehold’s here`;
    const hint = `to show both: have it run \`lanehold statusline --wrap ${shellQuoted(theirs)}\``;
    return [warning(check, fact, hint)];
  }
  const below = found.theirs === undefined ? '' : ', below your own';
  const fact = `${title}: the status line is lanehold’s${below}`;
  const isCurrent = editor.plan(file, { current: text, bare: undefined }).state === 'current';
  if (isCurrent) return [ok(check, fact)];
  return [warning(check, `${fact}, of another version`, 'run `lanehold doctor --fix`')];
}

function checkSkills({ title, name }: Installer, skills: readonly FoundExtra[]): Finding[] {
  const check = 'skills';
  const found = Object.groupBy(skills, stateOf);
  const { current = [], lost = [], theirs = [] } = found;
  const folders = Map.groupBy(current, ({ row }) => dirname(dirname(row.file)));
  if (skills.length > 0 && Object.keys(found).join() === 'absent') {
    const hint = `to write them: \`lanehold install --agent ${name}\``;
    return [ok(check, `${title} has no skills of lanehold`, hint)];
  }
  return [
    ...[...folders].map(([folder, all]) =>
      ok(check, `${plural(all.length, 'skill')} in ${folder}`),
    ),
    ...lost.map(({ row: { what, file } }) => {
      const fact = `the ${what} is gone, changed or of another version: ${file}`;
      return warning(check, fact, 'run `lanehold doctor --fix`');
    }),
    ...theirs.map(({ row }) =>
      ok(check, `the ${row.what} is not lanehold’s, and stays: ${row.file}`),
    ),
  ];
}

function stateOf({ row: { file, editor }, isRecorded }: FoundExtra) {
  const text = readText(file);
  if (text === undefined) return isRecorded ? 'lost' : 'absent';
  if (editor.withoutOurs(file, text) === text) return 'theirs';
  const { state } = editor.plan(file, { current: text, bare: undefined });
  return state === 'current' ? 'current' : 'lost';
}

/** Checks the clients whose hooks are installed, or that are on PATH. */
export async function checkClients(context: AppContext): Promise<readonly Finding[]> {
  const meant = (await installers()).filter(
    (it) =>
      scopesWithHooks(context, it).length > 0 ||
      (it.client && onPath(it.client.program, context.env) !== undefined),
  );
  return (await Promise.all(meant.map((it) => checkClient(it, context)))).flat();
}

/** The agents that are installed on this machine, or have lanehold's hooks. */
export async function agentHealth(context: AppContext) {
  const all = (await installers()).map((it) => ({
    agent: it.name,
    title: it.title,
    foundBy: foundBy(it, context) ?? null,
    installed: scopesWithHooks(context, it),
    plugins: pluginsOf(it, context).flatMap(({ enabled, id }) => (enabled ? [id] : [])),
    enforcement: enforcementOf(it.capabilities),
    capabilities: it.capabilities,
  }));
  return all.filter((it) => it.foundBy !== null || it.installed.length > 0);
}

/** Finds gaps, after reading the agents' transcripts. */
export async function findHookGaps(context: AppContext): Promise<readonly HookGap[]> {
  const { env, now } = context;
  const { store, projectId, place } = await openProject(context);
  const { noteSilentSessions } = await import('../../moments/watch/silent-sessions.ts');
  await noteSilentSessions({ env, root: place.root, projectId }, store);
  return hookGaps({ env, root: place.root, now: now(), program: () => programName(env) }, store);
}
