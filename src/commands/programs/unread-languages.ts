/**
 * Languages whose programs are not searched, PowerShell and cmd among them. A program that is given
 * in the command and names a release is opaque; all others are taken for harmless.
 */
import { grammarOf, readUse } from '../../base/text/options.ts';
import { hasReleaseWord } from '../../base/text/release-words.ts';
import { noteProgramWrites } from '../guard/guarded-writes.ts';
import { type Frame, type Handler, reportUnknown } from '../reader.ts';
import { fileTexts } from '../shell/redirect.ts';
import { tokenize } from './program-calls.ts';

const CODE = ['-e', '--eval', '-E', '--print', '-c', '-eval'];
const GRAMMAR = grammarOf({ values: CODE.join(' ') });

/** `erl -eval …`, `sbcl --eval …`, or the program on the input. */
export const runUnread: Handler = (argv, frame) => {
  const use = readUse(argv, 1, GRAMMAR);
  const given = use.values(...CODE);
  const texts = given.length > 0 || use.operands.length > 0 ? given : frame.stdin();
  for (const text of texts) {
    if (reportUnknown(text, frame)) continue;
    noteProgramWrites(tokenize(text, {}), frame);
    // A single word is no program: `swift build -c release`.
    if (/\W/.test(text) && hasReleaseWord(text)) reportUnread(argv, frame);
  }
};

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

function reportUnread(argv: readonly string[], frame: Frame): void {
  const why = `programs of \`${argv[0]}\` are not read`;
  frame.reader.opaque(why, argv, frame, 'may-release');
}
