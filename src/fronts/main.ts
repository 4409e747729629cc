/** The command line: makes the host, runs one command, and catches every error. */
import { existsSync } from 'node:fs';
import { Command, CommanderError, Help, Option } from 'commander';
import { explained, failureOf } from '../app/explain.ts';
import { attempt, ExitCode, ExplainedError, UsageError } from '../base/errors.ts';
import { homeOf } from '../base/files/home.ts';
import { packageVersion } from '../base/files/package.ts';
import { projectPlace } from '../base/git/project.ts';
import { parentCommands } from '../base/process/parents.ts';
import { printable, printableJson } from '../base/text/printable.ts';
import {
  type Context,
  createContext,
  type Declare,
  type Example,
  exampleLines,
  type GlobalOptions,
  type Host,
  USUAL_COLUMNS,
} from './cli/command.ts';
import { fitted } from './words/fit.ts';
import type { Streams } from './words/output.ts';
import { painter } from './words/table.ts';

/** Runs what was typed and returns the exit code; never throws. */
export async function main(host: Host = ownHost(), commands = COMMANDS): Promise<number> {
  const { argv, streams } = host;
  ignoreClosedPipes(host);
  // Commands set `process.exitCode`; its earlier value is restored in the end.
  const before = process.exitCode;
  process.exitCode = undefined;
  let context: Context | undefined;
  try {
    let options: GlobalOptions = {};
    const run = async (declares: readonly Declare[]) => {
      const program = createProgram(declares, streams, () => {
        context ??= createContext(host, options);
        return context;
      });
      program.hook('preAction', (_, command) => {
        options = command.optsWithGlobals();
      });
      await program.parseAsync(argv.length === 0 ? ['--help'] : [...argv], { from: 'user' });
    };
    const [first = ''] = argv;
    const typed = Object.hasOwn(commands, first) ? commands[first] : undefined;
    // Others need all commands: the help, and what is said of a mistake.
    const few = typed && [await typed()];
    try {
      await run(few ?? (await allCommands(commands)));
    } catch (error) {
      if (few === undefined || !isMisuse(error)) throw error;
      // The person may have meant another command.
      await run(await allCommands(commands));
    }
    await tellTeam(first, context);
    return Number(process.exitCode ?? ExitCode.done);
  } catch (error) {
    // Commander throws this after it has printed help or the version.
    if (error instanceof CommanderError)
      return error.exitCode === 0 ? ExitCode.done : ExitCode.usage;
    const failure = await renderFailure(await explained(error, host.env), host);
    streams.stdout.write(failure.stdout);
    streams.stderr.write(failure.stderr);
    return failure.exitCode;
  } finally {
    await context?.close();
    process.exitCode = before;
  }
}

/** Commands after which the team has something to hear. */
const TOLD_TO_TEAM: ReadonlySet<string> = new Set(['feature', 'note', 'orchestrate']);

async function tellTeam(command: string, context: Context | undefined): Promise<void> {
  if (context === undefined || !TOLD_TO_TEAM.has(command)) return;
  if (!existsSync(homeOf(context.env).team)) return;
  const { launchTeamSync } = await import('../moments/lifecycle/launch-refresh.ts');
  // The command has done its work, and the next exchange says the same.
  attempt(() => launchTeamSync(projectPlace(context.cwd), context, 'command'));
}

const isMisuse = (error: unknown) =>
  error instanceof UsageError && error.cause instanceof CommanderError;

function ownHost(): Host {
  return {
    argv: process.argv.slice(2),
    env: process.env,
    cwd: workingDirectory,
    program: process.argv[1] ?? '',
    parents: parentCommands,
    now: () => new Date(),
    streams: process,
  };
}

function workingDirectory(): string {
  try {
    return process.cwd();
  } catch (cause) {
    throw new ExplainedError('the working directory no longer exists', {
      hint: 'change to another folder, or give `--project <dir>`',
      cause,
    });
  }
}

/** A reader that closes the pipe early (`lanehold log | head`) is no failure. */
function ignoreClosedPipes({ streams }: Host): void {
  for (const stream of [streams.stdout, streams.stderr]) {
    stream.on('error', (error: NodeJS.ErrnoException) => {
      if (error.code !== 'EPIPE') throw error;
    });
  }
}

/** The commands by name, in the order of the help. */
type Commands = Readonly<Record<string, () => Promise<Declare>>>;

