/**
 * A worker of a lane: a program of one agent, started once with a prompt, followed by the lines
 * that it prints, and judged when it has ended.
 *
 * The code of an agent translates in both directions and starts nothing. An outcome tells what to
 * do next with the agent; git and the validation tell what its work is worth.
 */
import type { Budget } from '../../store/lanes.ts';
import type { TaskStatus } from '../types.ts';

/** `edit`: change files of the worktree and run the allowed commands; `full`: everything. */
export type Permissions = 'edit' | 'full';

export interface WorkerRequest {
  /** Absolute, outside of the worktree. */
  readonly promptFile: string;
  readonly lane: string;
  readonly worktree: string;
  readonly dir: string;
  /** A new UUID, for agents that let the caller choose. */
  readonly sessionId: string;
  /** The agent's own id of the session to resume. */
  readonly resume: string | undefined;
  readonly model?: string | undefined;
  readonly effort?: string | undefined;
  readonly permissions: Permissions;
  /** Command lines that the worker may run without being asked, such as the validation. */
  readonly allow: readonly string[];
  readonly caps: Budget;
  /** The user's own arguments for this agent; they come after ours. */
  readonly args: readonly string[];
  /** The agent's usual program, or the one in the settings. */
  readonly program: string;
  /** What `workerEnvironment` returned. */
  readonly env: NodeJS.ProcessEnv;
}

export interface WorkerLaunch {
  readonly program: string;
  readonly args: readonly string[];
  readonly env: Record<string, string>;
  /** `undefined`: no input. Some agents never start while stdin is open. */
  readonly stdinFile: string | undefined;
  /** Files that are written, readable by the owner alone, before the program starts. */
  readonly files: readonly LaunchFile[];
}

export type LaunchFile = Readonly<Record<'path' | 'content', string>>;

/** `input` counts the tokens that were not read from the cache. */
export type Tokens = Readonly<Record<'input' | 'output' | 'cacheRead' | 'cacheWrite', number>>;

/** What a session has used so far, in all runs that resumed it. */
export interface SessionUse {
  readonly tokens?: Tokens;
  readonly usd?: number;
}

export interface WorkerTask {
  readonly title: string;
  readonly status: TaskStatus;
}

export interface WorkerProgress {
  /** The id with which the session can be resumed, once the stream has named it. */
  readonly sessionId: string | undefined;
  readonly turns: number;
  readonly toolCalls: number;
  /** Messages and tool calls of the model, without the client's own messages. */
  readonly answers: number;
  /** Tokens of this run alone; zero where the agent reports only those of the session. */
  readonly tokens: Tokens;
  /** Cost of this run alone; `undefined` if the agent does not report it. */
  readonly usd: number | undefined;
  /** The agent's own count, which continues when a session is resumed. */
  readonly session: SessionUse;
  /** The whole list as written last; `undefined` until this run has written one. */
  readonly tasks: readonly WorkerTask[] | undefined;
  readonly lastText: string;
}

export type OutcomeKind =
  | 'ok'
  /** No tool was called and nothing has changed. */
  | 'empty'
  | 'quota'
  | 'auth'
  | 'refused'
  | 'context-overflow'
  | 'transient'
  /** A cap that the agent itself enforces was reached. */
  | 'budget'
  | 'crashed';

export type WorkerOutcome =
  | { readonly kind: Exclude<OutcomeKind, 'quota'>; readonly evidence: string }
  | {
      readonly kind: 'quota';
      /** `undefined`: unknown; the caller backs off. */
      readonly resumeAt: Date | undefined;
      readonly evidence: string;
    };

export interface WorkerEnd {
  readonly code: number | undefined;
  /** All of it, or its tail. */
  readonly stderr: string;
  /** True if a file or the branch differs from what the worker was given, or it has asked or reported. */
  readonly acted: boolean;
  readonly now: Date;
}

/** A reader depends on nothing but the lines and their order. */
export interface WorkerReader {
  /** One line of stdout without its end; a line that is not the agent's is ignored. */
  line(text: string): void;
  progress(): WorkerProgress;
  outcome(end: WorkerEnd): WorkerOutcome;
}

export interface WorkerProgram {
  /** May make folders in the attempt's folder; starts nothing. */
  launch(request: WorkerRequest): WorkerLaunch;
  reader(): WorkerReader;
}
