/** What the stories need to know of a client. Each client's folder, `test/e2e-<client>`, has one. */
import type { DemoProject } from '../../scripts/demo/demo-project.ts';
import type { Env } from '../../scripts/demo/run.ts';
import type { ClientPackage } from './client.ts';
import type { Answer, Listening, ToolUse, Turn } from './model.ts';
import type { Story } from './story.ts';

/** What the recall story needs to know of a client; other stories need more. */
export interface Speaking {
  /** lanehold's name of it. */
  readonly agent: string;
  readonly client: ClientPackage;
  /** The model behind the client. */
  startModel(answer: Answer): Promise<Listening>;
  /** Writes what the client needs below the home before its first run. */
  prepare?(demo: DemoProject, model: Listening): void;
  /** A headless run that may use the shell and edit, in the demo project. */
  headless(demo: DemoProject, model: Listening, asked: Prompted): HeadlessRun;
  /** Runs a command with the client's shell tool. */
  shell(command: string): ToolUse;
  /** Replaces text in a file of the project, with the client's own tools. Each is a turn. */
  edit(demo: DemoProject, file: string, from: string, to: string): readonly Turn[];
  /** Arguments with which it answers a prompt on its input, as `lanehold dream --program` is told to start it. */
  readonly answering?: (model: Listening) => readonly string[];
  /** How it is made to compact without its vendor's service; absent where it cannot be. */
  readonly compaction?: Compaction;
}

/** A prompt that asks for it, or a size of the conversation at which the client does it by itself. */
export type Compaction =
  | { readonly prompt: string }
  /** `turns`: how many have to go on at that size, where it compacts beside them; 1 if it is not said. */
  | { readonly fullTokens: number; readonly turns?: number };

export interface Prompted {
  readonly prompt: string;
  /** It is asked in the last session of this folder, which goes on. */
  readonly goesOn: boolean;
}

export interface Driver extends Speaking {
  /** `e2e:<client>`, for messages. */
  readonly script: string;
  /** Options of `lanehold install` that workers of lanes need, which nobody starts with options of a test. */
  readonly workerInstall?: readonly string[];
  /** Turns in which a sub-agent runs a command, says something, and its parent goes on. */
  subAgent?(command: string): readonly Turn[];
  /** Switches lanehold's hooks off as a user, an agent or a repository could. */
  switchOff(demo: DemoProject): void;
  /** A word of what `lanehold doctor` says then. */
  readonly switchedOffSaid: RegExp;
  /** What the client itself does when its hooks are off: false where it refuses to go on. */
  readonly pushesWhenOff?: boolean;
  /** Runs of the client write these anew each time; paths below home. Not compared after an uninstallation. */
  readonly ownFiles?: RegExp;
  /** Settings of `lanes.workers.<name>`, if the client can work on a lane. */
  readonly worker?: Readonly<Record<string, unknown>>;
  /** What only this client needs to show. */
  readonly stories?: readonly Story[];
}

export interface HeadlessRun {
  readonly args: readonly string[];
  /** In addition to the demo project's. */
  readonly env: Env;
  readonly input?: string;
}