/** Loaded when typed, because each brings much code with it. */
const COMMANDS: Commands = {
  feature: async () => (await import('./cli/commands/feature.ts')).declareFeature,
  gate: async () => (await import('./cli/commands/gate.ts')).declareGate,
  evidence: async () => (await import('./cli/commands/evidence.ts')).declareEvidence,
  team: async () => (await import('./cli/commands/team.ts')).declareTeam,
  status: async () => (await import('./cli/commands/status.ts')).declareStatus,
  statusline: async () => (await import('./cli/commands/hook.ts')).declareStatusline,
  log: async () => (await import('./cli/commands/status.ts')).declareLog,
  ui: async () => (await import('./cli/commands/ui.ts')).declareUi,
  orchestrate: async () => (await import('./cli/commands/orchestrate.ts')).declareOrchestrate,
  note: async () => (await import('./cli/commands/note.ts')).declareNote,
  guard: async () => (await import('./cli/commands/guard.ts')).declareGuard,
  recall: async () => (await import('./cli/commands/recall.ts')).declareRecall,
  session: async () => (await import('./cli/commands/session.ts')).declareSession,
  dream: async () => (await import('./cli/commands/dream.ts')).declareDream,
  index: async () => (await import('./cli/commands/recall.ts')).declareIndex,
  scan: async () => (await import('./cli/commands/recall.ts')).declareScan,
  export: async () => (await import('./cli/commands/recall.ts')).declareExport,
  forget: async () => (await import('./cli/commands/forget.ts')).declareForget,
  prune: async () => (await import('./cli/commands/forget.ts')).declarePrune,
  project: async () => (await import('./cli/commands/project.ts')).declareProject,
  init: async () => (await import('./cli/commands/init.ts')).declareInit,
  install: async () => (await import('./cli/commands/install.ts')).declareInstall,
  uninstall: async () => (await import('./cli/commands/install.ts')).declareUninstall,
  doctor: async () => (await import('./cli/commands/doctor.ts')).declareDoctor,
  'git-hook': async () => (await import('./cli/commands/git-hook.ts')).declareGitHook,
  config: async () => (await import('./cli/commands/config.ts')).declareConfig,
  resident: async () => (await import('./cli/commands/resident.ts')).declareResident,
  mcp: async () => (await import('./cli/commands/mcp.ts')).declareMcp,
  hook: async () => (await import('./cli/commands/hook.ts')).declareHook,
};

/** The first command under each heading of the help. */
const HEADINGS = new Map([
  ['feature', 'Hold:'],
  ['orchestrate', 'Lanes:'],
  ['note', 'Memory:'],
  ['init', 'Setup:'],
]);

const USUAL: readonly Example[] = [
  ['lanehold init', 'set up agents, features and git here'],
  ['lanehold feature discover', 'propose what has to be proven'],
  ['lanehold status', 'what is held here, and why'],
  ['lanehold feature verify --pending', 'run the tests of what is held'],
  ["lanehold gate --command 'git push'", 'whether it would be held'],
  ['lanehold orchestrate status --watch', 'who is at work on which lane'],
  ['lanehold ui', 'all of it in the browser'],
  ["lanehold recall search 'token expiry'", 'what is remembered about it'],
  ['lanehold doctor', 'whether the hooks really answer'],
];

/** All of them, for who looks at the whole command line. */
export const allCommands = (commands = COMMANDS): Promise<Declare[]> =>
  Promise.all(Object.values(commands).map((it) => it()));

export function createProgram(
  commands: readonly Declare[],
  streams: Streams,
  context: () => Context,
): Command {
  const columns = () => streams.stdout.columns ?? USUAL_COLUMNS;
  const program = new Command('lanehold')
    .addHelpText(
      'before',
      () => `${fitted(ABOUT, columns())}\n\nStart here:\n${exampleLines(USUAL, columns())}\n`,
    )
    .addHelpText('afterAll', () => fitted(`\n${EVERYWHERE}`, columns()))
    .optionsGroup(EVERYWHERE)
    .version(packageVersion())
    .enablePositionalOptions()
    .configureHelp({
      showGlobalOptions: false,
      minWidthToWrap: 20,
      groupItems(...items) {
        const groups = new Help().groupItems(...items);
        groups.delete(EVERYWHERE);
        return groups;
      },
      subcommandTerm: (it) => new Help().subcommandTerm(it).replace(' [options]', ''),
    })
    .configureOutput({
      writeOut: (text) => streams.stdout.write(text),
      writeErr: (text) => streams.stderr.write(text),
      getOutHelpWidth: columns,
      getErrHelpWidth: columns,
      // `renderFailure` prints these, in the same form as every other failure.
      outputError: () => undefined,
    });

  for (const declare of commands) declare(program, context);
  let heading: string | undefined;
  for (const command of program.commands) {
    heading = HEADINGS.get(command.name()) ?? heading;
    if (heading !== undefined) command.helpGroup(heading);
  }
  complete(program);
  return program;
}

