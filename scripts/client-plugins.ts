/** Writes what makes this package a plugin of agents: manifests, hooks, and the script that they start. */
import { mkdirSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { agentsWith } from '../src/agents/registry.ts';
import {
  PLUGIN,
  PLUGIN_SCRIPT,
  type PluginAgent,
  pluginScript,
} from '../src/install/client-plugin.ts';
import { installers, scriptAgents } from '../src/install/targets.ts';
import { packageRoot, packageVersion } from '../src/package.ts';

/** Texts by their paths below the root of the package. */
export async function pluginFiles(): Promise<Readonly<Record<string, string>>> {
  const written: Record<string, string> = {};
  const agents: PluginAgent[] = [];
  const scripted = await scriptAgents();
  for (const { name, plugin } of await installers()) {
    const script = scripted.find((it) => it.name === name);
    const adapter = await agentsWith('hooks')
      .find((it) => it.name === name)
      ?.hooks.adapter();
    if (plugin === undefined || script === undefined || adapter === undefined) continue;
    Object.assign(written, plugin.files(packageVersion()));
    agents.push({
      ...script,
      removal: `${plugin.commands.remove} ${PLUGIN}@${PLUGIN}`,
      told: (context) => adapter.render('session-start', { decision: 'none', context }).stdout,
    });
  }
  return { ...written, [PLUGIN_SCRIPT]: pluginScript(agents) };
}

if (import.meta.main) {
  for (const [path, text] of Object.entries(await pluginFiles())) {
    const file = join(packageRoot(), path);
    mkdirSync(dirname(file), { recursive: true });
    writeFileSync(file, text);
  }
}
