/**
 * The messages between agents and lanehold: what happened (`HookEvent`), and the answer (`Reply`).
 * An adapter translates both; no agent's own terms appear outside of its folder.
 */
import type { JsonObject } from '../base/text/json.ts';

/** The events that lanehold handles; also the first argument of the hook program. */
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

/** The first argument of the hook program if it is started for a status line. */
export const STATUS_LINE = 'statusline';

interface EventOrigin {
  /** The agent's own id of the session; empty if it gave none. */
  readonly session: string;
  /** The agent's working directory; absolute. */
  readonly cwd: string;
  /** The sub-agent that acts, from agents that give it the id of the session. */
  readonly subAgent?: string | undefined;
  /** The path of the session's transcript, from agents that give it. */
  readonly transcript?: string | undefined;
}

export type HookEvent = EventOrigin &
  (
    | {
        readonly kind: 'session-start';
        readonly source: 'new' | 'resumed' | 'cleared' | 'compacted';
      }
    /** `prompt`: the user's words, from agents that send them. */
    | { readonly kind: 'prompt-submit'; readonly prompt?: string | undefined }
    | { readonly kind: 'before-tool'; readonly call: ToolCall }
    /** `outputBytes`: the size of the tool's response as JSON, from agents that send it. */
    | {
        readonly kind: 'after-tool';
        readonly call: ToolCall;
        readonly failed: boolean;
        readonly outputBytes?: number;
      }
    /** `said`: the agent's last message, from agents that send it. */
    | { readonly kind: 'stop'; readonly continued: boolean; readonly said?: string | undefined }
    | { readonly kind: 'before-compact' }
    | { readonly kind: 'session-end'; readonly reason: string }
    | { readonly kind: 'tasks'; readonly change: TaskChange }
  );

/** A field that is `undefined` has not changed. */
interface ChangedTask {
  readonly id: string;
  readonly title: string | undefined;
  readonly status: TaskStatus | undefined;
}

export type TaskChange =
  | (ChangedTask & { readonly of: 'one' })
  | { readonly of: 'several'; readonly tasks: readonly ChangedTask[] }
  /** Sent by agents that write the whole list each time. */
  | {
      readonly of: 'all';
      readonly tasks: readonly { readonly title: string; readonly status: TaskStatus }[];
    };

export type TaskStatus = 'pending' | 'in_progress' | 'completed' | 'dropped';

export type ToolCall =
  /** `edited`: absolute paths that the agent reports as changed by the command; usually none. */
  | {
      readonly tool: 'shell';
      readonly command: string;
      readonly edited: readonly string[];
      readonly timeLimitMs?: number | undefined;
      /** The tool's input with another command; absent if the input cannot be replaced. */
      readonly rewritten?: (command: string) => object;
    }
  /** Absolute paths of the files that the tool writes. */
  | { readonly tool: 'edit'; readonly paths: readonly string[] }
  | {
      readonly tool: 'mcp';
      readonly server: string;
      readonly name: string;
      readonly input: JsonObject;
    }
  | { readonly tool: 'other'; readonly name: string };

/** `none` is no opinion: it never grants what the user's own settings would refuse. */
export type Reply =
  | { readonly decision: 'none'; readonly context?: string }
  /** The reply grants nothing either: `input` replaces the tool's input, and `context` says why. */
  | { readonly decision: 'rewrite'; readonly input: object; readonly context: string }
  | { readonly decision: 'deny' | 'ask'; readonly reason: string };

export interface HookOutput {
  readonly stdout: string;
  readonly stderr: string;
  readonly exitCode: number;
}

/** Translates between an agent and lanehold; decides nothing. */
export interface AgentAdapter {
  /**
   * Turns a payload into an event; `undefined` for an event that does not concern lanehold.
   *
   * @param payload the JSON value from stdin; not validated.
   * @param cwd the folder of the hook process.
   * @param env of the hook process.
   * @throws {PayloadError} if the payload of an event that can be denied cannot be understood.
   */
  parse(
    event: EventName,
    payload: unknown,
    cwd: string,
    env?: NodeJS.ProcessEnv,
  ): HookEvent | undefined;
  /**
   * @param payload the payload that `parse` got, for agents that take different answers at
   * different moments; `undefined` if there is none, or it was no JSON.
   */
  render(event: EventName, reply: Reply, payload?: unknown): HookOutput;
}
