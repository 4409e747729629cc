/** The installation of an agent whose hooks stand in a file of JSON, from where its files are and what is in them. */
import type { AgentInstall, InstallFile, Place, Scope, Signs } from '../install.ts';
import { type SettingsHooks, settingsHooks } from './entries.ts';
import type { HookStart } from './hook-shim.ts';
import { type Folders, placed } from './places.ts';
import { SKILLS, skillFiles } from './skills.ts';

/** Paths are those of `placed`. */
interface Spec
  extends SettingsHooks,
    Folders,
    Omit<AgentInstall, 'signs' | 'files' | 'settingsFilesInForce' | 'samples'> {
  readonly signs: Signs;
  /** The file with the hooks of the user, and of a project. */
  readonly file: Readonly<Partial<Record<Scope, string>>>;
  /** Folders of skills, by default those that many agents read. */
  readonly skills?: Readonly<Partial<Record<Scope, string>>>;
  /** Files behind that of the hooks. */
  readonly others?: (scope: Scope, place: Place, start: HookStart) => readonly InstallFile[];
  /** Every file whose hooks or switches count, by default those of `file`. */
  readonly inForce?: readonly string[];
  /** What a person has to do after an installation for a project. */
  readonly afterProject?: string;
  /** What `samples` of the entries are made of, for a folder. */
  readonly tried: (folder: string) => Parameters<ReturnType<typeof settingsHooks>['samples']>;
}

export interface SettingsInstall extends AgentInstall {
  /** Absolute. */
  hooksFile(scope: Scope, place: Place): string;
  /** The hooks of its plugin are the same. */
  readonly wanted: ReturnType<typeof settingsHooks>['wanted'];
}

export function agentInstall(spec: Spec): SettingsInstall {
  const { file, signs, tried, afterProject } = spec;
  const skills = { ...SKILLS, ...spec.skills };
  const { inForce = Object.values(file), others = () => [] } = spec;
  const hooks = settingsHooks(spec);
  const at = (path: string, place: Place) => placed(path, place, spec);
  const hooksFile = (scope: Scope, place: Place): string => at(file[scope] ?? '', place);
  return {
    ...spec,
    hooksFile,
    wanted: hooks.wanted,
    signs: (place) => ({ ...signs, folders: signs.folders.map((it) => at(it, place)) }),
    files(scope, place, start) {
      return [
        ...(file[scope] === undefined ? [] : [hooks.row(hooksFile(scope, place), start)]),
        ...others(scope, place, start),
        ...skillFiles(at(skills[scope], place)),
      ];
    },
    settingsFilesInForce: (place) => [...new Set(inForce.map((it) => at(it, place)))],
    ...(afterProject !== undefined && {
      afterwards: (scope) => (scope === 'project' ? [afterProject] : []),
    }),
    samples: (folder) => hooks.samples(...tried(folder)),
  };
}
