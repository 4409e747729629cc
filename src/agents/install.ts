/** What an agent's settings files are to an installation, to its removal and to `doctor`. */
import type { Environment } from '../environment.ts';
import type { HookStart } from '../install/hook-shim.ts';

/** For everything the user does, or for one repository with all its worktrees. */
export type Scope = 'user' | 'project';

export interface Place {
  readonly env: Environment;
  readonly cwd: string;
}

export interface AgentInstall {
  /** Where hooks of this scope are written. */
  settingsFile(scope: Scope, place: Place): string;
  /** Every file whose hooks count for a session in `place`. */
  settingsFilesInForce(place: Place): readonly string[];
  readonly editor: SettingsEditor;
  /** @param settings path of the file that they are for. */
  wantedHooks(start: HookStart, settings: string): readonly WantedHook[];
  /** Where in a payload the line for the shell stands. */
  readonly commandField: readonly string[];
  /** What a hook prints that refuses a command: JSON with the reason as one of its texts. */
  refusal(reason: string): string;
  /** Why the agent would ignore a settings file: `hooks.Stop[0].hooks: is no list`. */
  problems(text: string): readonly string[];
  /** Keys in a settings file that turn hooks off. */
  offSwitches(file: string, text: string): readonly string[];
  /** What the agent would start for an entry. */
  commandOf(hook: InstalledHook): HookCommand;
  /** Payloads with which `doctor` tries the entries. */
  samples(folder: string): readonly Sample[];
  readonly client: Client;
}

/** Puts entries into the text of a settings file and takes them out; all else keeps every byte. */
export interface SettingsEditor {
  /**
   * @param file for messages only.
   * @param current the text of the file; `undefined` if there is none.
   * @param bare the same without our entries; only white space counts as no settings.
   * @throws {SettingsFileError} if the file is not what the agent could read.
   */
  plan(
    file: string,
    texts: { readonly current: string | undefined; readonly bare: string | undefined },
    wanted: readonly WantedHook[],
  ): Plan;
  /**
   * The text without our entries, and without what only they needed, as far as `original` tells.
   */
  withoutOurs(file: string, text: string, original?: string): string;
  /** Our entries. @throws {SettingsFileError} */
  find(file: string, text: string): readonly InstalledHook[];
}

export interface WantedHook {
  /** The agent's own name of the event. */
  readonly event: string;
  readonly matcher: string | undefined;
  readonly entry: Readonly<Record<string, unknown>>;
}

export type InstalledHook = WantedHook;

export interface Plan {
  /** `current`: every entry is there as wanted, and `text` is what was given. */
  readonly state: 'current' | 'new' | 'upgrade';
  readonly text: string;
}

export interface HookCommand {
  readonly program: string;
  readonly args: readonly string[];
  readonly timeoutMs: number;
}

export interface Sample {
  /** The agent's own name of the event. */
  readonly event: string;
  readonly payload: object;
  /** What the agent sets for its hooks. */
  readonly env: Environment;
}

/** The program whose version decides how much its hooks hold. */
export interface Client {
  readonly program: string;
  /** The first version that lacks the weakness. */
  readonly since: string;
  /** `lets a command run if its hook fails` */
  readonly weakness: string;
  /** The command that updates it. */
  readonly update: string;
}
