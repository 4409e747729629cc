/** A lane as it is typed: options of a command line, or fields of a plan. */
import type { LaneSpec } from '../../store/lanes.ts';
import { amountOf, countOf, defined, durationOf, given, priorityOf } from '../values.ts';

export const TEXTS = [
  'notes',
  'agent',
  'model',
  'effort',
  'validate',
  'validateCwd',
  'setup',
  'validateTimeout',
  'timeout',
  'turns',
  'tokens',
  'usd',
  'ports',
  'priority',
  'changesBehaviour',
  'on',
] as const;
export const LISTS = ['touches', 'reads', 'needs'] as const;
export const SWITCHES = ['overlap', 'removesTests'] as const;

export type WrittenSpec = { readonly desc?: string | undefined } & {
  readonly [Name in (typeof TEXTS)[number]]?: string | undefined;
} & { readonly [Name in (typeof LISTS)[number]]?: readonly string[] | undefined } & {
  readonly [Name in (typeof SWITCHES)[number]]?: boolean | undefined;
};

/** @throws {UsageError} if a number or a time cannot be read. */
export function specOf(written: WrittenSpec) {
  const { desc, notes, agent, model, effort, validate, validateCwd, setup, on } = written;
  const { touches, reads, needs, changesBehaviour } = written;
  const seconds = (text: string) => Math.ceil(durationOf(text) / 1000);
  const spec: Partial<LaneSpec> = {
    ...defined({ desc, notes, agent, model, effort, validate, validateCwd, setup, on }),
    ...defined({
      touches,
      reads,
      needs,
      changesBehaviour,
      ports: given(countOf, written.ports),
      timeoutS: given(seconds, written.timeout),
      validateTimeoutS: given(seconds, written.validateTimeout),
    }),
    budget: defined({
      turns: given(countOf, written.turns),
      tokens: given(countOf, written.tokens),
      usd: given(amountOf, written.usd),
    }),
    ...(written.overlap ? { overlaps: 'allowed' } : {}),
    ...(written.removesTests ? { removesTests: 'declared' } : {}),
  };
  return { spec, priority: given(priorityOf, written.priority) };
}
