/**
 * Everything that lanehold knows of one agent. Parts that no code uses for this agent are absent.
 *
 * A definition has what hooks need, and loads the rest on use: the hook, which starts for every
 * tool call, reads all definitions and runs the adapter of one.
 */

import type { JsonObject } from '../base/text/json.ts';
import type { Budget } from '../store/lanes.ts';
import type { AgentInstall } from './install.ts';
import type { AgentAdapter, EventName } from './types.ts';
import type { WorkerProgram } from './worker/worker.ts';

export interface AgentDefinition {
  /** The name in `--agent <name>`; the agent's folder has the same name. */
  readonly name: string;
  /** The name in messages, as its maker writes it. */
  readonly title: string;
  readonly marks: AgentMarks;
  readonly hooks?: AgentHooks;
  readonly guards?: AgentGuards;
  readonly install?: () => Promise<AgentInstall>;
  readonly worker?: AgentWorker;
  /** Set for agents whose hooks cannot, or cannot reliably, give them text when a session starts. */
  readonly rules?: AgentRules;
  /** Files that the agent adds to its prompt, below the root or from `~/`; by default `AGENTS.md`. */
  readonly instructions?: readonly string[];
  readonly memory?: readonly MemoryFiles[];
  readonly transcripts?: () => Promise<AgentTranscripts>;
}

export interface MemoryFiles {
  readonly kind: 'memory' | 'plan' | 'tasks';
  /**
   * A path below the root, or from `~/`. `*` stands for any part of a name, `{root}` for the root
   * with `-` in the place of all characters but letters and digits.
   */
  readonly files: string;
  /** The projects that the files are about; by default the one in whose folder they are. */
  readonly of?: 'everything' | 'projects that it names';
  /** Only the text below this heading counts. */
  readonly section?: string;
}

export interface AgentMarks {
  /** If one of them is set, the command was started by this agent. */
  readonly present: readonly string[];
  /** The variable with the id of the session. */
  readonly session?: string;
  /** Other variables of one session; a worker must not inherit any of them. */
  readonly others?: readonly string[];
}

export interface AgentHooks {
  readonly capabilities: Capabilities;
  /** The keys that may hold the response of a tool, by default `tool_response`; the first one present counts. */
  readonly outputs?: readonly string[];
  /** Some versions do not close the input of a hook. */
  readonly leavesInputOpen?: true;
  /**
   * True for a payload that only this agent sends. Some agents run the hook files of others: the
   * entry then names one agent, and another has sent the payload.
   *
   * @param env the environment of the hook process.
   */
  readonly sends?: (payload: JsonObject, env: NodeJS.ProcessEnv) => boolean;
  readonly adapter: AgentAdapter;
}

/**
 * A file of lanehold's own that the agent adds to its prompt. It is written again, with the text
 * for the start of a session, whenever a prompt, an edit or the end of a turn reaches the hooks.
 */
export interface AgentRules {
  /** The path below the root of the working tree, `/`-separated: `.agent/rules/lanehold.md`. */
  readonly file: string;
  /** The lines that the agent expects before the text, between `---`, without a line end. */
  readonly head?: string;
  /** The most that the agent reads of one file, in UTF-16 units. */
  readonly maxUnits: number;
}

export interface Capabilities {
  /** Events whose action a reply can refuse. */
  readonly denies: readonly EventName[];
  readonly asks: readonly EventName[];
  /** Events at which text in a reply reaches the model. */
  readonly takesContext: readonly EventName[];
  /** Events at which a reply can change the input of a tool. */
  readonly rewritesInput: readonly EventName[];
  /** Commands run in a login shell: PATH is not that of the hook. */
  readonly loginShell?: true;
  /** The time limit of a shell command if the agent gives none; the variable, if there is one, holds milliseconds. */
  readonly shellTime?: { readonly defaultMs: number; readonly variable?: string };
  /** Failures of a hook after which its tool call is blocked even if `failClosed` is not set. */
  readonly blocksAfter?: readonly ('crash' | 'time-out')[];
  /** The setting that lanehold installs so that a failed hook blocks: `onFailure: block`. */
  readonly failClosed?: string;
  /** Whether the tool calls of sub-agents reach the hooks; `none` if the agent has no sub-agents. */
  readonly subAgents: 'held' | 'not held' | 'none';
  /** Actions that reach no hook, as ends of `it does not see …`: `input that is typed into a running command`. */
  readonly cannotSee: readonly string[];
  /** How these facts were found. */
  readonly knownFrom: 'real client' | 'documentation';
}

/** The capabilities that most agents have; each agent says where it differs. */
export const USUAL = {
  denies: ['before-tool'],
  asks: [],
  rewritesInput: [],
  subAgents: 'held',
} as const satisfies Partial<Capabilities>;

/** The events at which an agent takes text that takes it wherever it acts. */
export const WHEREVER_IT_ACTS = [
  'session-start',
  'prompt-submit',
  'before-tool',
  'after-tool',
  'after-tool-failure',
] as const satisfies readonly EventName[];

