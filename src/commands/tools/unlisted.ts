/** Commands without a rule. One that is named after a release is a boundary, and a person is asked. */
import { isOption, words } from '../../base/text/options.ts';
import { knownProgram } from '../known-programs.ts';
import type { Argv, Frame } from '../reader.ts';
import { isKnown } from '../shell/unknown.ts';
import { isLocalAddress } from './local.ts';
import { CONTENT_OF_KIND } from './match-rules.ts';
import type { Tool } from './rule.ts';

const VERBS = words(
  'publish deploy deployer release ship shipit upload submit promote push distribute',
);

/** Words beside the verb that turn a release into looking, checking or taking back. */
const LOOKING = words(
  'list ls show view get status log logs info describe check checks verify validate test tests lint dry dryrun local help init ' +
    'config configure note notes preview diff plan history version versions changelog schema docs doc types url urls key keys token ' +
    'build prepare prepack template watch open cancel abort delete remove rm undo rollback revert unpublish destroy stop download pull ' +
    'fetch login logout whoami completion example examples emulate mock simulate generate gen count id name names tag tags branch draft ' +
    'drafter monitor watcher lock size budget date time mode type flag env vars setup clean report',
);

const NEGATES = words(
  'pre un no not non dry test tests check checks verify validate mock simulate preview prepare build log logs list show get view ' +
    'status local is can should after before',
);

/** Commands whose arguments may be any name. */
const TAKES_NAMES = words(
  'run exec test build install add i remove rm uninstall update upgrade new create generate g init show list ls get describe view info ' +
    'logs log tail cat checkout clone search find grep explain help start stop restart dev serve watch lint check format fmt why config ' +
    'set unset use switch open edit select filter inspect attach kill rename mv cp branch doc docs completion complete enable disable ' +
    'status query eval print export import require compile link download pull fetch ps read parse in on for to from with and say ' +
    'startproject startapp load wait delete destroy scaffold batch compare merge rebase up reload init',
);

/** Options that make a command release nothing. */
const HARMLESS_OPTIONS = words(
  '--help --dry-run --dryrun --dry_run --dry --noop --no-op --what-if --whatif --simulate --simulation --validate-only --local --no-push ' +
    '--no-publish --no-deploy --list-tasks --list-targets --pretend --print-only',
);

/** Options that make a command release nothing if no value follows them. */
const HARMLESS_ALONE = words(
  '-h -V --version --check --plan --preview --validate --list --print --test',
);

/**
 * Reports the command as a boundary if a release verb stands where it names a command.
 *
 * @param tools the tables of the program, none of whose rules is about this command.
 */
export function matchUnlisted(
  name: string,
  argv: Argv,
  tools: readonly Tool[],
  frame: Frame,
): void {
  if (frame.secondReading || !argv.some(namesRelease)) return;
  if (takesData(name, frame) || tools.some(({ staysHere }) => staysHere === '*')) return;
  const verb = verbOf(name, argv, tools, frame);
  if (verb === undefined || hasHarmlessOption(argv)) return;
  const { directories } = frame.state;
  const rule = verb === name ? name : `${name} ${verb}`;
  const found = { kind: 'release', rule, leaves: CONTENT_OF_KIND.release } as const;
  frame.reader.boundary(
    { ...found, isUnlisted: true, argv, operands: argv.slice(1), directories },
    frame,
  );
}

/** True for a program whose words are files, patterns or texts, and for an agent. */
function takesData(name: string, { reader }: Frame): boolean {
  const { agents = [] } = reader.context;
  return (
    LOOKING.has(splitName(name).at(-1) ?? '') ||
    knownProgram(name) !== undefined ||
    /^create-|^(?!Publish-)[A-Z][a-z]+-[A-Z]|\w\.\w{1,3}$/.test(name) ||
    agents.some(({ programs }) => programs?.includes(name))
  );
}

function namesRelease(word: string): boolean {
  return /publish|deploy|release|ship|upload|submit|promote|push|distribute/i.test(word);
}

