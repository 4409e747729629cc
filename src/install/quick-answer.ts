/**
 * The part of the script in LANEHOLD_HOME that answers without Node what certainly needs nothing: a shell
 * command made of programs that only read. It takes about a tenth of a start of Node.
 */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { packageRoot } from '../package.ts';
import { RELEASE_WORDS } from '../text/raw-payload.ts';
import {
  LIMITED_PROGRAMS,
  READING_PROGRAMS,
  type Reading,
  VERSIONED_PROGRAMS,
} from '../text/reading-programs.ts';

/** An agent whose payloads the script reads itself. */
export interface QuickAgent {
  readonly name: string;
  /** Values of `tool_name` of what runs a command in a POSIX shell. */
  readonly shellTools: readonly string[];
  /** Variables of other agents, of which one may run the hooks of this agent. */
  readonly foreign: readonly string[];
}

/** Read at once; the rest of a longer payload goes on to the hook program through a pipe. */
const FIRST_BYTES = 8_192;

/**
 * Lines of sh between `$node`, a program that runs, `$hook`, the path of the hook program, and the arguments of
 * the latter. They end the script, or leave a function `start` that starts a program with the input.
 */
export function quickAnswer(agents: readonly QuickAgent[]): string {
  return `${functions()}
input=''
case $1$2$# in
  before-tool--agent3|after-tool--agent3)
    case $3 in
${agents.map(caseOf).join('\n')}
      *) others=unknown ;;
    esac
    if [ -z "$others$LANEHOLD_ATTEMPT$LANEHOLD_DISABLE$LANEHOLD_TRACE" ]; then
      event=$1 agent=$3
      # Line ends that are lost here say nothing in JSON.
      input=$(dd bs=${FIRST_BYTES} count=1 2>/dev/null)
      if quick 2>/dev/null; then
        # What an agent writes has to find a reader to its end.
        case $input in *'}') [ \${#input} -lt ${FIRST_BYTES - 1} ] || cat >/dev/null ;; *) cat >/dev/null ;; esac
        exit 0
      fi
    fi ;;
esac
`;
}

const caseOf = ({ name, shellTools, foreign }: QuickAgent): string =>
  `      ${name}) tools=' ${shellTools.join(' ')} ' others=${foreign.map((it) => `$${it}`).join('')} ;;`;

let text: string | undefined;

function functions(): string {
  text ??= readFileSync(join(packageRoot(), 'hooks', 'quick-answer.sh'), 'utf8')
    .replace(/^(?:#.*\n)+\n/, '')
    .replace('@RELEASE_PATTERN@', RELEASE_WORDS.map((it) => `*${it}*`).join('|'))
    .replaceAll(
      '@WHOLE@',
      ['reads', ...LIMITED_PROGRAMS.map(stateOf), 'version', 'lines'].join('|'),
    )
    .replaceAll('@LONGEST@', String(FIRST_BYTES - 1))
    .replace('@TABLE@', table());
  return text;
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
