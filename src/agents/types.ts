/**
 * The language between agents and lanehold: what happened (`HookEvent`), what lanehold says to it
 * (`Reply`), and what an adapter is. No agent's own words appear outside of its folder.
 */

/** The moments lanehold knows; also the first argument of the hook program. */
export const EVENT_NAMES = [
  'session-start',
  'prompt-submit',
  'before-tool',
  'after-tool',
  'after-tool-failure',
  'stop',
  'before-compact',
  'session-end',
  'task-created',
  'task-completed',
] as const;
export type EventName = (typeof EVENT_NAMES)[number];

interface Moment {
  /** The agent's own id of the conversation; empty when the agent gave none. */
  readonly session: string;
  /** Absolute folder the agent stands in at this moment. */
  readonly cwd: string;
}

export type HookEvent = Moment &
  (
    | {
        readonly kind: 'session-start';
        readonly source: 'new' | 'resumed' | 'cleared' | 'compacted';
      }
    | { readonly kind: 'prompt-submit' }
    | { readonly kind: 'before-tool'; readonly call: ToolCall }
    | { readonly kind: 'after-tool'; readonly call: ToolCall; readonly failed: boolean }
    | { readonly kind: 'stop'; readonly continued: boolean }
    | { readonly kind: 'before-compact' }
    | { readonly kind: 'session-end'; readonly reason: string }
    | { readonly kind: 'tasks'; readonly change: TaskChange }
  );

/** The list of things to do that an agent keeps for itself has changed. */
export type TaskChange =
  /** What is `undefined` stays as it is known. */
  | {
      readonly of: 'one';
      readonly id: string;
      readonly title: string | undefined;
      readonly status: TaskStatus | undefined;
    }
  /** For agents that write their list anew each time. */
  | {
      readonly of: 'all';
      readonly tasks: readonly { readonly title: string; readonly status: TaskStatus }[];
    };

export type TaskStatus = 'pending' | 'in_progress' | 'completed' | 'dropped';

export type ToolCall =
  /** `edited`: absolute paths the agent reports as changed by the command; usually unknown. */
  | { readonly tool: 'shell'; readonly command: string; readonly edited: readonly string[] }
  /** Absolute paths of the files that the tool writes. */
  | { readonly tool: 'edit'; readonly paths: readonly string[] }
  | { readonly tool: 'other'; readonly name: string };

/** `none` is no opinion: it never grants what the user's own settings would refuse. */
export type Reply =
  | { readonly decision: 'none'; readonly context?: string }
  | { readonly decision: 'deny' | 'ask'; readonly reason: string };

/** What the hook process does last; everything the agent may read is in here. */
export interface HookOutput {
  readonly stdout: string;
  readonly stderr: string;
  readonly exitCode: number;
}

/** Translates between an agent and lanehold; decides nothing. */
export interface AgentAdapter {
  /**
   * Turns a payload into an event, or `undefined` when lanehold has nothing to do with it.
   *
   * @param payload what JSON.parse made of stdin: any value, hostile until checked.
   * @throws {PayloadError} when the payload of a guarded moment cannot be understood.
   */
  parse(event: EventName, payload: unknown, cwd: string): HookEvent | undefined;
  render(event: EventName, reply: Reply): HookOutput;
}
