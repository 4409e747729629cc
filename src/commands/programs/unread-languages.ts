/**
 * PowerShell and cmd, whose programs are not searched: one that names a release is opaque, all others
 * are taken for harmless.
 */
import { hasReleaseWord } from '../../base/text/release-words.ts';
import { type Handler, reportUnknown } from '../reader.ts';
import { fileTexts } from '../shell/redirect.ts';

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
    if (!(isEncoded || hasReleaseWord(text) || /lanehold/i.test(text))) continue;
    frame.reader.opaque(`programs of \`${argv[0]}\` are not read`, argv, frame, 'may-release');
  }
};
