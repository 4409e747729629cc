/** The one shape in which commands are declared. */
import { type Command, Option } from 'commander';
import type { Context } from './context.ts';

/** Adds a command to its parent; `context` may be called once the action runs. */
export type Declare = (parent: Command, context: () => Context) => void;

/** A command line, and why one would type it. */
export type Example = readonly [command: string, why: string];

/** Loads two modules at once: most commands need a use case and the text for its result. */
export async function both<A, B>(one: Promise<A>, other: Promise<B>): Promise<A & B> {
  const [first, second] = await Promise.all([one, other]);
  return { ...first, ...second };
}

type ArgShape = readonly [name: string, about?: string];
type OptionShape = readonly [flags: string, about: string, more?: OptionExtras];

interface OptionExtras {
  /** What the option is where it is not given. */
  readonly default?: string;
  readonly required?: true;
  readonly conflicts?: string;
  /** Heading in the help. */
  readonly group?: string;
}

/** Arguments as commander hands them over: `<keys...>` is a list, `[key]` may be absent. */
type ArgsOf<Args extends readonly ArgShape[]> = {
  [At in keyof Args]: Args[At][0] extends `${string}...${string}`
    ? string[]
    : string | (Args[At][0] extends `[${string}` ? undefined : never);
};

/** Options as commander hands them over: `--dry-run` is `dryRun`, `<x...>` a list. */
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
  /** What follows the examples in the help. */
  readonly notes?: string;
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
    declared.action(async (...given: unknown[]) => {
      // Commander hands over the command itself at the end.
      const args = given.slice(0, -1) as [...ArgsOf<Args>, OptionsOf<Options>];
      process.exitCode = await shape.run(context(), ...args);
    });
  };
}

function optionOf([flags, about, more = {}]: OptionShape): Option {
  const option = new Option(flags, about).makeOptionMandatory(more.required === true);
  if (more.default !== undefined) option.default(more.default);
  if (more.conflicts !== undefined) option.conflicts(more.conflicts);
  if (more.group !== undefined) option.helpGroup(more.group);
  return option;
}

interface GroupShape {
  readonly name: string;
  readonly about: string;
  readonly examples?: readonly Example[];
  readonly commands: readonly Declare[];
  /** Called before any command of the group runs. */
  readonly before?: (action: Command, context: Context) => void;
}

export function group({ name, about, examples, commands, before }: GroupShape): Declare {
  return (parent, context) => {
    const declared = parent.command(name).description(about);
    if (examples !== undefined) declared.addHelpText('after', helpEnd(examples));
    for (const declare of commands) declare(declared, context);
    if (before !== undefined) declared.hook('preAction', (_, action) => before(action, context()));
  };
}

function helpEnd(examples: readonly Example[], notes = ''): string {
  const widest = Math.max(...examples.map(([line]) => line.length));
  const lines = examples.map(([line, why]) => `  ${line.padEnd(widest)}  ${why}`);
  return `\nExamples:\n${lines.join('\n')}${notes}`;
}
