/** Our entries in settings: the line of each, and the elements that most agents have for them. */
import type { Sample } from '../install.ts';
import type { AgentAdapter, EventName } from '../types.ts';
import { type HookStart, shimCommandLine } from './hook-shim.ts';
import { inGroup, type WantedHook } from './json-hooks.ts';

/** The command that an entry starts at an event. */
export type LineOf = (event: EventName) => string;

/** @param line how the line is made. */
export const linesOf =
  (agent: string, adapter: Pick<AgentAdapter, 'render'>, line = shimCommandLine) =>
  (start: HookStart, settings: string): LineOf =>
  (event) =>
    line(start, settings, { given: [event, '--agent', agent], adapter });

export interface EventTable {
  /** The agent's own names. */
  readonly events: Readonly<Partial<Record<EventName, string | readonly string[]>>>;
  /** Limits are in the unit of the agent; `other` holds for every event that is not named. */
  readonly timeouts: Readonly<Partial<Record<EventName | 'other', number>>>;
  /** Patterns for the names of tools. */
  readonly matchers?: Readonly<Partial<Record<EventName, string>>>;
}

/**
 * An entry for each event.
 *
 * @param put makes the element of a list from an entry.
 * @param more members of the entry of an event.
 */
export function entriesFor(
  { events, timeouts, matchers = {} }: EventTable,
  lineOf: LineOf,
  put: (name: string, entry: object, matcher?: string) => WantedHook = inGroup,
  more: (event: EventName) => object = () => ({}),
): WantedHook[] {
  return (Object.keys(events) as EventName[]).flatMap((event) => {
    const timeout = timeouts[event] ?? timeouts.other;
    const entry = { type: 'command', command: lineOf(event), timeout, ...more(event) };
    return [events[event] ?? []].flat().map((name) => put(name, entry, matchers[event]));
  });
}

/** Payloads that have the name of the event in `hook_event_name`. */
export function samplesFor(
  events: EventTable['events'],
  common: object,
  fields: Readonly<Partial<Record<EventName, object>>>,
  env: Sample['env'] = {},
): readonly Sample[] {
  return (Object.keys(fields) as EventName[]).map((as) => {
    const event = String([events[as] ?? []].flat()[0]);
    return { event, as, payload: { ...common, hook_event_name: event, ...fields[as] }, env };
  });
}
