/**
 * What agents and lanehold tell each other: what happened (`HookEvent`), and what lanehold answers
 * (`Reply`). An adapter translates both; no agent's own terms appear outside of its folder.
 */
import type { Environment } from '../base/environment.ts';
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

/** First argument of the hook program where it is started for a status line. */
export const STATUS_LINE = 'statusline';

interface EventOrigin {
  /** The agent's own id of the session; empty if it gave none. */
  readonly session: string;
  /** The agent's working directory; absolute. */
  readonly cwd: string;
  /** The sub-agent that does it, from agents that give it the id of the session. */
  readonly subAgent?: string | undefined;
  /** Path of the session's transcript, from agents that say it. */
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
    /** `outputBytes`: of the tool's answer as JSON, from agents that send it. */
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

/** What is `undefined` has not changed. */
interface ChangedTask {
  readonly id: string;
  readonly title: string | undefined;
  readonly status: TaskStatus | undefined;
}

/** A change to the task list of an agent. */
export type TaskChange =
  | (ChangedTask & { readonly of: 'one' })
  | { readonly of: 'several'; readonly tasks: readonly ChangedTask[] }
  /** Agents that write the whole list each time send this. */
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
      /** How long it may run, if the agent has said it. */
      readonly timeLimitMs?: number | undefined;
      /** The tool's input with another command in it; absent where none can be given. */
      readonly rewritten?: (command: string) => object;
    }
  /** Absolute paths of the files that the tool writes. */
  | { readonly tool: 'edit'; readonly paths: readonly string[] }
  /** A tool of an MCP server. */
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
  /** Nothing is granted here either: `input` takes the place of the tool's input, and `context` says why. */
  | { readonly decision: 'rewrite'; readonly input: object; readonly context: string }
  | { readonly decision: 'deny' | 'ask'; readonly reason: string };

/** Output and exit code of the hook process. */
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
  parse(event: EventName, payload: unknown, cwd: string, env?: Environment): HookEvent | undefined;
  /**
   * @param payload what `parse` was given, for agents that take one answer at one moment and another at
   * the next; `undefined` if there is none, or it was no JSON.
   */
  render(event: EventName, reply: Reply, payload?: unknown): HookOutput;
}