/** Files, programs, flags and variables that would switch the hooks of the agent off, or start it without them. */
export interface AgentGuards {
  /**
   * Its settings files below a home or a project: `.agent/settings.json`. A name can begin with `*`:
   * `.agent/hooks/*.json`.
   */
  readonly files: readonly string[];
  /** Folders of the administrator's settings; absolute. */
  readonly managed?: readonly string[];
  readonly programs?: readonly string[];
  /** Arguments with which these programs ask no hooks. */
  readonly without?: readonly string[];
  /** Variables that select other settings if the command sets them, besides HOME and `folderVariable`. */
  readonly places?: readonly string[];
  /** Packages with which a program can start the agent. */
  readonly packages?: readonly string[];
  /** Arguments that start it without hooks; one can be two words: `--disable hooks`. */
  readonly flags?: readonly string[];
  /** Settings that start it without hooks, anywhere in an argument. */
  readonly settings?: readonly string[];
  /** Why the agent would ignore a whole settings file, which need not exist: `hooks.Stop[0].hooks: is no list`. */
  readonly problems?: () => Promise<FileProblems>;
  /** Variables that start it without hooks if they are set. */
  readonly variables?: readonly string[];
  /** The variable that selects another folder for the user's settings, in place of this one: `.agent`. */
  readonly folderVariable?: { readonly name: string; readonly folder: string };
}

export type FileProblems = (text: string, file: string) => readonly string[];

/** Reads transcripts, to compare what the agent recorded with what its hooks were asked about. */
export interface AgentTranscripts {
  /**
   * The files that may record commands of a session: its transcript, and those of its sub-agents.
   *
   * @param transcript as a payload or `listed` names it.
   */
  files(transcript: string): readonly string[];
  /**
   * The entries from a byte of the file on; returns where to continue. Reads a few MB at most: of a longer rest, its
   * end. A command or an edit without a result is read again the next time, with everything after it.
   *
   * @throws if the file cannot be read.
   */
  entries(
    file: string,
    from: number,
    wanted?: Wanted,
    extent?: Extent,
  ): Generator<TranscriptEntry, number>;
  /**
   * All transcripts that may belong to one of the working trees. They are listed, not opened.
   *
   * @param days how many of the last days with transcripts, if the agent has a folder for each day; by default all.
   */
  listed(
    place: { readonly roots: readonly string[]; readonly env: NodeJS.ProcessEnv },
    days?: number,
  ): readonly ListedTranscript[];
  /** The session that a file records; `undefined` if it does not say, or not yet. @throws if it cannot be read. */
  origin(file: string): TranscriptOrigin | undefined;
}

/**
 * `end`: the last MB of a longer rest. `whole`: all of it; a call without a result at the next
 * prompt is dropped, and a line of many MB is skipped.
 */
export type Extent = 'end' | 'whole';

/** A file as it is listed: if its numbers are equal, nothing was written since. */
export interface ListedTranscript {
  readonly file: string;
  readonly size: number;
  readonly changed: number;
}

export interface TranscriptOrigin {
  /** The id of the session; for a sub-agent, that of its parent. */
  readonly session: string;
  readonly isSubAgent: boolean;
  readonly cwd: string;
  readonly began: Date;
}

export type Wanted = 'all' | 'commands';

/** One entry of a transcript. `position` is the byte where its line begins, which is the same on each reading. */
export type TranscriptEntry = RecordedAction & { readonly position: number };

/** `at` is not a valid date if the agent gives none. */
export type RecordedAction = { readonly at: Date } & (
  | { readonly kind: 'prompt' | 'message' | 'summary'; readonly text: string }
  /**
   * `text` was run in `cwd`, with any result; a refused command is left out. The model asked for it
   * at `at`, and it had a result at `done`: its hook ran between the two.
   */
  | {
      readonly kind: 'command';
      readonly text: string;
      readonly cwd: string;
      readonly done: Date;
    }
  /** Absolute paths that the tool `text` has written. */
  | { readonly kind: 'edit'; readonly text: string; readonly paths: readonly string[] }
  /** The model called another tool, whose name is `text`. */
  | { readonly kind: 'tool'; readonly text: string }
);

export type RanCommand = Extract<RecordedAction, { kind: 'command' }>;

export interface AgentWorker {
  /** The program, which is looked up on PATH. */
  readonly program: string;
  readonly credentials: CredentialSources;
  /** The command with which a person continues one of its sessions in a terminal. */
  readonly attach?: (session: string) => readonly string[];
  /** Limits that the program enforces itself. */
  readonly keepsTo?: readonly (keyof Budget)[];
  /** True if the agent, in a lane, runs no hooks that are installed only for the project. */
  readonly lacksProjectHooks?: true;
  readonly load: () => Promise<WorkerProgram>;
}

export interface CredentialSources {
  /** Variables that hold a credential, in the order in which the agent tries them. */
  readonly keys: readonly string[];
  /** Variables that choose another login or another service. */
  readonly places?: readonly string[];
}
