/** How commands are declared, what each gets, and how Ctrl-C ends long ones. */

import { statSync } from 'node:fs';
import { resolve } from 'node:path';
import type { Key } from 'node:readline';
import { text } from 'node:stream/consumers';
import { setTimeout as pause } from 'node:timers/promises';
import { type Command, Option } from 'commander';
import type { AppContext, Invocation } from '../../app/context.ts';
import { storeOnDemand } from '../../app/store-on-demand.ts';
import { ExitCode, UsageError } from '../../base/errors.ts';
import { printableJson } from '../../base/text/printable.ts';
import { fitted } from '../words/fit.ts';
import type { Output, Streams } from '../words/output.ts';

/** Adds a command to its parent; `context` may be called once the action runs. */
export type Declare = (parent: Command, context: () => Context) => void;

export type Example = readonly [command: string, why: string];

type ArgShape = readonly [name: string, about?: string];
type OptionShape = readonly [flags: string, about: string, more?: OptionExtras];

interface OptionExtras {
  /** The value of an option that is not given. */
  readonly default?: string;
  readonly required?: true;
  readonly conflicts?: string;
  readonly group?: string;
}

/** The types of arguments as commander passes them: `<keys...>` is a list, `[key]` may be absent. */
type ArgsOf<Args extends readonly ArgShape[]> = {
  [At in keyof Args]: Args[At][0] extends `${string}...${string}`
    ? string[]
    : string | (Args[At][0] extends `[${string}` ? undefined : never);
};

/** The types of options as commander passes them: `--dry-run` is `dryRun`, `<x...>` a list. */
export type OptionsOf<Options extends readonly OptionShape[]> = {
  readonly [It in Exclude<Options[number], AlwaysSet> as NameOf<It[0]>]?: ValueOf<It[0]>;
} & {
  readonly [It in Extract<Options[number], AlwaysSet> as NameOf<It[0]>]: ValueOf<It[0]>;
};

type AlwaysSet =
  | readonly [`--no-${string}`, ...unknown[]]
  | readonly [string, string, { readonly default: string } | { readonly required: true }];
type NameOf<Flags extends string> = Flags extends
  | `--no-${infer Name}`
  | `${string}--${infer Name} ${string}`
  ? CamelCase<Name>
  : Flags extends `${string}--${infer Name}`
    ? CamelCase<Name>
    : never;
type CamelCase<Name extends string> = Name extends `${infer Word}-${infer Rest}`
  ? `${Word}${Capitalize<CamelCase<Rest>>}`
  : Name;
type ValueOf<Flags extends string> = Flags extends `${string}...>`
  ? readonly string[]
  : Flags extends `${string}>`
    ? string
    : Flags extends `${string}]`
      ? string | true
      : boolean;

interface CommandShape<Args extends readonly ArgShape[], Options extends readonly OptionShape[]> {
  readonly name: string;
  readonly about: string;
  readonly args?: Args;
  readonly options?: Options;
  readonly examples: readonly Example[];
  /** The text after the examples in the help. */
  readonly notes?: string;
  readonly commands?: readonly Declare[];
  /** Loads what it needs, and returns the exit code. */
  readonly run: (
    context: Context,
    ...given: [...ArgsOf<Args>, OptionsOf<Options>]
  ) => Promise<number>;
}

export function command<
  const Args extends readonly ArgShape[] = readonly [],
  const Options extends readonly OptionShape[] = readonly [],
>(shape: CommandShape<Args, Options>): Declare {
  return (parent, context) => {
    const declared = parent.command(shape.name).description(shape.about);
    for (const [name, about] of shape.args ?? []) declared.argument(name, about);
    for (const option of shape.options ?? []) declared.addOption(optionOf(option));
    declared.addHelpText('after', helpEnd(shape.examples, shape.notes));
    for (const declare of shape.commands ?? []) declare(declared, context);
    declared.action(async (...given: unknown[]) => {
      // Commander passes the command itself as the last argument.
      const args = given.slice(0, -1) as [...ArgsOf<Args>, OptionsOf<Options>];
      const own = context();
      assertFilledIn(args);
      process.exitCode = await shape.run(own, ...args);
    });
  };
}

