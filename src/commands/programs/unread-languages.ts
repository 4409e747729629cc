/**
 * Languages whose programs are not searched, PowerShell and cmd among them. A program that is given
 * in the command and names a release is opaque; all others are taken for harmless.
 */
import { grammarOf, readUse, words } from '../../base/text/options.ts';
import { hasReleaseWord } from '../../base/text/release-words.ts';
import { noteProgramWrites } from '../guard/guarded-writes.ts';
import { type Frame, type Handler, inside, reportUnknown } from '../reader.ts';
import { fileTexts } from '../shell/redirect.ts';
import { tokenize } from './program-calls.ts';

const CODE = ['-e', '--eval', '-E', '--print', '-c', '-eval'];
const GRAMMAR = grammarOf({ values: CODE.join(' ') });

/** `lua -e …`, `julia -e …`, `Rscript -e …`, `osascript -e …`, or the program on the input. */
export const runUnread: Handler = (argv, frame) => {
  const use = readUse(argv, 1, GRAMMAR);
  const given = use.values(...CODE);
  const texts = given.length > 0 || use.operands.length > 0 ? given : frame.stdin();
  const starts = STARTS.find(([names]) => words(names).has(argv[0] ?? ''))?.[1];
  // A single word is no program: `swift build -c release`.
  for (const text of texts) note(text, argv, frame, starts ?? /\W/);
};

/** How programs of a language start another, where not any program may. */
const STARTS = [
  ['osascript', /do shell script/],
  ['vi vim nvim ex', /!|\bsystem\(/],
] as const;

/** A script of a shell of Windows. */
const WINDOWS_SCRIPT = /\.(?:ps1|bat|cmd)$/i;
/** The text that runs is encoded: `-e`, `-enc`, `-EncodedCommand`. */
const ENCODED = /^-e(?:c|nc\w*)?$/i;

/** `pwsh -c …`, `cmd /c …`: the words, the script that they name, and the input. */
export const runWindowsShell: Handler = (argv, frame) => {
  const rest = argv.slice(1);
  const scripts = rest.filter((it) => WINDOWS_SCRIPT.test(it));
  const files = scripts.flatMap((it) => fileTexts(it, frame) ?? []);
  const given = files.length > 0 ? files : [rest.join(' ')];
  const isEncoded = rest.some((it) => ENCODED.test(it));
  for (const text of [...given, ...frame.stdin()]) {
    if (reportUnknown(text, frame)) continue;
    // What it would do to lanehold's own files cannot be told either.
    if (isEncoded || hasReleaseWord(text) || /lanehold/i.test(text)) reportUnread(argv, frame);
  }
};

const AWK = grammarOf({
  values: '-F -v -f -i -e --source --field-separator --assign --file',
});

/** How an awk program starts another: `system(…)`, `… | getline`, `print | "command"`. */
const STARTS_PROGRAM = /\bsystem\s*\(|\|&?\s*(?:getline\b|"\s*[\w./])/;

export const runAwk: Handler = (argv, frame) => {
  const { operands, values, has } = readUse(argv, 1, AWK);
  const inOptions = values('-e', '--source');
  const texts = inOptions.length > 0 || has('-f', '--file') ? inOptions : operands.slice(0, 1);
  for (const text of texts) note(text, argv, frame, STARTS_PROGRAM);
};

/** @param starts what a program has to contain to be able to start another. */
function note(text: string, argv: readonly string[], frame: Frame, starts: RegExp): void {
  if (reportUnknown(text, frame)) return;
  noteProgramWrites(tokenize(text, {}), frame);
  if (starts.test(text) && hasReleaseWord(text)) reportUnread(argv, frame);
}

function reportUnread(argv: readonly string[], frame: Frame): void {
  const why = `programs of \`${argv[0]}\` are not read`;
  frame.reader.opaque(why, argv, frame, 'may-release');
}

const SED = grammarOf({ values: '-e --expression -f --file -l -E' });

/** `sed '1e git push'` */
export const runSed: Handler = (argv, frame) => {
  const { operands, values, has } = readUse(argv, 1, SED);
  const given = values('-e', '--expression');
  const texts = given.length > 0 || has('-f', '--file') ? given : operands.slice(0, 1);
  for (const text of texts) {
    for (const [, command = ''] of text.matchAll(/(?:^|[;\n{])[\d$,]*e[ \t]+([^;\n]+)/g)) {
      frame.reader.script(command, inside(frame, 'sed'));
    }
  }
  return undefined;
};
