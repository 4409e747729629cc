/**
 * All that lanehold knows of one agent. What an agent has no use for yet is absent.
 *
 * A definition has what hooks need, and loads the rest when it is used: the hook, which starts for every
 * tool call, reads all definitions and runs the adapter of one.
 */

import type { Environment } from '../base/environment.ts';
import type { JsonObject } from '../base/text/json.ts';
import type { Budget } from '../store/runs.ts';
import type { AgentInstall } from './install.ts';
import type { AgentAdapter, EventName } from './types.ts';
import type { WorkerProgram } from './worker/worker.ts';

export interface AgentDefinition {
  /** Users write it as `--agent <name>`; the folder is named so, too. */
  readonly name: string;
  /** Messages write it as its maker does. */
  readonly title: string;
  readonly marks: AgentMarks;
  readonly hooks?: AgentHooks;
  readonly guards?: AgentGuards;
  readonly install?: () => Promise<AgentInstall>;
  readonly worker?: AgentWorker;
  /** For agents whose hooks cannot, or not reliably, tell them something when a session starts. */
  readonly rules?: AgentRules;
  /** Files that it puts before its model, below the root or from `~/`; without it `AGENTS.md`. */
  readonly instructions?: readonly string[];
  /** Files in which it keeps what it remembers and plans. */
  readonly memory?: readonly MemoryFiles[];
  /** What the agent itself records of its sessions. */
  readonly transcripts?: () => Promise<AgentTranscripts>;
}

export interface MemoryFiles {
  readonly kind: 'memory' | 'plan' | 'tasks';
  /**
   * Below the root, or from `~/`. `*` stands for any part of a name, `{root}` for the root with `-` in the
   * place of all but letters and digits.
   */
  readonly files: string;
  /** Which projects the files are about; by default the one in whose folder they are. */
  readonly of?: 'everything' | 'projects that it names';
  /** Only the text below this heading counts. */
  readonly section?: string;
}

/** Variables that an agent sets for the programs that it starts. */
export interface AgentMarks {
  /** One of them is set: the command was started by this agent. */
  readonly present: readonly string[];
  /** Holds the id of the session. */
  readonly session?: string;
  /** The others that belong to one session; a worker must not inherit any of them. */
  readonly others?: readonly string[];
}

export interface AgentHooks {
  readonly capabilities: Capabilities;
  /** The keys under which the answer of a tool may stand, by default `tool_response`; the first that is there counts. */
  readonly outputs?: readonly string[];
  /** Some versions do not close the input of a hook. */
  readonly leavesInputOpen?: true;
  /**
   * True for what only this agent sends. Some agents run the hook files of others: then the entry names
   * one agent, and another has sent the payload.
   *
   * @param env of the hook process.
   */
  readonly sends?: (payload: JsonObject, env: Environment) => boolean;
  readonly adapter: AgentAdapter;
}

/**
 * A file of lanehold's own that the agent puts before its model. It is written with what the start of a
 * session would say whenever a prompt, an edit or the end of a turn reaches the hooks.
 */
export interface AgentRules {
  /** The path below the root of the working tree, `/`-separated: `.agent/rules/lanehold.md`. */
  readonly file: string;
  /** What the agent wants before the text: the lines between `---`, without a line end. */
  readonly head?: string;
  /** What the agent reads of one file, in UTF-16 units. */
  readonly maxUnits: number;
}

