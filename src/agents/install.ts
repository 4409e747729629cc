/** The files of an agent, as installation, removal and `doctor` need them. */
import type { HookStart, Shim } from './kit/hook-shim.ts';
import type { EventName } from './types.ts';

/** An installation counts for everything the user does, or for one repository with all its worktrees. */
export type Scope = 'user' | 'project';

export interface Place {
  readonly env: NodeJS.ProcessEnv;
  readonly cwd: string;
}

export interface AgentInstall {
  signs(place: Place): Signs;
  /**
   * All files that are written for the agent, the hooks first. The list is also used to find what
   * is installed, so it must not depend on the content of files.
   */
  files(scope: Scope, place: Place, start: HookStart): readonly InstallFile[];
  /** Every file whose hooks, or whose switches for them, count for a session in `place`. */
  settingsFilesInForce(place: Place): readonly string[];
  /** The keys in a settings file that turn hooks off. */
  offSwitches?(file: string, text: string): readonly string[];
  /** The steps that are left to a person, each as one sentence: ``start `agent`, and choose `Trust` ``. */
  afterwards?(scope: Scope, place: Place): readonly string[];
  /** Whether the agent runs the installed hooks; absent if it never asks for trust. */
  trust?(scope: Scope, place: Place): Promise<Trust>;
  /** Files to write if the person confirms with `--trust` what the agent would ask; called after all `files`. */
  trusting?(scope: Scope, place: Place, start: HookStart): readonly InstallFile[];
  /** What an uninstallation leaves because a person made it: `the trust of hooks in ~/.agent/state.toml`. */
  leftBehind?(place: Place): readonly string[];
  /** The unit of time limits in entries; by default seconds. */
  readonly timeUnitMs?: number;
  /** Payloads with which `doctor` tries the hooks. */
  samples(folder: string): readonly Sample[];
  readonly client?: Client;
  readonly plugin?: ClientPlugin;
}

export interface ClientPlugin {
  /** The plugin's name in the command that removes it, if it came from this package. */
  readonly id: string;
  /** The plugin's folder in the package; absent if the package itself is the plugin. */
  readonly folder?: string;
  /** The files that only this client reads, by their paths below that folder: written by `npm run generate`. */
  files(version: string): Readonly<Record<string, string>>;
  readonly hooks: string;
  /** The client's own commands; each gets a folder, or `name@place`, at its end. */
  readonly commands: {
    readonly install: string;
    readonly enable?: string;
    readonly remove: string;
  };
  /** The plugins of lanehold that the client has recorded for sessions in `place`. */
  installed(place: Place): readonly InstalledPlugin[];
  /** Whether the client runs its hooks; absent if it never asks for trust. */
  trust?(plugin: InstalledPlugin, place: Place): Trust;
}

export interface InstalledPlugin {
  /** Its name as the client's commands take it: `lanehold@place`. */
  readonly id: string;
  readonly enabled: boolean;
  readonly file: string;
  /** The folder that it is run from; `undefined` if it cannot be told. */
  readonly root: string | undefined;
  /** The variables that the client sets for its hooks. */
  readonly env: NodeJS.ProcessEnv;
}

export interface Signs {
  /** Absolute paths, one of which exists. */
  readonly folders: readonly string[];
  /** Programs, one of which is on PATH. */
  readonly programs: readonly string[];
}

export interface InstallFile {
  /** Absolute. A link is followed. */
  readonly file: string;
  /** The content of the file in few words: `hooks`, `rules`, `plugin`. Distinguishes the files of an agent. */
  readonly what: string;
  readonly editor: FileEditor;
  /** Other agents read the file and have the same row for it: it is written once, and removed with the last of them. */
  readonly shared?: true;
  /**
   * A file that the hooks do not need: if something is in its way it is left out, and the rest is
   * written. The value is also its name in `doctor`.
   */
  readonly extra?: Extra;
}

/** `statusline` changes what the person sees, and is written only if they agree. */
export type Extra = 'skills' | 'statusline';

/**
 * Adds what lanehold needs in a file of the user, and removes it; all other bytes are kept. Made by
 * `jsonHooks`, `ownFile` and `markedBlock` of `src/agents/kit`.
 */
export interface FileEditor {
  /**
   * @param file for messages only.
   * @param current the text of the file; `undefined` if there is none.
   * @param bare the text without lanehold's part; white space alone counts as nothing.
   * @throws {UserFileError} if the file is not what the agent could read, or not ours to replace.
   */
  plan(
    file: string,
    texts: { readonly current: string | undefined; readonly bare: string | undefined },
  ): Plan;
  /**
   * The text without lanehold's part, and without what only that part needed, as far as `original`
   * shows it; `undefined` if the whole file is lanehold's.
   */
  withoutOurs(file: string, text: string, original?: string): string | undefined;
  /**
   * The hooks of lanehold in it; empty for a file that has none, or has them in another form.
   * @throws {UserFileError}
   */
  find(file: string, text: string): readonly InstalledHook[];
  /** A note about the planned text for a person, in few words. */
  note?(text: string): string | undefined;
}

export interface InstalledHook {
  /** The agent's own name of the event. */
  readonly event: string;
  /** The line for the shell; if the entry is no line, one with the same effect. */
  readonly line: string;
  /** The program that the hooks start; `undefined` if a plugin of the client starts one. */
  readonly shim?: Shim;
  /** The time limit in the entry, in the agent's own unit. */
  readonly timeout: number | undefined;
}

export interface Plan {
  /** `current`: everything is there as wanted, and `text` is the given text. */
  readonly state: 'current' | 'new' | 'upgrade';
  readonly text: string;
}

export interface Trust {
  /** `modified`: an earlier version of the entry was trusted. */
  readonly state: 'trusted' | 'untrusted' | 'modified' | 'unknown';
  /** The agent skips hooks that are not trusted; otherwise it only asks. */
  readonly skips: boolean;
  /** How a person can trust them: `type /hooks, and trust each`. */
  readonly how: string;
}

export interface Sample {
  /** The agent's own name of the event. */
  readonly event: string;
  /** The event that the hook program is started with. */
  readonly as: EventName;
  readonly payload: object;
  /** The variables that the agent sets for its hooks. */
  readonly env?: NodeJS.ProcessEnv;
}

/** The program whose version `doctor` shows. */
export interface Client {
  readonly program: string;
  /** The first version that is good enough, the weakness of earlier ones, and how to update. */
  readonly minimum?: {
    readonly version: string;
    /** `lets a command run if its hook fails` */
    readonly weakness: string;
    readonly update: string;
  };
}
