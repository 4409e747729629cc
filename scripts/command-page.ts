/** Writes `docs/commands.md`: every command with its options, as the program declares them. */
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Command, Option } from 'commander';
import { allCommands, createProgram } from '../src/fronts/main.ts';

export const COMMAND_PAGE = join(import.meta.dirname, '../docs/commands.md');

/** Options that every command has are listed once, at the beginning. */
const COMMON: ReadonlySet<string> = new Set(['--quiet', '--json', '--project', '--verbose']);

const isCommon = ({ long }: Option): boolean => COMMON.has(long ?? '');

export async function commandPage(): Promise<string> {
  const program = createProgram(await allCommands(), process, () => {
    throw new Error('no command is run');
  });
  const sections = shown(program).map((it) => `## ${it.name()}\n\n${described(it, ['lanehold'])}`);
  return [
    '# Commands and their options',
    'Written by `npm run generate` from what the program declares; `--help` shows the same with examples.',
    `Every command takes:\n\n${listed(program.options)}`,
    ...sections,
    '',
  ].join('\n\n');
}

const shown = ({ commands }: Command) => commands.filter((it) => it.name() !== 'help');

function described(command: Command, above: readonly string[]): string {
  const words = [...above, command.name()];
  const options = command.options.filter((it) => !isCommon(it));
  const needed = options.filter(({ mandatory }) => mandatory).map(({ flags }) => flags);
  const usage = [...words, ...command.registeredArguments.map(argument), ...needed].join(' ');
  return [
    `\`${usage}\`: ${command.description()}`,
    ...(options.length === 0 ? [] : [listed(options)]),
    ...shown(command).map((it) => described(it, words)),
  ].join('\n\n');
}

function argument(it: Command['registeredArguments'][number]): string {
  const name = `${it.name()}${it.variadic ? '...' : ''}`;
  return it.required ? `<${name}>` : `[${name}]`;
}

function listed(options: readonly Option[]): string {
  return options.map((it) => `- \`${it.flags}\`: ${it.description}${defaultOf(it)}`).join('\n');
}

const defaultOf = ({ defaultValue }: Option): string =>
  defaultValue === undefined ? '' : ` (default: ${String(defaultValue)})`;

if (import.meta.main) writeFileSync(COMMAND_PAGE, await commandPage());
