/** Our entries in the settings of an agent: the line of each, and the elements that most agents have for them. */
import type { InstallFile, Sample } from '../install.ts';
import type { EventName } from '../types.ts';
import { type HookStart, shimCommandLine } from './hook-shim.ts';
import type { EventNames, NamedHooks } from './hooks.ts';
import { inGroup, type JsonHooks, jsonHooks, type WantedHook } from './json-hooks.ts';
import type { Tools } from './payload.ts';

/** The command that an entry starts at an event. */
export type LineOf = (event: EventName) => string;

export interface Entry {
  readonly type: 'command';
  readonly command: string;
  readonly timeout: number | undefined;
}

export interface SettingsHooks extends Omit<JsonHooks, 'wanted'> {
  /** Its adapter says how a command is refused where nothing can be started. */
  readonly hooks: NamedHooks;
  /** How the line of an entry is made. */
  readonly line?: typeof shimCommandLine;
  /** Other names of the events than those of `hooks`. */
  readonly events?: EventNames;
  /** Limits are in the unit of the agent, by default seconds; `other` holds for every event that is not named. */
  readonly timeouts?: Readonly<Partial<Record<EventName | 'other', number>>>;
  /** Patterns for the names of tools. */
  readonly matchers?: (tools: Tools) => Readonly<Partial<Record<EventName, string>>>;
  /** Makes the element of a list from an entry. */
  readonly put?: (name: string, entry: Entry, matcher?: string) => WantedHook;
  /** Members of the entry of an event. */
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

    /** The row of a file that has them. */
    row(path: string, start: HookStart, what = 'hooks'): InstallFile {
      const lineOf = (event: EventName) =>
        line(start, path, { given: [event, '--agent', agent], adapter });
      const editor = jsonHooks({ agent, wanted: wanted(lineOf), ...file });
      return { file: path, what, editor };
    },

    /**
     * Payloads that have the agent's own name of their event.
     *
     * @param field in which it stands.
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
