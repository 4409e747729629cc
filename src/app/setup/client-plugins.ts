/** lanehold as a plugin that an agent's client has installed: whether it holds, and how it is removed. */
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import type { InstalledPlugin, Place } from '../../agents/install.ts';
import { PLUGIN_SCRIPT, pluginHooks } from '../../agents/kit/client-plugin.ts';
import { attempt } from '../../base/errors.ts';
import { packageRoot, packageVersion } from '../../base/files/package.ts';
import { readText } from '../../base/files/user-files.ts';
import { projectPlace } from '../../base/git/project.ts';
import { run } from '../../base/process/run.ts';
import { age } from '../../base/text/time.ts';
import type { Installer } from '../../install/targets.ts';
import {
  broken,
  checkHookRuns,
  type Finding,
  trustFinding,
  warning,
} from '../../install/verify.ts';
import { expectedAgents } from '../../moments/watch/expected.ts';
import { lastEvent } from '../../moments/watch/trace.ts';
import type { AppContext } from '../context.ts';

/** All plugins, those that are switched off included. */
export function pluginsOf({ plugin }: Installer, place: Place): readonly InstalledPlugin[] {
  return attempt(() => plugin?.installed(place)) ?? [];
}

export const hasPlugin = (installer: Installer, place: Place): boolean =>
  pluginsOf(installer, place).some(({ enabled }) => enabled);

/** `the plugin lanehold@place of Agent: agent plugin remove lanehold@place` for each. */
export function pluginsLeft(installer: Installer, place: Place): readonly string[] {
  return pluginsOf(installer, place).map(
    ({ id }) =>
      `the plugin ${id} of ${installer.title}, which its own command removes: \`${removal(installer, id)}\``,
  );
}

const removal = ({ plugin }: Installer, id: string): string => `${plugin?.commands.remove} ${id}`;

/** The finding if the settings have hooks as well. */
export function besidePlugin(installer: Installer, place: Place): Finding[] {
  const there = pluginsOf(installer, place).filter(({ enabled }) => enabled);
  return there.map(({ id }) => {
    const fact = `${installer.title} has lanehold twice, in its settings and as the plugin ${id}; the plugin leaves each event to the settings`;
    return warning('plugin', fact, `take the plugin away: \`${removal(installer, id)}\``);
  });
}

/** @param hasHooks whether the settings of the agent have hooks as well. */
export async function checkPlugins(context: AppContext, installer: Installer, hasHooks: boolean) {
  const plugins = pluginsOf(installer, context);
  if (plugins.length === 0 && !hasHooks) return checkRemoved(context, installer);
  const findings: Finding[] = hasHooks ? besidePlugin(installer, context) : [];
  for (const it of plugins) findings.push(...(await checkPlugin(context, installer, it, hasHooks)));
  return findings;
}

/** Reports a plugin whose hooks have run, and that is gone. */
function checkRemoved(
  { env, cwd, now }: AppContext,
  { name, title, plugin }: Installer,
): Finding[] {
  if (plugin === undefined) return [];
  const expected = expectedAgents(env, projectPlace(cwd).root);
  const at = lastEvent(env, name);
  if (at === undefined || !expected.some(({ agent }) => agent === name)) return [];
  const fact = `${title} has no hooks of lanehold any more; the last ran ${age(at, now())}: its plugin was removed`;
  const hint = `run \`lanehold install --agent ${name}\`; if it was on purpose, \`lanehold uninstall --agent ${name}\``;
  return [broken('plugin', fact, hint)];
}

async function checkPlugin(
  { env, cwd }: AppContext,
  installer: Installer,
  installed: InstalledPlugin,
  hasHooks: boolean,
): Promise<Finding[]> {
  const { plugin, title } = installer;
  if (plugin === undefined) return [];
  const { id, enabled, file, root, env: own } = installed;
  const { install, enable = install } = plugin.commands;
  const finding = (state: Finding['state'], fact: string, hint?: string): Finding => ({
    check: 'plugin',
    state: state === 'broken' && hasHooks ? 'warning' : state,
    fact: `the plugin ${id} ${fact}`,
    hint,
  });
  if (!enabled) return [finding('broken', `is switched off in ${file}`, `\`${enable} ${id}\``)];
  const again = `\`${removal(installer, id)}\`, then \`${install} ${id}\``;
  const hooks = root === undefined ? undefined : join(root, plugin.hooks);
  if (root === undefined || hooks === undefined || !existsSync(hooks)) {
    return [finding('broken', `leads nowhere: ${hooks ?? 'its folder'} is gone`, again)];
  }
  const text = readText(hooks) ?? '';
  const withPlugin = { ...env, ...own };
  const started = await startedBy(root, { env: withPlugin, cwd });
  if (started.folder === undefined) {
    const fact = `starts nothing, and only refuses: ${started.why}`;
    return [finding('broken', fact, '`npm install -g lanehold`')];
  }
  const { folder: used } = started;
  const findings = [finding('ok', `is run from ${root}, and starts ${used}`)];
  if (text !== plugin.files(packageVersion())[plugin.hooks]) {
    const fact = `has other hooks in ${hooks} than this version, ${packageVersion()}`;
    findings.push(finding('broken', fact, again));
  } else if (existsSync(join(used, 'package.json')) && used !== packageRoot()) {
    findings.push(finding('warning', `does not start this lanehold, ${packageRoot()}`, again));
  }
  const found = pluginHooks(text);
  const start = { node: '', hook: '', script: '' };
  const trust = plugin.trust?.(installed, { env, cwd });
  return [
    ...findings,
    ...(trust === undefined || hasHooks ? [] : [trustFinding(title, trust)]),
    ...(await checkHookRuns(installer, { file: hooks, found, start }, withPlugin)),
  ];
}

/** The folder of the lanehold that a plugin starts, or a program. */
async function startedBy(root: string, { env, cwd }: Place) {
  const script = join(root, PLUGIN_SCRIPT);
  const said = await run('/bin/sh', [script, 'which'], { cwd, env, timeoutMs: 5_000 });
  if (said.kind === 'failed') return { why: said.why };
  if (said.exitCode !== 0) return { why: said.stderr.trim() };
  return { folder: said.stdout.toString('utf8').trim() };
}
