import { rowsByName } from '../by-name.ts';
import { knownProgram } from '../known-programs.ts';
import { appStoresTools } from './app-stores.ts';
import { cloudsTools } from './clouds.ts';
import { containersTools } from './containers.ts';
import { forgesTools, webTools } from './forges.ts';
import { hostsTools } from './hosts.ts';
import { infrastructureTools } from './infrastructure.ts';
import { platformsTools } from './platforms.ts';
import {
  javascriptRegistriesTools,
  jvmRegistriesTools,
  languageRegistriesTools,
  pythonRegistriesTools,
} from './registries.ts';
import { releaseTools } from './release-tools.ts';
import type { Tool } from './rule.ts';
import { gitTools, versionControlTools } from './version-control.ts';

/**
 * The tools that can make work leave the machine, in families. The tables are built when the first
 * command is read: most starts of the program read none.
 */
export const allTools = (): readonly Tool[] =>
  [
    ...[gitTools, forgesTools, webTools, versionControlTools],
    ...[javascriptRegistriesTools, pythonRegistriesTools, jvmRegistriesTools],
    ...[languageRegistriesTools, appStoresTools, containersTools, hostsTools],
    ...[infrastructureTools, platformsTools, cloudsTools, releaseTools],
  ].flatMap((makeTable) => makeTable());

let tools: ReadonlyMap<string, readonly Tool[]> | undefined;

export function toolsNamed(name: string): readonly Tool[] {
  // The tables take two milliseconds, and no program that only reads is in them.
  if (knownProgram(name)?.readsOnly) return [];
  tools ??= rowsByName(allTools());
  return tools.get(name) ?? [];
}
