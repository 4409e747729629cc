/** The entries that lanehold adds to the settings of an agent, and the paths of the settings. */
import type { AgentInstall, InstallFile, Place, Sample, Scope, Signs } from '../install.ts';
import type { EventName } from '../types.ts';
import { type HookStart, shimCommandLine } from './hook-shim.ts';
import type { EventNames, NamedHooks } from './hooks.ts';
import { inGroup, type JsonHooks, jsonHooks, type WantedHook } from './json-hooks.ts';
import type { Tools } from './payload.ts';
import { type Folders, placed } from './places.ts';
import { SKILLS, skillFiles } from './skills.ts';

/** The command that an entry starts at an event. */
export type LineOf = (event: EventName) => string;

export interface Entry {
  readonly type: 'command';
  readonly command: string;
  readonly timeout: number | undefined;
}

export interface SettingsHooks extends Omit<JsonHooks, 'wanted'> {
  /** The hooks whose adapter says how a command is refused if nothing can be started. */
  readonly hooks: NamedHooks;
  readonly line?: typeof shimCommandLine;
  /** Names of the events that differ from those of `hooks`. */
  readonly events?: EventNames;
  /** Time limits in the unit of the agent, by default seconds; `other` holds for every event that is not named. */
  readonly timeouts?: Readonly<Partial<Record<EventName | 'other', number>>>;
  readonly matchers?: (tools: Tools) => Readonly<Partial<Record<EventName, string>>>;
  /** Makes the element of a list from an entry. */
  readonly put?: (name: string, entry: Entry, matcher?: string) => WantedHook;
  /** Additional members of the entry of an event. */
  readonly more?: (event: EventName) => object;
}

const TIMEOUTS = { 'before-tool': 60, stop: 30, other: 15 };

/** A pattern for whole names, for agents that otherwise match a part of one. */
export const whole = (...names: readonly string[]): string => `^(${names.join('|')})$`;

export function settingsHooks({ hooks, line = shimCommandLine, ...spec }: SettingsHooks) {
  const { adapter, tools } = hooks;
  const { agent, events = hooks.events, put = inGroup, more = () => ({}), ...file } = spec;
  const timeouts: SettingsHooks['timeouts'] = spec.timeouts ?? TIMEOUTS;
  const matchers = spec.matchers?.(tools) ?? {};
  const namesOf = (event: EventName) => [events[event] ?? []].flat();
  const wanted = (lineOf: LineOf): readonly WantedHook[] =>
    (Object.keys(events) as EventName[]).flatMap((event) => {
      const timeout = timeouts[event] ?? timeouts.other;
      const entry = { type: 'command', command: lineOf(event), timeout, ...more(event) } as const;
      return namesOf(event).map((name) => put(name, entry, matchers[event]));
    });
  return {
    wanted,

    row(path: string, start: HookStart, what = 'hooks'): InstallFile {
      const lineOf = (event: EventName) =>
        line(start, path, { given: [event, '--agent', agent], adapter });
      const editor = jsonHooks({ agent, wanted: wanted(lineOf), ...file });
      return { file: path, what, editor };
    },

    /**
     * Payloads with the agent's own name of their event.
     *
     * @param field the field with that name.
     */
    samples: (
      common: object,
      fields: Readonly<Partial<Record<EventName, object>>>,
      env: Sample['env'] = {},
      field = 'hook_event_name',
    ): readonly Sample[] =>
      (Object.keys(fields) as EventName[]).map((as) => {
        const [event = ''] = namesOf(as);
        return { event, as, payload: { ...common, [field]: event, ...fields[as] }, env };
      }),
  };
}

/** How an agent is installed. Paths are written as `placed` reads them. */
interface Spec
  extends SettingsHooks,
    Folders,
    Omit<AgentInstall, 'signs' | 'files' | 'settingsFilesInForce' | 'samples'> {
  readonly signs: Signs;
  /** The file with the hooks of the user, and of a project. */
  readonly file: Readonly<Partial<Record<Scope, string>>>;
  /** Folders of skills, by default those that many agents read. */
  readonly skills?: Readonly<Partial<Record<Scope, string>>>;
  /** Files that are written after that of the hooks. */
  readonly others?: (scope: Scope, place: Place, start: HookStart) => readonly InstallFile[];
  /** Every file whose hooks or switches count, by default those of `file`. */
  readonly inForce?: readonly string[];
  /** What a person has to do after an installation for a project. */
  readonly afterProject?: string;
  /** The parameters of `samples`, for a folder. */
  readonly tried: (folder: string) => Parameters<ReturnType<typeof settingsHooks>['samples']>;
}

export interface SettingsInstall extends AgentInstall {
  /** The absolute path of the file with the hooks. */
  hooksFile(scope: Scope, place: Place): string;
  /** The hooks, which are the same in the agent's plugin. */
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
