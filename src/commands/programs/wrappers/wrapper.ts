/**
 * A row of the tables of programs that run another command: which of its words come before that
 * command. Lists are words separated by blanks.
 */
export interface Wrapper {
  readonly names: string;
  /** Words of the subcommand that runs something: `exec`, `compose run`. */
  readonly path?: string;
  readonly values?: string;
  readonly flags?: string;
  readonly style?: 'gnu' | 'word';
  /** Words between the options and the command, as the time limit of `timeout`. */
  readonly operands?: number;
  /** `NAME=value` words stand before the command. */
  readonly assignments?: true;
  /** The command comes after `--`: always, or where there is one. */
  readonly afterDashes?: 'always' | 'maybe';
  /** The kind of the remaining words; they are a command's words if it is absent. */
  readonly runs?: 'words' | 'text' | 'texts' | 'package' | 'image' | 'subcommand';
  /** Options that name a module of Python to run instead. */
  readonly module?: string;
  /** Options whose value is a shell text that runs instead. */
  readonly script?: string;
  /** Its texts are shell commands only after this: `\\!`. */
  readonly after?: RegExp;
  /** Options that name the folder the command runs in. */
  readonly directory?: string;
  /** It runs on another machine or in a container: folder and variables are unknown there. */
  readonly remote?: true;
}

export function wrapper(names: string, rest?: Omit<Wrapper, 'names'>): Wrapper {
  return { names, ...rest };
}
