/**
 * All that lanehold knows of one agent. What an agent has no use for yet is absent.
 *
 * A definition is data, and loads the rest when it is needed: the hook, which starts for every tool
 * call, reads all definitions and runs the adapter of one.
 */
import type { AgentStarts, GuardedAgent } from '../recognise/finding.ts';
import type { Budget } from '../store/runs.ts';
import type { RawPayload } from '../text/raw-payload.ts';
import type { AgentInstall } from './install.ts';
import type { AgentAdapter, EventName } from './types.ts';
import type { WorkerProgram } from './worker/worker.ts';

export interface AgentDefinition {
  /** As users write it: `--agent <name>`. Also the name of the folder. */
  readonly name: string;
  /** As its maker writes it, for messages. */
  readonly title: string;
  readonly marks: AgentMarks;
  readonly hooks?: AgentHooks;
  readonly guards?: AgentGuards;
  readonly starts?: AgentStarts;
  readonly install?: () => Promise<AgentInstall>;
  readonly worker?: AgentWorker;
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
  /** Where in the text of a payload a command stands. */
  readonly rawPayload: RawPayload;
  readonly adapter: () => Promise<AgentAdapter>;
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
  /** How long a shell command may run if the agent does not say; the variable has milliseconds. */
  readonly shellTime?: { readonly defaultMs: number; readonly variable: string };
  /**
   * What becomes of the tool call if the hook fails, unless its entry in the settings says
   * otherwise.
   */
  readonly afterCrash: 'runs' | 'blocked';
  readonly afterTimeout: 'runs' | 'blocked';
}

/** What would switch the agent's hooks off. */
export interface AgentGuards extends GuardedAgent {
  /** Variable that puts the user's settings into another folder. */
  readonly folderVariable?: string;
}

export interface AgentWorker {
  /** Looked up on PATH. */
  readonly program: string;
  readonly credentials: CredentialSources;
  /** Limits that the program keeps by itself if it is given them. */
  readonly keepsTo?: readonly (keyof Budget)[];
  readonly load: () => Promise<WorkerProgram>;
}

export interface CredentialSources {
  /** Variables that hold a credential, in the order in which the agent tries them. */
  readonly keys: readonly string[];
  /** Variables that choose another login or another service. */
  readonly places?: readonly string[];
}
