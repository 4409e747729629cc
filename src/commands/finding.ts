/**
 * What the recogniser reports about a shell command: each place where work may leave the machine,
 * and each place that cannot be decided from the text.
 */
import type { AgentGuards } from '../agents/definition.ts';
import type { AddedBoundary, BoundaryKind, ReleaseContent } from '../base/config/policy.ts';
import type { Word } from '../base/text/options.ts';

/** A command that runs earlier in the same text and may change what leaves. */
export interface Preceding {
  readonly argv: readonly Word[];
  /** Absolute folder it runs in; `undefined` if unknown. */
  readonly directory?: string | undefined;
  readonly writesFile: boolean;
}

interface FindingPlace {
  /** Where in the command it stands, outermost first, for people: `['line 3', 'sh -c', 'git push']`. */
  readonly path: readonly string[];
  /** The words of the simple command, program first. */
  readonly argv: readonly Word[];
  /** Absolute folder the command runs in; `undefined` if unknown. */
  readonly directory: string | undefined;
}

export interface Boundary extends FindingPlace {
  readonly verdict: 'boundary';
  readonly kind: BoundaryKind;
  /** Id of the rule that matched: `git push`, `npm publish`. */
  readonly rule: string;
  readonly leaves: ReleaseContent;
  /** No table lists the tool; it is taken for a release by the name of its command. */
  readonly isUnlisted?: true;
  /** It is a call of a tool, not a command: what it sends is in the call, or is named by it. */
  readonly toolCall?: 'carries-content' | 'names-content';
  /** The words after the matched subcommand: `['origin', 'main']` for `git -C x push origin main`. */
  readonly operands: readonly Word[];
  /** `git --git-dir` or GIT_DIR, absolute, when the command sets one. */
  readonly gitDir?: string;
  /** `git -c key=value`, in order: they change what a push means. */
  readonly config: readonly string[];
  readonly before: readonly Preceding[];
  /** A command before it writes, moves or removes a file or folder whose path is not in the text. */
  readonly afterUnknownWrite?: true;
  /**
   * Options and variables that would switch another check off: `--no-verify`, `LANEHOLD_DISABLE`. They
   * do not change what is found; where the boundary would pass, a person is asked.
   */
  readonly tricks?: readonly string[];
  /** The command sets variables by which another git, or other settings of the user, may be used. */
  readonly otherGit?: boolean;
}

export interface Opaque extends FindingPlace {
  readonly verdict: 'opaque';
  /** Why it cannot be read, as a clause: `the program comes from the network`. */
  readonly why: string;
  /** The text contains a release word, or the program comes from the network. */
  readonly suspicious: boolean;
}

/** The command lifts or weakens a hold by a command of lanehold; a person has to agree. */
export interface Waiver extends FindingPlace {
  readonly verdict: 'waiver';
}

/** The command would lift holds without a command of lanehold; a person has to agree. */
export interface Tampering extends FindingPlace {
  readonly verdict: 'tampering';
  /** The end of a sentence that begins with `this command would`: `switch the hooks of git off`. */
  readonly what: string;
  readonly where: string;
  /** `repository`: it matters only if something can be held in this repository. */
  readonly reach: 'repository' | 'machine';
}

export type Finding = Boundary | Opaque | Waiver | Tampering;

export interface VisitedCommand {
  /** Program first. */
  readonly argv: readonly Word[];
  /** Folders it may run in; `undefined` if unknown. */
  readonly directories: readonly (string | undefined)[];
  /** It is part of a file of the project that the command runs. */
  readonly inFile: boolean;
  /** Its output goes into a pipe, a file or another command. */
  readonly outputIsUsed: boolean;
  /** The file that its input comes from. */
  readonly input: readonly Word[];
}

/** What the recogniser may ask about the machine. It uses no network and starts no process. */
export interface ReadingContext {
  readonly cwd: string;
  /** Variables that are certainly set for the command: HOME, PWD and what the agent passes on. */
  readonly env: NodeJS.ProcessEnv;
  /** Text of a file, or `undefined` if it is missing, unreadable, too large or not text. */
  readonly readFile: (path: string) => string | undefined;
  /** Names in a folder, subfolders with a slash at the end; `undefined` if there is none. Absent: unreadable. */
  readonly list?: (path: string) => readonly string[] | undefined;
  /** Root of the working tree that contains a folder, or `undefined` outside a repository. */
  readonly toplevel: (directory: string) => string | undefined;
  /** Which role a file, or something in a folder, has for holds, as a noun; `undefined` if none. */
  readonly guarded?: (path: string, use: 'file' | 'tree') => string | undefined;
  readonly agents?: readonly AgentGuards[];
  /** Boundaries that the project or its user has added, for commands that run in a folder; `undefined`: any folder. */
  readonly boundaries?: (directory: string | undefined) => readonly AddedBoundary[];
  /** Called for each command, before the commands that it runs; not for a second reading of the same text. */
  readonly visit?: (command: VisitedCommand) => void;
  /**
   * Called for each shell text that a file of the project holds and the command runs.
   *
   * @param within the scripts, targets and files that it is part of, outermost first.
   */
  readonly script?: (text: string, within: readonly string[]) => void;
}