const ABOUT = 'lanehold holds back what AI coding agents push and publish until it is verified.';

/** Stands for the group of options that each help would repeat. */
const EVERYWHERE =
  'Every command takes --help, --json, --project <dir>, -q (--quiet) and --verbose.';

/** Adds global options and explained misuse to a command and all below it. */
function complete(command: Command): void {
  const own = new Set(command.options.map((option) => option.long));
  command.optionsGroup(EVERYWHERE).helpOption('-h, --help', 'show the help');
  for (const option of globalOptions()) {
    if (!own.has(option.long)) command.addOption(option);
  }
  command.exitOverride((error) => {
    throw error.exitCode === 0 || error.code === 'commander.help' ? error : misuse(error, command);
  });
  for (const child of command.commands) complete(child);
  if (command.commands.length === 0) return;
  const help = command.helpCommand(false).command('help', { hidden: true });
  help.argument('[words...]').action((words: readonly string[]) => showHelp(command, words));
}

/** Commander's own would say nothing of a word that is no command. */
function showHelp(command: Command, [first, ...more]: readonly string[]): void {
  const found = command.commands.find((it) => it.name() === first);
  if (first === undefined || command.commands.length === 0) command.help();
  else if (found === undefined) command.parse([first], { from: 'user' });
  else showHelp(found, more);
}

function globalOptions(): Option[] {
  return [
    new Option('--json', 'print the result, or the error, as JSON'),
    new Option('--project <dir>', 'work on this folder instead of the working directory'),
    new Option('-q, --quiet', 'print nothing if all is well'),
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
  const typed = error.code === 'commander.unknownCommand' ? /`(.*)`/s.exec(fact)?.[1] : undefined;
  const elsewhere = typed === undefined ? [] : commandsNamed(typed, rootOf(command)).slice(0, 4);
  const similar = /Did you mean (?:one of )?(.+)\?\)/.exec(rest.join(' '))?.[1]?.split(', ') ?? [];
  const meant = elsewhere.length > 0 ? elsewhere : similar;
  const hint =
    meant.length > 0
      ? `did you mean ${meant.map((it) => `\`${it}\``).join(' or ')}?`
      : `see \`${fullName(command)} --help\``;
  return new UsageError(fact, { hint, cause: error });
}

/** Full names of the commands that are called so, wherever they stand; those at the top first. */
function commandsNamed(name: string, { commands }: Command): string[] {
  return [
    ...commands.filter((it) => it.name() === name).map(fullName),
    ...commands.flatMap((it) => commandsNamed(name, it)),
  ];
}

const rootOf = (command: Command): Command => (command.parent ? rootOf(command.parent) : command);

function fullName(command: Command): string {
  return command.parent ? `${fullName(command.parent)} ${command.name()}` : command.name();
}

/**
 * An explained failure is a fact and a hint; anything else is a defect and shows its stack. Under
 * `--json` stdout carries `{"error": {code, message, hint}}`, because that is where JSON is read.
 */
async function renderFailure(error: unknown, host: Host) {
  // The words as typed, because misuse is found before the options are read.
  const end = host.argv.indexOf('--');
  const typed = end < 0 ? host.argv : host.argv.slice(0, end);
  const asked = (flag: string) => typed.includes(flag);
  const isExplained = error instanceof ExplainedError;
  const facts = failureOf(error);
  const exitCode = isExplained ? error.exitCode : ExitCode.failed;
  const stack = isExplained ? '' : `${stackOf(error)}\n`;
  if (asked('--json')) {
    return { stdout: `${printableJson({ error: facts }, 2)}\n`, stderr: stack, exitCode };
  }

  const paint = await painter(host, 'stderr');
  const lines = isExplained ? [`${paint.bad('error:')} ${printable(facts.message)}`] : [];
  if (facts.hint !== undefined) lines.push(`${paint.hint('hint:')} ${printable(facts.hint)}`);
  if (isExplained && error.cause !== undefined && asked('--verbose')) {
    lines.push(`cause: ${printable(stackOf(error.cause))}`);
  }
  const { columns } = host.streams.stderr;
  return { stdout: '', stderr: `${stack}${fitted(lines.join('\n'), columns)}\n`, exitCode };
}

function stackOf(error: unknown): string {
  return error instanceof Error ? (error.stack ?? String(error)) : String(error);
}
