/**
 * The shape of the rule tables: which words of a tool make work leave the machine, and which
 * options make the same words harmless. Lists are words separated by blanks, and split only when
 * a command names the tool.
 */
import type { BoundaryKind, ReleaseContent } from '../../base/config/policy.ts';
import type { ProgramOptions, Use } from '../../base/text/options.ts';
import type { Frame } from '../reader.ts';

/** Options may stand before or after the subcommand; an unknown one is read both ways. */
export interface Tool extends ProgramOptions {
  readonly names: string;
  readonly directory?: string;
  /** Options that name a file in the folder where the tool works, such as `--manifest-path`. */
  readonly directoryOfFile?: string;
  /** Words the tool knows as subcommands: then an unknown word before one of them is an option. */
  readonly subcommands?: string;
  /**
   * Subcommands that send nothing, whatever words follow: `build run`. `*` where no word of the tool
   * is the name of a command: its words are files, hosts or texts.
   */
  readonly staysHere?: string;
  readonly rules: () => readonly Rule[];
}

export interface Rule {
  /** What a person would call the command: `git push`. Settings and the log contain it, so it never changes. */
  readonly id: string;
  readonly kind: BoundaryKind;
  /** The content that leaves; it follows from the kind if absent. */
  readonly leaves?: ReleaseContent;
  /** Words of the subcommand, each with its other spellings: `pr|mr create|new`. Empty: none. */
  readonly path: string;
  readonly values?: string;
  readonly flags?: string;
  /**
   * Options with which nothing leaves: `--dry-run`, or `--push=false`. `--x=false`, `--x false` and
   * `--no-x` turn `--x` off; the last one counts.
   */
  readonly dry?: string;
  /** The command is a boundary only with one of these options: `--push`, or `--draft=false`. */
  readonly only?: string;
  /** The command is no boundary if one of these words follows the path. */
  readonly except?: string;
  /** A condition beyond the words of the subcommand and the presence of options. */
  readonly when?: (match: Match, frame: Frame) => boolean;
}

/**
 * The parts of a command that a condition sees: the options that stand anywhere in it, and the
 * words after the subcommand. The raw words are not in it, because options may stand between them.
 */
export interface Match extends Omit<Use, 'argv'> {
  readonly globals: Use['options'];
}

/**
 * The rules of a table row, in one text, separated by `; `. Each is `id = path`, or only a path,
 * whose id then begins with the tool's first name. Options follow the path: in `pull --push|-p [-n
 * --dry-run]` one of the first has to be there, and with one of the others nothing leaves.
 */
type Row = Omit<Rule, 'id'> & { readonly id?: string };
type RowOptions = Omit<Row, 'kind' | 'path'>;

type ToolOptions = Omit<Tool, 'names' | 'rules'>;

const USAGE = /^(?:(.*) =(?: |$))?(.*?)(?:(?<!\S)(-\S+))?\s*(?:\[(.*)\])?$/;

export function tool(names: string, options: ToolOptions, rows: readonly Row[]): Tool {
  const [program] = names.split(' ');
  // `gh` and `pr|mr create|new` make `gh pr create`.
  const idOf = (path: string) => `${program} ${path.replaceAll(/\|\S+/g, '')}`.trimEnd();
  const ruleOf = (row: Row, usage: string): Rule => {
    const [, id = row.id, words = '', only, dry] = USAGE.exec(usage) ?? [];
    const given = { ...(only && { only: only.replaceAll('|', ' ') }), ...(dry && { dry }) };
    const path = words.trimEnd();
    return { ...row, ...given, path, id: id ?? idOf(path) };
  };
  let rules: readonly Rule[] | undefined;
  return {
    ...options,
    names,
    // Rules are parsed when a command names the tool: most commands name none.
    rules: () => {
      rules ??= rows.flatMap((row) => row.path.split('; ').map((usage) => ruleOf(row, usage)));
      return rules;
    },
  };
}

function rowsOf(kind: BoundaryKind) {
  /** Rules of the tool around it: `push('repo sync; stack push')`. */
  function row(path: string, options?: RowOptions): Row;
  /** A tool that has these rules alone: `push('hg', 'push')`. */
  function row(names: string, path: string, options?: RowOptions & ToolOptions): Tool;
  function row(first: string, second: string | RowOptions = {}, options = {}) {
    if (typeof second !== 'string') return { kind, path: first, ...second };
    // Before the subcommand, an option of the rule may mean something else.
    const ofTool = { ...options, values: '', flags: '' };
    return tool(first, ofTool, [{ kind, path: second, ...options }]);
  }
  return row;
}

export const push = rowsOf('push');
export const pullRequest = rowsOf('pull-request');
export const publish = rowsOf('publish');
export const imagePush = rowsOf('image-push');
export const deploy = rowsOf('deploy');
export const release = rowsOf('release');

/** Gives several tools the same rule: `each(publish, 'elm gleam', 'publish')`. */
export const each = (
  rowOf: ReturnType<typeof rowsOf>,
  names: string,
  path: string,
  options?: RowOptions,
): readonly Tool[] => names.split(' ').map((name) => rowOf(name, path, options));

/** Makes rules, by their id, that have nothing but a path. */
export const byId = (
  rowOf: ReturnType<typeof rowsOf>,
  paths: Readonly<Record<string, string>>,
): readonly Row[] => Object.entries(paths).map(([id, path]) => rowOf(path, { id }));

export const anyOperand =
  (pattern: RegExp) =>
  ({ operands }: Match): boolean =>
    operands.some((it) => pattern.test(it));

/** A condition: the last word, which is the target of a copy, matches. */
export const lastOperand =
  (pattern: RegExp) =>
  ({ operands }: Match): boolean =>
    pattern.test(operands.at(-1) ?? '');

/**
 * The proof of each rule, by its id: command lines that it finds, and others that it must let
 * through. They are in `<family>.examples.ts` beside the family, and in no bundle.
 */
export type Examples = Readonly<
  Record<string, { readonly releases: readonly string[]; readonly harmless: readonly string[] }>
>;
