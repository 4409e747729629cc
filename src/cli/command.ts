/** The one shape in which commands are declared. */
import { type Command, Option } from 'commander';
import type { Context } from './context.ts';

/** Adds a command to its parent; `context` may be called once the action runs. */
export type Declare = (parent: Command, context: () => Context) => void;

/** A command line, and why one would type it. */
export type Example = readonly [command: string, why: string];

interface CommandShape<Args extends readonly unknown[]> {
  readonly name: string;
  readonly about: string;
  readonly args?: readonly (readonly [name: string, about?: string])[];
  readonly options?: readonly (Option | readonly [flags: string, about: string])[];
  readonly examples: readonly Example[];
  /** What follows the examples in the help. */
  readonly notes?: string;
  /** Gets the arguments and then the options; loads what it needs, and returns the exit code. */
  readonly run: (context: Context, ...args: Args) => Promise<number>;
}

export function command<Args extends readonly unknown[]>(shape: CommandShape<Args>): Declare {
  return (parent, context) => {
    const declared = parent.command(shape.name).description(shape.about);
    for (const [name, about] of shape.args ?? []) declared.argument(name, about);
    for (const option of shape.options ?? []) {
      declared.addOption(option instanceof Option ? option : new Option(...option));
    }
    declared.addHelpText('after', helpEnd(shape.examples, shape.notes));
    declared.action(async (...given: unknown[]) => {
      // Commander hands over the command itself at the end.
      const args = given.slice(0, -1) as readonly unknown[] as Args;
      process.exitCode = await shape.run(context(), ...args);
    });
  };
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

/** @param value what the option is where it is not given. */
export function optionWithDefault(flags: string, about: string, value: string): Option {
  return new Option(flags, about).default(value);
}

export function requiredOption(flags: string, about: string): Option {
  return new Option(flags, about).makeOptionMandatory();
}

function helpEnd(examples: readonly Example[], notes = ''): string {
  const widest = Math.max(...examples.map(([line]) => line.length));
  const lines = examples.map(([line, why]) => `  ${line.padEnd(widest)}  ${why}`);
  return `\nExamples:\n${lines.join('\n')}${notes}`;
}
