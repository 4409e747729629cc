/** What an event is answered by: all of it is of the hook, and none of the process that answers. */
import type { HookOutput } from '../../agents/types.ts';
import type { Environment } from '../../base/environment.ts';
import type { EventStore } from '../../store/event-store.ts';

/** What a call that is answered says of how its effects are made. */
export interface Answered {
  readonly env: Environment;
  now(): Date;
  /** Opens the database at the first call, and gives the same connection at each; the caller closes it. */
  store(): Promise<EventStore>;
  /** Of the event, where another process may answer it as well. */
  readonly id: string | undefined;
  /** Whether somebody still waits for the answer: if not, nothing is changed. */
  isAwaited(): Promise<boolean>;
}

export interface HookCall extends Answered {
  /** Many events wait for this process. */
  readonly isResident?: boolean;
  readonly args: readonly string[];
  /**
   * Reads all of stdin.
   *
   * @param limitMs for an agent that may leave it open: how long to wait for a whole payload.
   * @throws {UnfinishedInput} if it has not come by then.
   */
  input(limitMs?: number): Buffer | Promise<Buffer>;
  /** @throws if the working directory has been deleted. */
  cwd(): string;
  onTerminal(): boolean;
  /** The words of the processes above, the nearest first. */
  parents(): Promise<readonly (readonly string[])[]>;
}

export type AnswerCall = (call: HookCall) => Promise<HookOutput>;
