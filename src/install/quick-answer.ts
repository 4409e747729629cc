/**
 * The part of the script in LANEHOLD_HOME that answers without Node what certainly needs nothing: a shell
 * command made of programs that only read, and an edit of which there is nothing to tell. It takes about a tenth of a
 * start of Node.
 */
import { readFileSync, realpathSync } from 'node:fs';
import { join } from 'node:path';
import type { AgentGuards } from '../agents/definition.ts';
import { MARKER } from '../agents/kit/hook-shim.ts';
import { packageRoot } from '../base/files/package.ts';
import { COMMON_WORDS } from '../base/text/common-words.ts';
import { RELEASE_WORDS } from '../base/text/raw-payload.ts';
import {
  LIMITED_PROGRAMS,
  READING_PROGRAMS,
  type Reading,
  VERSIONED_PROGRAMS,
} from '../base/text/reading-programs.ts';
import { shellQuoted } from '../base/text/shell-quote.ts';

/** An agent whose payloads the script reads itself, where it has quick tools, and whose settings are guarded. */
export interface QuickAgent {
  readonly name: string;
  readonly guards: AgentGuards | undefined;
  /**
   * Values of `tool_name`, and the field of `tool_input` that comes first: `command`, or that of an edited file.
   * `prompt`, without a tool, where prompts are read as well.
   */
  readonly quickTools: readonly (readonly [tool: string, field: string])[];
  /** Variables of other agents, of which one may run the hooks of this agent. */
  readonly foreign: readonly string[];
}

/** Read at once; the rest of a longer payload goes on to the hook program through a pipe. */
const FIRST_BYTES = 8_192;

/**
 * Lines of sh between `$node`, a program that runs or nothing, `$hook`, the path of the hook program, and the
 * arguments of the latter. They end the script where there is a program.
 */
export function quickAnswer(agents: readonly QuickAgent[]): string {
  const [shared, commands, prompts] = quickFunctions(agents);
  return `${START}
if [ "$node" ]; then
  event=$1 agent=$3 others=unknown
  case $1$2$#$4 in
    *-tool--agent3|prompt-submit--agent3|*-tool--agent4${MARKER}|prompt-submit--agent4${MARKER})
      case $3 in
${agents
  .filter(({ quickTools }) => quickTools.length > 0)
  .map(caseOf)
  .join('\n')}
      esac ;;
  esac
  [ -z "$others$LANEHOLD_ATTEMPT$LANEHOLD_DISABLE" ] || start "$node" "$hook" "$@"
  # Line ends that are lost here say nothing in JSON.
  case $event in
    # The answer of a tool is long. Of what else is sent most has few bytes, which cost less than a process.
    after-tool) input=$(dd bs=${FIRST_BYTES} count=1 2>/dev/null) ;;
    *) IFS= read -r input || : ;;
  esac
fi
${shared}
if [ "$node" ]; then
  begin 2>/dev/null || not_answered "$@"
  case $event:$field in
    prompt-submit:prompt|*-tool:command) ;;
    *-tool:*path) edit 2>/dev/null && answered; not_answered "$@" ;;
    *) not_answered "$@" ;;
  esac
fi
${commands}
if [ "$node" ] && [ "$field" = command ]; then
  command_reads 2>/dev/null && answered
  not_answered "$@"
fi
${prompts}
if [ "$node" ]; then
  prompt 2>/dev/null && answered
  not_answered "$@"
fi
`;
}

/** Starts a program with $input before what is left of stdin. What is parsed before it costs each start. */
const START = `input=''
start() {
  [ "$input" ] || exec "$@"
  if [ \${#input} -lt 30000 ]; then
    case $input in *'}') export LANEHOLD_INPUT="$input"; exec "$@" ;; esac
  fi
  { printf %s "$input"; exec cat; } | "$@"
  exit
}`;

const caseOf = ({ name, quickTools, foreign }: QuickAgent): string => {
  const tools = quickTools.map((it) => it.join(':')).join(' ');
  return `        ${name}) tools=' ${tools} ' others=${foreign.map((it) => `$${it}`).join('')} ;;`;
};