/** What the agent lets a hook do. */
export interface Capabilities {
  /** Events whose action a reply can refuse. */
  readonly denies: readonly EventName[];
  /** Events at which a reply can have the person asked. */
  readonly asks: readonly EventName[];
  /** Events at which text in a reply reaches the model. */
  readonly takesContext: readonly EventName[];
  /** Events at which a reply can change the input of a tool. */
  readonly rewritesInput: readonly EventName[];
  /** Commands run in a login shell: PATH is not that of the hook. */
  readonly loginShell?: true;
  /** How long a shell command may run if the agent does not say; the variable, if there is one, has milliseconds. */
  readonly shellTime?: { readonly defaultMs: number; readonly variable?: string };
  /** How a hook may fail so that its tool call is blocked also where the switch of `failClosed` is not set. */
  readonly blocksAfter?: readonly ('crash' | 'time-out')[];
  /** What our installation sets so that a failed hook blocks: `onFailure: block`. */
  readonly failClosed?: string;
  /** Whether the tool calls of sub-agents reach the hooks; `none` if the agent has no sub-agents. */
  readonly subAgents: 'held' | 'not held' | 'none';
  /** What reaches no hook, as ends of `it does not see …`: `input that is typed into a running command`. */
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

/** Files, programs, flags and variables that would switch the hooks of the agent off, or start it without them. */
export interface AgentGuards {
  /**
   * Its settings files below a home or a project: `.agent/settings.json`. A name can begin with `*`:
   * `.agent/hooks/*.json`.
   */
  readonly files: readonly string[];
  /** Folders of the administrator's settings; absolute. */
  readonly managed?: readonly string[];
  /** Programs that start it. */
  readonly programs?: readonly string[];
  /** Words of theirs with which hooks are not asked. */
  readonly without?: readonly string[];
  /** Variables that lead it to other settings if the command sets them, beside HOME and `folderVariable`. */
  readonly places?: readonly string[];
  /** Packages with which a program starts it. */
  readonly packages?: readonly string[];
  /** Arguments that start it without hooks; one can be two words: `--disable hooks`. */
  readonly flags?: readonly string[];
  /** Settings that do so wherever they stand in an argument. */
  readonly settings?: readonly string[];
  /** Why it would ignore all of a settings file, which need not exist: `hooks.Stop[0].hooks: is no list`. */
  readonly problems?: () => Promise<FileProblems>;
  /** Variables that do so when they are set. */
  readonly variables?: readonly string[];
  /** Variable that names another folder for the user's settings, in place of this one: `.agent`. */
  readonly folderVariable?: { readonly name: string; readonly folder: string };
}

export type FileProblems = (text: string, file: string) => readonly string[];

/** Reads only: what the agent wrote is compared with what its hooks were asked about. */
export interface AgentTranscripts {
  /**
   * The files that may record commands of a session: its transcript, and those of its sub-agents.
   *
   * @param transcript as a payload or `listed` names it.
   */
  files(transcript: string): readonly string[];
  /**
   * What was said and done, from a byte of the file on, and returns where to read on. Reads a few MB at
   * the most: of a longer rest its end. A command or an edit whose result is not there yet is read the
   * next time, and what stands behind it again.
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
   * All transcripts that may be of one of the working trees, as the file system knows them: none is opened.
   *
   * @param days how many of the last days with transcripts, where they are kept by days; by default all.
   */
  listed(
    place: { readonly roots: readonly string[]; readonly env: Environment },
    days?: number,
  ): readonly ListedTranscript[];
  /** Whose session a file records; `undefined` if it does not say so, or not yet. @throws if it cannot be read. */
  origin(file: string): TranscriptOrigin | undefined;
}

/**
 * `end`: of a longer rest the last MB. `whole`: all of it; a call that has no result when the next prompt
 * comes is given up, and a line of many MB is passed over.
 */
export type Extent = 'end' | 'whole';

/** Equal numbers: nothing was written since. */
export interface ListedTranscript {
  readonly file: string;
  readonly size: number;
  readonly changed: number;
}

export interface TranscriptOrigin {
  /** For a sub-agent the session of its parent. */
  readonly session: string;
  readonly isSubAgent: boolean;
  readonly cwd: string;
  readonly began: Date;
}

export type Wanted = 'all' | 'commands';

/** One entry of a transcript. `position`: where its line begins; the same whenever it is read. */
export type TranscriptEntry = RecordedAction & { readonly position: number };

/** `at` is not a valid date where the agent gives none. */
export type RecordedAction = { readonly at: Date } & (
  | { readonly kind: 'prompt' | 'message' | 'summary'; readonly text: string }
  /**
   * `text` ran in `cwd`, whatever became of it; one that was refused is not there. It was asked for at
   * `at`, and had a result at `done`: its hook ran between the two.
   */
  | {
      readonly kind: 'command';
      readonly text: string;
      readonly cwd: string;
      readonly done: Date;
    }
  /** Absolute paths that were written, by the tool `text`. */
  | { readonly kind: 'edit'; readonly text: string; readonly paths: readonly string[] }
  /** `text` is the name of another tool that the model asked for. */
  | { readonly kind: 'tool'; readonly text: string }
);

export type RanCommand = Extract<RecordedAction, { kind: 'command' }>;

export interface AgentWorker {
  /** Looked up on PATH. */
  readonly program: string;
  readonly credentials: CredentialSources;
  /** The words with which a person goes on with a session of it in a terminal. */
  readonly attach?: (session: string) => readonly string[];
  /** Limits that the program keeps by itself if it is given them. */
  readonly keepsTo?: readonly (keyof Budget)[];
  /** In a lane it does not have the hooks that are installed for the project alone. */
  readonly lacksProjectHooks?: true;
  readonly load: () => Promise<WorkerProgram>;
}

export interface CredentialSources {
  /** Variables that hold a credential, in the order in which the agent tries them. */
  readonly keys: readonly string[];
  /** Variables that choose another login or another service. */
  readonly places?: readonly string[];
}
