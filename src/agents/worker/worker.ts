/**
 * What a worker is to lanes: a program of one agent, started once with a prompt, watched through
 * the lines that it prints, and judged when it has ended.
 *
 * An adapter translates in both directions and starts nothing. Whether the work is any good is for
 * git and the validation to say; an outcome only tells what to do next with the agent.
 */
import type { Environment } from '../../environment.ts';

/** `edit`: change files of the worktree and run the allowed commands; `full`: whatever it wants. */
export type Permissions = 'edit' | 'full';

/** What one attempt may use; absent is unlimited. */
export interface Caps {
  /** Requests to the model, or what comes closest to them in the agent's stream. */
  readonly turns?: number;
  readonly seconds?: number;
  /** All of them, reads from the cache included. */
  readonly tokens?: number;
  readonly usd?: number;
}

export interface WorkerRequest {
  /** Absolute, outside of the worktree. */
  readonly promptFile: string;
  readonly worktree: string;
  /** The attempt's own folder. */
  readonly dir: string;
  /** A UUID of ours, for agents that let the caller choose. */
  readonly sessionId: string;
  /** The session to go on with, by the agent's own name for it. */
  readonly resume: string | undefined;
  readonly model?: string;
  readonly effort?: string;
  readonly permissions: Permissions;
  /** Command lines that the worker may run without being asked, such as the validation. */
  readonly allow: readonly string[];
  readonly caps: Caps;
  /** The user's own arguments for this agent; they come after ours. */
  readonly args: readonly string[];
  readonly gitDir: string;
  readonly commonDir: string;
  /** The agent's own, or the one that the settings name in its place. */
  readonly program: string;
  /** Already without the marks of the session that runs lanehold: `workerEnvironment`. */
  readonly env: Environment;
}

export interface WorkerLaunch {
  readonly program: string;
  readonly args: readonly string[];
  readonly env: Record<string, string>;
  /** `undefined`: nothing to read. An open stdin would keep some agents waiting for ever. */
  readonly stdinFile: string | undefined;
  /** To be written, readable by the owner alone, before the program starts. */
  readonly files: readonly LaunchFile[];
}

export interface LaunchFile {
  readonly path: string;
  readonly content: string;
}

export interface Tokens {
  /** Without those that came from the cache. */
  readonly input: number;
  readonly output: number;
  readonly cacheRead: number;
  readonly cacheWrite: number;
}

/** What a session has used so far, with all the runs that went on from one another. */
export interface SessionUse {
  readonly tokens?: Tokens;
  readonly usd?: number;
}

/** A thing to do on the list that an agent keeps for itself. */
export interface WorkerTask {
  readonly title: string;
  readonly status: 'pending' | 'in_progress' | 'completed' | 'dropped';
}

export interface WorkerProgress {
  /** What `resume` takes, as soon as the stream has named it. */
  readonly sessionId: string | undefined;
  readonly turns: number;
  readonly toolCalls: number;
  /** How often the model has said or called something: no words of the client's own are among them. */
  readonly answers: number;
  /** Of this run alone; none where the agent only tells those of the session. */
  readonly tokens: Tokens;
  /** Of this run alone. `undefined`: the agent does not say. */
  readonly usd: number | undefined;
  /** Where the agent goes on counting when it resumes a session. */
  readonly session: SessionUse;
  /** Its whole list, as it was written last; `undefined` as long as this run has written none. */
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
      /** `undefined`: nobody said; the caller backs off. */
      readonly resumeAt: Date | undefined;
      readonly evidence: string;
    };

/** How the program ended, beside what it printed. */
export interface WorkerEnd {
  /** `undefined`: unknown. */
  readonly code: number | undefined;
  /** All of it, or its tail. */
  readonly stderr: string;
  /** True if a file or the branch differs from what the worker was given. */
  readonly changed: boolean;
  readonly now: Date;
}

/** The same lines in the same order give the same answers, whoever reads them. */
export interface WorkerReader {
  /** One line of stdout without its end; anything that is no line of the agent is let pass. */
  line(text: string): void;
  progress(): WorkerProgress;
  outcome(end: WorkerEnd): WorkerOutcome;
}

/** How an agent is started as a worker, and how its output is read. */
export interface WorkerProgram {
  /** Makes folders in the attempt's own where an agent needs some; starts nothing. */
  launch(request: WorkerRequest): WorkerLaunch;
  reader(): WorkerReader;
}
