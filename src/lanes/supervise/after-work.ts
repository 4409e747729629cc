/** Decides what follows from the way a worker ended. Pure. */
import type { WorkerOutcome } from '../../agents/worker/worker.ts';
import type { EndReason } from '../../store/attempts.ts';
import type { Ending } from './finish.ts';

export interface WorkEnd {
  readonly outcome: WorkerOutcome;
  /** The tree differs from the commit that the attempt started at. */
  readonly changed: boolean;
  /** Why the supervisor stopped it; `undefined` if it ended by itself. */
  readonly stop: { readonly kind: string; readonly why: string } | undefined;
  readonly exit: { readonly code: number | null; readonly source: string | null };
}

export type Next = { readonly flags: readonly string[] } & (
  | { readonly kind: 'prove' }
  | ({ readonly kind: 'end' } & Ending)
);

export function afterWork({ outcome, changed, stop, exit }: WorkEnd): Next {
  if (stop !== undefined) return { kind: 'end', flags: [], ...afterStop(stop) };
  const flags = flagsOf(exit);
  const end = (reason: EndReason, detail: string, again?: 'yes'): Next => {
    return { kind: 'end', flags, reason, detail, ...(again === undefined ? {} : { again }) };
  };
  const { kind, evidence } = outcome;
  switch (kind) {
    case 'quota':
      return end('parked', `quota: ${evidence}`);
    case 'budget':
      return end('parked', `budget: ${evidence}`);
    case 'auth':
      return end('auth', evidence);
    case 'context-overflow':
      return end('context_overflow', evidence);
    case 'transient':
      return end('crashed', `transient: ${evidence}`, 'yes');
    case 'refused':
      return changed ? { kind: 'prove', flags: [...flags, 'refused'] } : end('refused', evidence);
    case 'crashed':
      return changed ? { kind: 'prove', flags } : end('crashed', evidence);
    case 'empty':
    case 'ok':
      return changed ? { kind: 'prove', flags } : end('rejected', 'no_change: nothing was changed');
  }
}

function afterStop({ kind, why }: { readonly kind: string; readonly why: string }): Ending {
  switch (kind) {
    case 'budget':
    case 'paused':
    case 'disk':
      return { reason: 'parked', detail: `${kind}: ${why}` };
    case 'stalled':
    case 'lost':
      return { reason: kind, detail: why };
    default:
      return { reason: 'timeout', detail: why };
  }
}

/** A worker that failed may still have done good work; the reader of a verdict should know. */
function flagsOf({ code, source }: WorkEnd['exit']): string[] {
  if (source === 'unknown' || code === null) return ['exit-unknown'];
  return code === 0 ? [] : [`exit-${code}`];
}