/** Those of all and of edits, those of commands, and those of prompts. */
export function quickFunctions(agents: readonly Pick<QuickAgent, 'guards'>[]): readonly string[] {
  const guards = agents.flatMap((it) => it.guards ?? []);
  return readFileSync(join(packageRoot(), 'hooks', 'quick-answer.sh'), 'utf8')
    .replace(/^(?:#.*\n)+\n/, '')
    .replace('@RELEASE_PATTERN@', RELEASE_WORDS.map((it) => `*${it}*`).join('|'))
    .replaceAll(
      '@WHOLE@',
      ['reads', ...LIMITED_PROGRAMS.map(stateOf), 'version', 'lines'].join('|'),
    )
    .replace('@GUARDED@', guarded(guards).join('|'))
    .replace('@ELSEWHERE@', guards.flatMap(variableOf).join(''))
    .replace('@LONG_WORD@', () => `*${"[!\\ ,.?\\']".repeat(LONGEST_WORD)}*`)
    .replace('@COMMON@', COMMON_WORDS.trim().split(/\s+/).map(inFirstCase).join('|'))
    .replace('@TELLING@', TELLING.map((it) => `*${inAnyCase(it)}*`).join('|'))
    .replaceAll('@LONGEST@', String(FIRST_BYTES - 1))
    .replace('@TABLE@', table())
    .split(/@(?:COMMANDS|PROMPTS)@\n/);
}

/** Of a prompt that is recorded as it is: tokens are longer. */
const LONGEST_WORD = 16;
/** What a secret follows, or a rule of the user (`src/recall/prompts.ts`) begins with. */
const TELLING = [
  ...['auth', 'basic', 'bearer', 'credential', 'key', 'login', 'pass', 'pwd', 'secret', 'token'],
  ...['always', 'at most', 'avoid', 'don', 'ensure', 'has to', 'have to', 'immer', 'keep', 'leave'],
  ...[
    'make sure',
    'muss',
    'must',
    'never',
    'new',
    'nicht',
    'nie',
    'not',
    'nur',
    'only',
    'stay',
    'without',
  ],
];

const inFirstCase = (word: string): string =>
  `[${word.charAt(0)}${word.charAt(0).toUpperCase()}]${word.slice(1)}`;

const inAnyCase = (word: string): string =>
  word.replaceAll(/[a-z]/g, (it) => `[${it}${it.toUpperCase()}]`).replaceAll(' ', '\\ ');

/** One that names another folder for the settings of an agent. */
const variableOf = ({ folderVariable }: AgentGuards): string[] =>
  folderVariable === undefined ? [] : [`$${folderVariable.name}`];

/** Patterns of more than the files that holds depend on, by their names alone. */
function guarded(guards: readonly AgentGuards[]): string[] {
  const visible = guards.flatMap((it) => it.files).filter((it) => !it.startsWith('.'));
  const root = packageRoot();
  return [
    ...['*/.*', '*/pre-push*', '*/git/config'],
    ...visible.map((it) => `*/${it.split('*').map(shellQuoted).join('*')}`),
    ...guards.flatMap((it) => it.managed).map((it) => `${shellQuoted(it)}*`),
    ...new Set([root, realpathSync(root)].map((it) => `${shellQuoted(it)}/*`)),
  ];
}

const stateOf = ({ names: [name = ''] }: Reading): string => name.replaceAll(' ', '_');

/** `state:word` leads to another state, or to a refusal. */
function table(): string {
  const arms = [
    ...[`${each('', READING_PROGRAMS)}) at=reads ;;`, 'reads:*) ;;'],
    ...[':sed) at=sed ;;', 'sed:-n) at=script ;;', 'script:*[!0-9,p]*) return 1 ;;'],
    ...['script:*p) at=lines ;;', 'lines:-*) return 1 ;;', 'lines:*) ;;'],
    ...[':git) at=git ;;', 'git:--no-pager) ;;', 'git:-C) at=folder ;;'],
    ...['folder:-*) return 1 ;;', 'folder:*) at=git ;;'],
    ...LIMITED_PROGRAMS.flatMap(armsOf),
    `${each('', VERSIONED_PROGRAMS)}) at=versioned ;;`,
    'versioned:--version) at=version ;;',
  ];
  return arms.map((it) => `      ${it}`).join('\n');
}

function armsOf(reading: Reading): string[] {
  const state = stateOf(reading);
  const { options, operands } = reading;
  const starts = reading.names.map((it) => (it.includes(' ') ? it.replace(' ', ':') : `:${it}`));
  return [
    `${starts.join('|')}) at=${state} ;;`,
    ...(options.length === 0 ? [] : [`${each(state, options)}) ;;`]),
    `${state}:-*) return 1 ;;`,
    ...(operands?.length === 0 ? [] : [`${each(state, operands ?? ['*'])}) ;;`]),
  ];
}

const each = (state: string, patterns: readonly string[]): string =>
  patterns.map((it) => `${state}:${it.replaceAll('"', '\\"')}`).join('|');