const TO_FILL_IN = /^(?:ANSWER|COMMAND|GLOB|GOAL|KEY|QUESTION|TASK|TEXT|WHAT IS WRONG)$/;

/** @throws {UsageError} if a word of a hint or an example was pasted that stands for one's own. */
function assertFilledIn(args: readonly unknown[]): void {
  const values = args.flatMap((it) => (typeof it === 'object' ? Object.values(it ?? {}) : it));
  const left = values.flat().find((it) => typeof it === 'string' && TO_FILL_IN.test(it));
  if (left === undefined) return;
  throw new UsageError(`${left} stands for what you mean`, { hint: 'put that in its place' });
}

function optionOf([flags, about, more = {}]: OptionShape): Option {
  const option = new Option(flags, about).makeOptionMandatory(more.required === true);
  if (more.default !== undefined) option.default(more.default);
  if (more.conflicts !== undefined) option.conflicts(more.conflicts);
  if (more.group !== undefined) option.helpGroup(more.group);
  return option;
}

/** @param shape `before` is called before any command of the group runs. */
export function group(shape: {
  readonly name: string;
  readonly about: string;
  readonly examples?: readonly Example[];
  readonly commands: readonly Declare[];
  readonly before?: (action: Command, context: Context) => Promise<void>;
}): Declare {
  const { before, examples } = shape;
  return (parent, context) => {
    const declared = parent.command(shape.name).description(shape.about);
    if (examples !== undefined) declared.addHelpText('after', helpEnd(examples));
    for (const declare of shape.commands) declare(declared, context);
    if (before !== undefined) declared.hook('preAction', (_, action) => before(action, context()));
  };
}

function helpEnd(examples: readonly Example[], notes = '') {
  return ({ command }: { readonly command: Command }): string => {
    const columns = command.configureOutput().getOutHelpWidth?.() ?? USUAL_COLUMNS;
    return `\nExamples:\n${exampleLines(examples, columns)}${notes}`;
  };
}

export const USUAL_COLUMNS = 80;

/** The lines of examples, with their purpose beside them if all of them fit. */
export function exampleLines(examples: readonly Example[], columns: number): string {
  const widest = Math.max(...examples.map(([line]) => line.length));
  const besides = examples.map(([line, why]) => `  ${line.padEnd(widest)}  ${why}`);
  const fits = besides.every((line) => line.length <= columns);
  const below = examples.flatMap(([line, why]) => [`  ${line}`, `      ${why}`]);
  return fitted((fits ? besides : below).join('\n'), columns);
}

/** The context of use cases, and how a command prints. Made once, in `main.ts`. */
export interface Context extends AppContext, Output {
  /**
   * Prints the result, once per command: `data` as JSON under `--json`, else `text`, or its result for the data; under
   * `--quiet` only failures. The text is wrapped to the terminal.
   *
   * @param form `as it is` for text of somebody else, or for programs.
   * @returns the exit code of the command.
   */
  print<T>(
    data: T,
    text: string | ((data: T) => string),
    exitCode?: number,
    form?: 'as it is',
  ): number;
  close(): Promise<void>;
}

/** The process as the program sees it: `main.ts` makes one of `process`, tests of buffers. */
export interface Host extends Pick<Output, 'env' | 'now' | 'streams'> {
  /** The words that were typed after the program's name. */
  readonly argv: readonly string[];
  /** @throws if the working directory was deleted. */
  readonly cwd: () => string;
  readonly program: Invocation['program'];
  readonly parents: Invocation['parents'];
}

/** Options of every command, as commander passes them. */
export interface GlobalOptions {
  readonly json?: boolean;
  readonly quiet?: boolean;
  readonly verbose?: boolean;
  /** `true` if the command gives the flag without a value a meaning of its own. */
  readonly project?: string | boolean;
}

