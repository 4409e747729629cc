/** The list of all commands. An action loads what it needs, so that other commands start fast. */
import { Command, type CommanderError, Option } from 'commander';
import { UsageError } from '../errors.ts';
import { packageVersion } from '../package.ts';
import type { Declare } from './command.ts';
import { declareConfig } from './commands/config.ts';
import { declareDoctor } from './commands/doctor.ts';
import { declareEvidence } from './commands/evidence.ts';
import { declareFeature } from './commands/feature.ts';
import { declareGate } from './commands/gate.ts';
import { declareGitHook } from './commands/git-hook.ts';
import { declareHook } from './commands/hook.ts';
import { declareInstall, declareUninstall } from './commands/install.ts';
import { declareOrchestrate } from './commands/orchestrate.ts';
import { declareLog, declareStatus, declareStatusline } from './commands/status.ts';
import type { Context, Streams } from './context.ts';

export const COMMANDS: readonly Declare[] = [
  declareInstall,
  declareUninstall,
  declareDoctor,
  declareStatus,
  declareStatusline,
  declareFeature,
  declareEvidence,
  declareGate,
  declareGitHook,
  declareOrchestrate,
  declareLog,
  declareConfig,
  declareHook,
];

export function createProgram(
  commands: readonly Declare[],
  streams: Streams,
  context: () => Context,
): Command {
  const program = new Command('lanehold')
    .description(
      'Hold back what AI coding agents push and publish until every affected feature is verified',
    )
    .version(packageVersion())
    .enablePositionalOptions()
    .configureHelp({ showGlobalOptions: false })
    .configureOutput({
      writeOut: (text) => streams.stdout.write(text),
      writeErr: (text) => streams.stderr.write(text),
      // `renderFailure` prints these, in the same form as every other failure.
      outputError: () => undefined,
    });

  for (const declare of commands) declare(program, context);
  complete(program);
  return program;
}

/** Adds global options and explained misuse to a command and all below it. */
function complete(command: Command): void {
  const own = new Set(command.options.map((option) => option.long));
  for (const option of globalOptions()) {
    if (!own.has(option.long)) command.addOption(option.helpGroup('Global options:'));
  }
  command.exitOverride((error) => {
    throw error.exitCode === 0 || error.code === 'commander.help' ? error : misuse(error, command);
  });
  for (const child of command.commands) complete(child);
}

function globalOptions(): Option[] {
  return [
    new Option('--json', 'print the result, or the error, as JSON'),
    new Option('--project <dir>', 'work on this folder instead of the working directory'),
    new Option('-q, --quiet', 'print the result only'),
    new Option('--verbose', 'print more: ids, paths, causes'),
  ];
}

/** Turns `error: unknown option '--hed'\n(Did you mean --head?)` into a fact and a hint. */
function misuse(error: CommanderError, command: Command): UsageError {
  const [first = '', ...rest] = error.message.split('\n');
  const fact = first
    .replace(/^error: /, '')
    .replaceAll(/'([^']*)'/g, '`$1`')
    .replace(/\.$/, '');
  const meant = /Did you mean (?:one of )?(.+)\?\)/.exec(rest.join(' '))?.[1];
  const hint = meant
    ? `did you mean ${meant
        .split(', ')
        .map((word) => `\`${word}\``)
        .join(' or ')}?`
    : `see \`${fullName(command)} --help\``;
  return new UsageError(fact, { hint, cause: error });
}

function fullName(command: Command): string {
  return command.parent ? `${fullName(command.parent)} ${command.name()}` : command.name();
}
