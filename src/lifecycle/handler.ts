/** What a handler of a moment is given, and what it gives back. */
import type { HookEvent, Reply } from '../agents/types.ts';
import type { Environment } from '../environment.ts';
import type { Store } from '../store/open.ts';

export interface Caller {
  readonly agent: string;
  readonly env: Environment;
  readonly now: () => Date;
  /** Opens the store, once, when a handler first needs it. */
  readonly store: () => Promise<Store>;
}

export type Handler<Kind extends HookEvent['kind']> = (
  event: HookEvent & { kind: Kind },
  caller: Caller,
) => Promise<Reply>;

export const NO_OPINION: Reply = { decision: 'none' };
