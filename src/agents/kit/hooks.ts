/** Makes the hooks of an agent from its capabilities, its own names, and its forms of answers. */
import type { AgentHooks } from '../definition.ts';
import type { EventName } from '../types.ts';
import { type AnswerForms, renderer } from './hook-output.ts';
import type { EventReader, PayloadReader, Tools } from './payload.ts';

/** An agent's own names of the events: in settings, and in most agents also in payloads and answers. */
export type EventNames = Readonly<Partial<Record<EventName, string | readonly string[]>>>;

interface Spec extends Omit<AgentHooks, 'adapter'> {
  readonly events: EventNames;
  readonly answers: AnswerForms;
  /** The longest text that it shows to its model, in UTF-16 units. */
  readonly maxUnits?: number;
  /** Reads payloads that have more than the usual fields. */
  readonly read?: EventReader;
}

export interface NamedHooks extends AgentHooks {
  readonly events: EventNames;
  readonly tools: Tools;
}

export function agentHooks(
  at: PayloadReader,
  { answers, maxUnits, read, ...known }: Spec,
): NamedHooks {
  const usual: EventReader = (event, payload, cwd) =>
    at.usual(event, payload, at.origin(payload, cwd));
  const render = renderer(known.capabilities, answers, maxUnits);
  return { ...known, tools: at.tools, adapter: { parse: at.parser(read ?? usual), render } };
}