export function createContext(host: Host, options: GlobalOptions): Context {
  const { env, now, streams } = host;
  const { json = false, quiet = false, verbose = false } = options;
  const { store, close } = storeOnDemand(env);
  return {
    env,
    now,
    streams,
    json,
    quiet,
    verbose,
    cwd: projectFolder(host, options.project),
    invocation: {
      program: host.program,
      words: host.argv,
      get folder() {
        return host.cwd();
      },
      parents: host.parents,
    },
    store,
    close,
    print(data, text, exitCode = ExitCode.done, form) {
      if (quiet && !json && exitCode === ExitCode.done) return exitCode;
      const columns = form === undefined ? streams.stdout.columns : undefined;
      const said = () => fitted(typeof text === 'string' ? text : text(data), columns);
      streams.stdout.write(`${json ? printableJson(data, 2) : said()}\n`);
      return exitCode;
    },
    // Nothing is printed under `--quiet` or `--json`.
    progress(line) {
      if (!quiet && !json) streams.stderr.write(`${fitted(line, streams.stderr.columns)}\n`);
    },
  };
}

function projectFolder({ env, cwd }: Host, option: string | boolean | undefined): string {
  const wanted = typeof option === 'string' ? option : env.LANEHOLD_PROJECT;
  if (!wanted) return cwd();
  const folder = resolve(cwd(), wanted);
  if (!statSync(folder, { throwIfNoEntry: false })?.isDirectory()) {
    const source = typeof option === 'string' ? '--project' : 'LANEHOLD_PROJECT';
    throw new UsageError(`there is no folder ${folder}`, { hint: `correct ${source}` });
  }
  return folder;
}

export function canAnswer({ streams: { stdin, stderr }, json }: Context): boolean {
  return !json && stdin.isTTY === true && stderr.isTTY === true;
}

/** Asks the person at the terminal; without one, or if the question is left, the answer is no. */
export async function agrees(context: Context, question: string, usual: 'yes' | 'no' = 'yes') {
  if (!canAnswer(context)) return false;
  const answer = await lineOf(context, `${question} ${usual === 'yes' ? '[Y/n]' : '[y/N]'}`);
  return /^y(?:es)?$/i.test(answer === '' ? usual : (answer ?? 'no'));
}

/** @returns `undefined` if the person has left the question: with Esc, Ctrl-C, or Ctrl-D before any text. */
export async function lineOf({ streams: { stdin, stderr } }: Context, question: string) {
  const { createInterface } = await import('node:readline/promises');
  const prompt = createInterface({ input: stdin, output: stderr });
  const left = new AbortController();
  prompt.once('close', () => left.abort());
  const onKey = (_: unknown, { name }: Key) => name === 'escape' && prompt.close();
  stdin.on('keypress', onKey);
  // Only leaving it rejects a question.
  const answer = await prompt
    .question(`${fitted(question, stderr.columns)} `, left)
    .catch(() => void stderr.write('\n'));
  stdin.off('keypress', onKey);
  prompt.close();
  return answer?.trim();
}

/** The typed text; `-` stands for stdin. */
export async function typedOrInput({ streams }: Context, typed: string): Promise<string> {
  return typed === '-' ? text(streams.stdin) : typed;
}

/** The exit code that a shell reports for a program that ended on Ctrl-C. */
export const INTERRUPTED = 130;

/** Runs `work` with a signal that aborts when the process is asked to end. */
export async function interruptible<T>(work: (signal: AbortSignal) => Promise<T>): Promise<T> {
  const interruption = new AbortController();
  const interrupt = (): void => interruption.abort();
  const signals = ['SIGINT', 'SIGTERM', 'SIGHUP'] as const;
  for (const signal of signals) process.on(signal, interrupt);
  try {
    return await work(interruption.signal);
  } finally {
    for (const signal of signals) process.off(signal, interrupt);
  }
}

/** Repeats `step` until it returns that it is done, stdout is closed, or Ctrl-C. */
export function repeatedly(
  { stdout }: Streams,
  everyMs: number,
  step: () => Promise<'more' | 'done'>,
): Promise<void> {
  return interruptible(async (signal) => {
    while (!signal.aborted && !stdout.writableEnded) {
      if ((await step()) === 'done') return;
      await pause(everyMs, undefined, { signal }).catch(() => undefined);
    }
  });
}
