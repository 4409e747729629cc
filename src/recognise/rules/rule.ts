/**
 * The shape of the rule tables: which words of a tool make work leave the machine, and which
 * options make the same words harmless. Everything here is data; lists are words separated by
 * blanks, so that loading a table costs nothing until a command names one of its tools.
 */
import type { BoundaryKind, Leaving } from '../../config/policy.ts';

export interface Tool {
  /** Program names, without folder. */
  readonly names: string;
  /** Options before or after the subcommand that take a value in the next word. */
  readonly values?: string;
  /** Options known to take none; with neither, both readings are tried. */
  readonly flags?: string;
  /**
   * How options are spelled. `gnu`: `-abc` are three; `word`: one dash before a whole name
   * (`-chdir=x`), as Go's flag package and Java tools have it.
   */
  readonly style?: 'gnu' | 'word';
  /** `gnu` long options may be shortened to a unique prefix. */
  readonly abbreviates?: true;
  /** Options that name the folder the tool works in. */
  readonly directory?: string;
  /** Options that name a file in that folder, as `--manifest-path` does. */
  readonly directoryOfFile?: string;
  /** Options that print help instead; `-h --help` if absent. */
  readonly help?: string;
  /** Words the tool knows as subcommands: then an unknown word before one of them is an option. */
  readonly subcommands?: string;
  readonly rules: readonly Rule[];
}

export interface Rule {
  /** What a person would call it: `git push`. */
  readonly id: string;
  readonly kind: BoundaryKind;
  /** Follows from the kind if absent. */
  readonly leaves?: Leaving;
  /** Words of the subcommand, each with its other spellings: `pr|mr create|new`. Empty: none. */
  readonly path: string;
  readonly values?: string;
  readonly flags?: string;
  /**
   * Options that make it a dry run. `--x=false` and `--no-x` turn `--x` off; the last one counts.
   */
  readonly dry?: string;
  /** Options that make it real again after a dry one: `--no-dry-run` needs no mention. */
  readonly real?: string;
  /** The next word `true` or `false` is the value of a dry-run option, as npm reads it. */
  readonly takesTruth?: true;
  /** Environment variables that make it a dry run when they are set to something true. */
  readonly dryVariables?: string;
  /** What the words alone do not say. */
  readonly when?: (use: Use) => boolean;
}

export interface UsedOption {
  readonly name: string;
  readonly value: string | undefined;
}

/** A use of a tool, taken apart by its option grammar. */
export interface Use {
  readonly options: readonly UsedOption[];
  /** Words after the subcommand that are no options. */
  readonly operands: readonly string[];
  readonly argv: readonly string[];
  /** One of the options is given. */
  readonly has: (...names: readonly string[]) => boolean;
  /** The last value of an option, under any of its names. */
  readonly value: (...names: readonly string[]) => string | undefined;
  readonly values: (...names: readonly string[]) => readonly string[];
}
