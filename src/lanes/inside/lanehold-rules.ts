/** Which lanehold commands are reserved for the coordinator, and refused to a lane's worker. Pure. */
import type { Word } from '../../text/options.ts';
import type { Refusal } from './refusal.ts';

/** Commands that a worker may run. */
const OWN = new Set(['ask', 'report', 'status', 'handoff', 'logs', 'help']);
const VALUED = new Set(['--project', '--run']);

/**
 * @param argv of a command that may be lanehold's: called by its name, its path, or through Node.
 * @param ownLane the key of the worker's lane, which it may verify; `undefined` if unknown.
 */
export function refusedLanehold(
  argv: readonly Word[],
  ownLane: string | undefined,
): Refusal | undefined {
  const at = argv[0] !== undefined && INTERPRETER.test(argv[0]) ? 1 : 0;
  if (!PROGRAM.test(argv[at] ?? '')) return undefined;
  const [noun, verb, ...rest] = operandsOf(argv.slice(at + 1));
  if (noun !== 'orchestrate' || argv.includes('--help') || argv.includes('-h')) return undefined;
  if (verb === undefined || OWN.has(verb)) return undefined;
  if (verb === 'verify' && rest.length > 0 && rest.every((it) => it === ownLane)) return undefined;
  const own = ownLane === undefined ? '' : ` (or \`verify ${ownLane}\`)`;
  return {
    what: `run \`lanehold orchestrate ${verb}\``,
    instead: `That is the coordinator's. A worker reports, asks and reads: \`lanehold orchestrate report|ask|status|handoff\`${own}.`,
  };
}

const PROGRAM = /(?:^|[\\/])lanehold(?:\.js)?$/;
const INTERPRETER = /(?:^|[\\/])(?:node|bun)$/;

function operandsOf(words: readonly Word[]): string[] {
  return words.flatMap((word, at) => {
    if (word === undefined) return ['…'];
    return word.startsWith('-') || VALUED.has(words[at - 1] ?? '') ? [] : [word];
  });
}
