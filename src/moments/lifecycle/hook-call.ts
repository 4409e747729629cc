/** The inputs of the answer to an event: all of them belong to the hook, and none to the process that answers. */
import type { HookOutput } from '../../agents/types.ts';
import type { EventStore } from '../../store/event-store.ts';

/** A call that is being answered, and how its effects are made. */
export interface Answered {
  readonly env: NodeJS.ProcessEnv;
  now(): Date;
  /** Opens the database at the first call, and gives the same connection at each; the caller closes it. */
  store(): Promise<EventStore>;
  /** The id of the event, if another process may answer it as well. */
  readonly id: string | undefined;
  /** Whether somebody still waits for the answer; otherwise nothing is changed. */
  isAwaited(): Promise<boolean>;
}

export interface HookCall extends Answered {
  /** The process answers many events. */
  readonly isResident?: boolean;
  readonly args: readonly string[];
  /**
   * Reads all of stdin.
   *
   * @param limitMs the time for a whole payload, for an agent that may leave the input open.
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
