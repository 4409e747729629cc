/**
 * Makes the hooks of an agent from its capabilities, its own names, and its forms of answers. This and the adapters are
 * on the hook path: they import nothing but types, `node:path` and the reading of payloads.
 */
import type { AgentHooks, Capabilities } from '../definition.ts';
import type { AgentAdapter, EventName, HookOutput } from '../types.ts';
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

export const SILENT: HookOutput = { stdout: '', stderr: '', exitCode: 0 };

export function jsonOutput(answer: object, exitCode = 0): HookOutput {
  return { stdout: JSON.stringify(answer), stderr: '', exitCode };
}

/** A denial for agents that read an exit code, and the reason on stderr. */
export function refusedOnStderr(reason: string): HookOutput {
  return { stdout: '', stderr: reason, exitCode: 2 };
}

/** The form of answers that several agents share. */
export function specific(hookEventName: string | undefined, fields: object): object {
  return { hookSpecificOutput: { hookEventName, ...fields } };
}

export const decided = (decision: 'deny' | 'ask', reason: string): object => ({
  permissionDecision: decision,
  permissionDecisionReason: reason,
});

/** Answers in that form, with the agent's own name of the event. */
export function specificAnswers(events: Readonly<Partial<Record<EventName, unknown>>>) {
  const answer = (event: EventName, fields: object, more: object = {}): HookOutput => {
    const [name] = [events[event]].flat();
    return jsonOutput({ ...more, ...specific(name === undefined ? name : String(name), fields) });
  };
  return {
    answer,
    told: (event: EventName, text: string) => answer(event, { additionalContext: text }),
    denied: (event: EventName, reason: string) => ({
      ...answer(event, decided('deny', reason)),
      exitCode: 2,
    }),
    asked: (event: EventName, reason: string) => answer(event, decided('ask', reason)),
  };
}

/**
 * The longest text that lanehold gives to an agent, in UTF-16 units. One agent writes a text of 10,000 to a file
 * instead of showing it, another keeps 10,240 bytes of it, and most manuals name no limit.
 */
const MOST_UNITS = 9_900;

/** An agent's own forms of answers. Texts have at most the length that it shows to its model. */
export interface AnswerForms {
  /** The output without an answer; empty output if it is absent. */
  readonly silence?: (event: EventName) => HookOutput;
  /** Gives text to the model, at the events at which the agent takes it. */
  readonly told: (event: EventName, text: string) => HookOutput;
  readonly denied: (event: EventName, reason: string, payload: unknown) => HookOutput;
  /** Returns `undefined` if no person would see the question. Absent if the agent cannot ask. */
  readonly asked?: (event: EventName, reason: string, payload: unknown) => HookOutput | undefined;
  /** Absent if the input cannot be replaced: then the command is denied. */
  readonly rewritten?: (event: EventName, input: object, text: string) => HookOutput;
}

/**
 * Renders a reply. What an agent cannot do becomes the next thing that it can: a question becomes a
 * denial, and a denial becomes a text, if it takes one.
 */
export function renderer(
  { denies, takesContext }: Capabilities,
  { silence = () => SILENT, told, denied, asked, rewritten }: AnswerForms,
  maxUnits = MOST_UNITS,
): AgentAdapter['render'] {
  return (event, reply, payload) => {
    const clipped = (it: string) => clippedText(it, maxUnits);
    const text = 'reason' in reply ? reply.reason : reply.context;
    if (reply.decision === 'none' || !denies.includes(event)) {
      const isTold = text !== undefined && text.trim() !== '' && takesContext.includes(event);
      return isTold ? told(event, clipped(text)) : silence(event);
    }
    switch (reply.decision) {
      case 'rewrite':
        return (
          rewritten?.(event, reply.input, clipped(reply.context)) ??
          denied(event, clipped(reply.context), payload)
        );
      case 'ask':
        return (
          asked?.(event, clipped(asQuestion(reply.reason)), payload) ??
          denied(event, clipped(questionAsDenial(reply.reason)), payload)
        );
      case 'deny':
        return denied(event, clipped(reply.reason), payload);
    }
  };
}

const CLIPPED = '\n… (cut short)';

/**
 * The text without leading blank lines, because collapsed views show only the first line.
 *
 * @param maxUnits the most that the agent shows to its model, in UTF-16 units.
 */
export function clippedText(text: string, maxUnits: number): string {
  const trimmed = text.trim();
  if (trimmed.length <= maxUnits) return trimmed;
  const kept = trimmed.slice(0, maxUnits - CLIPPED.length);
  // Half of a surrogate pair would reach the model as a replacement character.
  return kept.replace(/[\uD800-\uDBFF]$/, '') + CLIPPED;
}

/** The text of a question to a person. If nobody can be asked, the model gets it, too. */
export const asQuestion = (question: string): string =>
  `${question.trim()}\nA person can agree to it here, or do it in a terminal of their own.`;

function questionAsDenial(question: string): string {
  const held = question.trim().replace(/^lanehold asks(?: before)?\b/, 'lanehold holds');
  return `${held}\nNobody can be asked from here: a person has to do it in a terminal of their own.`;
}
