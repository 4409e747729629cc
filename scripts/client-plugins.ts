/** Writes what makes this package a plugin of agents: manifests, hooks, and the script that they start. */
import { globSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { PLUGIN_SCRIPT } from '../src/agents/kit/client-plugin.ts';
import { agentsWith } from '../src/agents/registry.ts';
import { packageRoot, packageVersion } from '../src/base/files/package.ts';
import { type PluginAgent, pluginScript } from '../src/install/client-plugin.ts';
import { installers, scriptAgents } from '../src/install/targets.ts';

/** Texts by their paths below the root of the package. */
export async function pluginFiles(): Promise<Readonly<Record<string, string>>> {
  const written: Record<string, string> = {};
  const agents: PluginAgent[] = [];
  const folders: string[] = [];
  const scripted = await scriptAgents();
  for (const { name, plugin } of await installers()) {
    const script = scripted.find((it) => it.name === name);
    const adapter = await agentsWith('hooks')
      .find((it) => it.name === name)
      ?.hooks.adapter();
    if (plugin === undefined || script === undefined || adapter === undefined) continue;
    const { folder = '.' } = plugin;
    for (const [path, text] of Object.entries(plugin.files(packageVersion()))) {
      written[join(folder, path)] = text;
    }
    if (folder !== '.') folders.push(folder);
    agents.push({
      ...script,
      folder: plugin.folder,
      removal: `${plugin.commands.remove} ${plugin.id}`,
      told: (context) => adapter.render('session-start', { decision: 'none', context }).stdout,
    });
  }
  const shared = { [PLUGIN_SCRIPT]: pluginScript(agents) };
  // A client that takes one folder alone needs them there.
  const skills = globSync('skills/*/SKILL.md', { cwd: packageRoot() }).toSorted();
  const copied = { ...shared, ...Object.fromEntries(skills.map((it) => [it, textOf(it)])) };
  for (const folder of folders) {
    for (const [path, text] of Object.entries(copied)) written[join(folder, path)] = text;
  }
  return { ...written, ...shared };
}

const textOf = (path: string): string => readFileSync(join(packageRoot(), path), 'utf8');

if (import.meta.main) {
  for (const [path, text] of Object.entries(await pluginFiles())) {
    const file = join(packageRoot(), path);
    mkdirSync(dirname(file), { recursive: true });
    writeFileSync(file, text);
  }
}
