/**
 * The tools that can make work leave the machine, in families. A family's table is made when a command
 * names one of its programs: most commands name none, and a hook starts for each.
 */
import { words } from '../../base/text/options.ts';
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

const FAMILIES: readonly (() => readonly Tool[])[] = [
  gitTools,
  forgesTools,
  webTools,
  versionControlTools,
  javascriptRegistriesTools,
  pythonRegistriesTools,
  jvmRegistriesTools,
  languageRegistriesTools,
  appStoresTools,
  containersTools,
  hostsTools,
  infrastructureTools,
  platformsTools,
  cloudsTools,
  releaseTools,
];

/** In a bundle, the answer of `programsByFamily` when it was built: no table is made to look it up. */
declare const PROGRAMS_BY_FAMILY: readonly string[] | undefined;

export function programsByFamily(): readonly string[] {
  if (typeof PROGRAMS_BY_FAMILY !== 'undefined') return PROGRAMS_BY_FAMILY;
  return FAMILIES.map((makeTable) => {
    const names = makeTable().flatMap((tool) => tool.names.split(' '));
    return [...new Set(names)].join(' ');
  });
}

let programs: readonly ReadonlySet<string>[] | undefined;
const tables: (readonly Tool[])[] = [];

export function toolsNamed(name: string): readonly Tool[] {
  programs ??= programsByFamily().map(words);
  return programs.flatMap((names, at) => {
    if (!names.has(name)) return [];
    tables[at] ??= FAMILIES[at]?.() ?? [];
    return tables[at].filter((tool) => words(tool.names).has(name));
  });
}

/** Every table, for the tests of the rules. */
export const allTools = (): readonly Tool[] => FAMILIES.flatMap((makeTable) => makeTable());
