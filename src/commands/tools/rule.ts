/**
 * The shape of the rule tables: which words of a tool make work leave the machine, and which
 * options make the same words harmless. Lists are words separated by blanks, and split only when
 * a command names the tool.
 */
import type { BoundaryKind, ReleaseContent } from '../../base/config/policy.ts';
import type { ProgramOptions, Use } from '../../base/text/options.ts';
import type { Frame } from '../reader.ts';

/** Its options may stand before or after the subcommand; an unknown one is read both ways. */
export interface Tool extends ProgramOptions {
  /** Program names, without folder. */
  readonly names: string;
  /** Options that name the folder the tool works in. */
  readonly directory?: string;
  /** Options that name a file in that folder, as `--manifest-path` does. */
  readonly directoryOfFile?: string;
  /** Words the tool knows as subcommands: then an unknown word before one of them is an option. */
  readonly subcommands?: string;
  readonly rules: readonly Rule[];
}

export interface Rule {
  /**
   * What a person would call it: `git push`. Users name it in their settings and it stands in the
   * log, so it never changes.
   */
  readonly id: string;
  readonly kind: BoundaryKind;
  /** Follows from the kind if absent. */
  readonly leaves?: ReleaseContent;
  /** Words of the subcommand, each with its other spellings: `pr|mr create|new`. Empty: none. */
  readonly path: string;
  readonly values?: string;
  readonly flags?: string;
  /**
   * Options that make it a dry run. `--x=false` and `--no-x` turn `--x` off; the last one counts.
   */
  readonly dry?: string;
  /** The next word `true` or `false` is the value of a dry-run option, as npm reads it. */
  readonly takesTruth?: true;
  /** Environment variables that make it a dry run when they are set to something true. */
  readonly dryVariables?: string;
  /** It is a boundary only with one of these options: `--push`, or `--draft=false`. */
  readonly only?: string;
  /** It is no boundary with one of these options. */
  readonly unless?: string;
  /** It is no boundary if one of these words follows the path. */
  readonly except?: string;
  /** A condition beyond the words of the subcommand and the presence of options. */
  readonly when?: (use: Use, frame: Frame) => boolean;
}

/** A rule as a table writes it. */
type Row = Omit<Rule, 'id'> & { readonly id?: string };

type ToolOptions = Omit<Tool, 'names' | 'rules'>;
type Rows = readonly Row[];

/**
 * A tool and its rules, which follow short options or stand among long ones. The id of a rule is the
 * tool's first name and its path, unless it has its own.
 */
export function tool(names: string, rules: Rows): Tool;
export function tool(names: string, options: ToolOptions, rules: Rows): Tool;
export function tool(names: string, options: ToolOptions & { readonly rules: Rows }): Tool;
export function tool(names: string, given: Rows | (ToolOptions & { rules?: Rows }), last?: Rows) {
  const options = 'map' in given ? { rules: given } : given;
  const [program = ''] = names.split(' ');
  const rules = (last ?? options.rules ?? []).map((row) => ({
    ...row,
    id: row.id ?? idOf(program, row.path),
  }));
  return { ...options, names, rules };
}

/** `gh` and `pr|mr create|new` make `gh pr create`. */
function idOf(program: string, path: string): string {
  return `${program} ${path.replaceAll(/\|\S+/g, '')}`.trimEnd();
}

type RowOptions = Omit<Row, 'kind' | 'path'>;

function rowsOf(kind: BoundaryKind) {
  /** A rule of the tool that it stands in: `push('repo sync')`. */
  function row(path: string, options?: RowOptions): Row;
  /** A tool with this rule alone: `push('hg', 'push')`. */
  function row(names: string, path: string, options?: RowOptions): Tool;
  function row(first: string, second: string | RowOptions = {}, options: RowOptions = {}) {
    if (typeof second !== 'string') return { kind, path: first, ...second };
    return tool(first, [{ kind, path: second, ...options }]);
  }
  return row;
}

export const push = rowsOf('push');
export const pullRequest = rowsOf('pull-request');
export const publish = rowsOf('publish');
export const imagePush = rowsOf('image-push');
export const deploy = rowsOf('deploy');
export const release = rowsOf('release');

/** A condition: one of the words after the subcommand matches. */
export const anyOperand =
  (pattern: RegExp) =>
  ({ operands }: Use): boolean =>
    operands.some((it) => pattern.test(it));

/** A condition: the last word, which is the target of a copy, matches. */
export const lastOperand =
  (pattern: RegExp) =>
  ({ operands }: Use): boolean =>
    pattern.test(operands.at(-1) ?? '');
