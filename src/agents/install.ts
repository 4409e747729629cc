/** What an agent's files are to an installation, to its removal and to `doctor`. */
import type { Environment } from '../base/environment.ts';
import type { HookStart, Shim } from './kit/hook-shim.ts';
import type { EventName } from './types.ts';

/** An installation counts for everything the user does, or for one repository with all its worktrees. */
export type Scope = 'user' | 'project';

export interface Place {
  readonly env: Environment;
  readonly cwd: string;
}

export interface AgentInstall {
  /** How an installed agent is detected. */
  signs(place: Place): Signs;
  /**
   * All that is written for the agent, the hooks first. Also asked where nothing is written, to find what
   * is there: it must not depend on what the files contain.
   */
  files(scope: Scope, place: Place, start: HookStart): readonly InstallFile[];
  /** Every file whose hooks, or whose switches for them, count for a session in `place`. */
  settingsFilesInForce(place: Place): readonly string[];
  /** Keys in a settings file that turn hooks off. */
  offSwitches?(file: string, text: string): readonly string[];
  /** What a person has to do then, each as one sentence: ``start `agent`, and choose `Trust` ``. */
  afterwards?(scope: Scope, place: Place): readonly string[];
  /** Whether the agent runs the hooks that are installed; absent where it asks nobody. */
  trust?(scope: Scope, place: Place): Promise<Trust>;
  /**
   * What is written if the person confirms with `--trust` what the agent would ask. Called when all `files` are
   * written.
   */
  trusting?(scope: Scope, place: Place, start: HookStart): readonly InstallFile[];
  /** What an uninstallation leaves because a person made it: `the trust of hooks in ~/.agent/state.toml`. */
  leftBehind?(place: Place): readonly string[];
  /** The unit of time limits in entries; seconds if it is not said. */
  readonly timeUnitMs?: number;
  /** Payloads with which `doctor` tries the hooks. */
  samples(folder: string): readonly Sample[];
  readonly client?: Client;
  readonly plugin?: ClientPlugin;
}

/** This package as a plugin that the client's own command installs. */
export interface ClientPlugin {
  /** What the command that takes it away is about, if it came from this package. */
  readonly id: string;
  /** The plugin's folder in the package; absent where the package itself is the plugin. */
  readonly folder?: string;
  /** The files that only this client reads, by their paths below that folder: written by `npm run generate`. */
  files(version: string): Readonly<Record<string, string>>;
  /** Which of them has the hooks. */
  readonly hooks: string;
  /** The client's own commands, each with what it is about at its end: a folder, or `name@place`. */
  readonly commands: {
    readonly install: string;
    readonly enable?: string;
    readonly remove: string;
  };
  /** What the client has recorded of ours for sessions in `place`. */
  installed(place: Place): readonly InstalledPlugin[];
  /** Whether the client runs its hooks; absent where it asks nobody. */
  trust?(plugin: InstalledPlugin, place: Place): Trust;
}

export interface InstalledPlugin {
  /** Its name as the client's commands take it: `lanehold@place`. */
  readonly id: string;
  readonly enabled: boolean;
  /** The file that says so. */
  readonly file: string;
  /** The folder that it is run from; `undefined` if it cannot be told. */
  readonly root: string | undefined;
  /** What the client sets for its hooks. */
  readonly env: Environment;
}

export interface Signs {
  /** Absolute; one of them is there. */
  readonly folders: readonly string[];
  /** One of them is on PATH. */
  readonly programs: readonly string[];
}

export interface InstallFile {
  /** Absolute. A link is followed. */
  readonly file: string;
  /** `hooks`, or what else it has, in few words: `rules`, `plugin`. Tells the files of an agent apart. */
  readonly what: string;
  readonly editor: FileEditor;
  /**
   * Other agents that read the file have the same row for it: it is written once, and goes with the last of
   * them.
   */
  readonly shared?: true;
  /**
   * What the hooks do without: where something stands in its way it is left out, and the rest is written. Also
   * what `doctor` calls it.
   */
  readonly extra?: Extra;
}

/** `statusline` changes what the person sees, and is written only if they agree. */
export type Extra = 'skills' | 'statusline';

/**
 * Knows what is wanted in a file of the user, puts it in and takes it out; all else keeps every byte.
 * Made by `jsonHooks`, `ownFile` and `markedBlock` of `src/agents/kit`.
 */
export interface FileEditor {
  /**
   * @param file for messages only.
   * @param current the text of the file; `undefined` if there is none.
   * @param bare the same without what is ours; only white space counts as nothing.
   * @throws {UserFileError} if the file is not what the agent could read, or not ours to replace.
   */
  plan(
    file: string,
    texts: { readonly current: string | undefined; readonly bare: string | undefined },
  ): Plan;
  /**
   * The text without what is ours, and without what only that needed, as far as `original` tells;
   * `undefined` if all of it is ours.
   */
  withoutOurs(file: string, text: string, original?: string): string | undefined;
  /** Our hooks in it; empty for a file that has none, or has them in another form. @throws {UserFileError} */
  find(file: string, text: string): readonly InstalledHook[];
  /** What a person is told of the text that it planned, in few words. */
  note?(text: string): string | undefined;
}

/** Our entry in a file. */
export interface InstalledHook {
  /** The agent's own name of the event. */
  readonly event: string;
  /** The line for the shell; where the entry is none, one that does the same. */
  readonly line: string;
  /** The program that the hooks start; `undefined` where a plugin of the client starts one. */
  readonly shim?: Shim;
  /** The time limit as it stands there, in the agent's own unit. */
  readonly timeout: number | undefined;
}

export interface Plan {
  /** `current`: all is there as wanted, and `text` is what was given. */
  readonly state: 'current' | 'new' | 'upgrade';
  readonly text: string;
}

export interface Trust {
  /** `modified`: trusted was what it was before. */
  readonly state: 'trusted' | 'untrusted' | 'modified' | 'unknown';
  /** The agent skips hooks that are not trusted; else it only asks. */
  readonly skips: boolean;
  /** How a person changes that: `type /hooks, and trust each`. */
  readonly how: string;
}

export interface Sample {
  /** The agent's own name of the event. */
  readonly event: string;
  /** What the hook program is started with. */
  readonly as: EventName;
  readonly payload: object;
  /** What the agent sets for its hooks. */
  readonly env?: Environment;
}

/** The program whose version `doctor` tells. */
export interface Client {
  readonly program: string;
  /** The first version that is good enough, why an earlier one is not, and how to update it. */
  readonly minimum?: {
    readonly version: string;
    /** `lets a command run if its hook fails` */
    readonly weakness: string;
    /** A command. */
    readonly update: string;
  };
}