/** The release verb in the position of a command: the program, its first word, or the word after a noun. */
function verbOf(
  name: string,
  argv: Argv,
  tools: readonly Tool[],
  frame: Frame,
): string | undefined {
  // In a container, a single word is more likely an argument of the image's program.
  const isHere = frame.state.directories.some((it) => it !== undefined);
  const given = readings(argv);
  const isHarmless = (word = ''): boolean =>
    tools.some((tool) => words(tool.staysHere).has(word) || words(tool.subcommands).has(word));
  if (given.every(([first]) => isHarmless(first))) return undefined;
  // A tool with rules for its words is no release by its own name: `release-cli get`.
  const isRelease = VERBS.has(name) ? isHere : !hasWords(tools);
  if (isRelease && isReleaseVerb(name)) return name;
  const knowsWords = tools.some(({ subcommands }) => subcommands);
  for (const reading of given) {
    if (isHarmless(reading[0])) continue;
    const command = commandOf(reading.slice(0, knowsWords ? 2 : 3), argv);
    if (command === undefined) continue;
    const next = reading.slice(command.length, command.length === 1 ? 3 : command.length + 1);
    if (!next.some((word) => LOOKING.has(splitName(word)[0] ?? ''))) return command.join(' ');
  }
  return undefined;
}

const hasWords = (tools: readonly Tool[]): boolean =>
  tools.some(({ rules }) => rules().some(({ path }) => path !== ''));

/** The words up to the release verb, if only nouns come before it: `app deploy`. */
function commandOf(words: Argv, argv: Argv): readonly string[] | undefined {
  const at = words.findIndex(isReleaseVerb);
  // As the last word it is a name: `rimraf dist release`, `semver bump release`.
  if (at > 0 && words[at] === argv.at(-1) && /(^|:)release$/.test(words[at] ?? ''))
    return undefined;
  return at >= 0 && words.slice(0, at).every(isNoun) ? words.slice(0, at + 1) : undefined;
}

/** The words without those that may be the value of an option; leading options are read both ways. */
function readings(argv: Argv): readonly (readonly string[])[] {
  const sure: string[] = [];
  const bold: string[] = [];
  for (const [at, word] of argv.entries()) {
    if (at === 0 || isOption(word)) continue;
    const before = argv[at - 1] ?? '';
    const mayBeValue = at > 1 && isOption(before) && !before.includes('=');
    if (!mayBeValue || sure.length === 0) bold.push(word);
    if (!mayBeValue) sure.push(word);
  }
  return [sure, bold];
}

/** `deploy`, `app:deploy`, `deploy-prod`, `publishAll`; not `deploy.yml`, `release-notes`, `pre-release`. */
export function isReleaseVerb(word: string): boolean {
  if (!/^[A-Za-z@][\w:.-]*$/.test(word) || word.length > 60) return false;
  const parts = word.split(/[:.]/);
  // A file's ending is no command.
  if (word.includes('.') && !VERBS.has(parts.at(-1) ?? '')) return false;
  const names = parts.map(splitName);
  const part = names.findIndex((it) => VERBS.has(it[0] ?? '') || VERBS.has(it.at(-1) ?? ''));
  if (part < 0) return false;
  const all = names.flat();
  const verb = all.findIndex((it) => VERBS.has(it));
  return !(
    all.slice(0, verb).some((it) => NEGATES.has(it)) ||
    all.slice(verb + 1).some((it) => LOOKING.has(it))
  );
}

function splitName(word: string): readonly string[] {
  return word
    .replace(/([a-z\d])([A-Z])/g, '$1-$2')
    .toLowerCase()
    .split(/[-_]/);
}

function isNoun(word: string): boolean {
  return (
    /^[A-Za-z][\w-]*$/.test(word) && !TAKES_NAMES.has(splitName(word)[0] ?? '') && isKnown(word)
  );
}

function hasHarmlessOption(argv: Argv): boolean {
  return argv.some((word, at) => {
    if (at === 0) return false;
    const [option = '', value] = word.split('=');
    if (HARMLESS_OPTIONS.has(option)) return value !== 'false';
    const next = argv[at + 1];
    const isAlone = value === undefined && (next === undefined || isOption(next));
    return (isAlone && HARMLESS_ALONE.has(option)) || isLocalAddress(word);
  });
}
