/**
 * The shape of the tables of programs that run another command: the part of their option grammar
 * that says where it starts. Lists are words separated by blanks.
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
  /** What the remaining words are; a command's words if absent. */
  readonly runs?: 'words' | 'text' | 'texts' | 'package' | 'image' | 'subcommand';
  /** Options whose value is a shell text that runs instead. */
  readonly script?: string;
  /** Options that name the folder the command runs in. */
  readonly directory?: string;
  /** It runs elsewhere: folder and variables are not those of this shell. */
  readonly remote?: true;
}
