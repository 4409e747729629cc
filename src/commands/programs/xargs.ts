/** `xargs` and `parallel`: commands completed by words of their input. */
import { grammarOf, leadingOptions } from '../../base/text/options.ts';
import { LIMITS } from '../limits.ts';
import { type Handler, inside } from '../reader.ts';
import {
  distinct,
  isKnown,
  isWhollyUnknown,
  quoted,
  UNKNOWN,
  UNKNOWN_WORDS,
  unquoted,
  wordText,
} from '../shell/unknown.ts';

const XARGS = grammarOf({
  values:
    '-a --arg-file -d --delimiter -E -I --replace -L --max-lines -n --max-args -P --max-procs ' +
    '-s --max-chars --process-slot-var -R -J -S',
});

export const runXargs: Handler = (argv, frame) => {
  const { next: at, options } = leadingOptions(argv, 1, XARGS);
  const command = argv.slice(argv[at] === '--' ? at + 1 : at);
  if (command.length === 0) return undefined;
  const replaced = options.findLast(({ name }) => REPLACES.has(name));
  const placeholder = replaced && (replaced.value ?? '{}');
  const size = Number(options.findLast(({ name }) => SIZES.has(name))?.value ?? Infinity);
  const within = inside(frame, 'xargs', { stdin: () => [''], state: frame.state.copy() });
  for (const text of frame.stdin()) {
    const runs =
      placeholder === undefined
        ? chunks(itemsOf(text), size).map((chunk) => [...command, ...chunk])
        : lines(text).map((line) => command.map((it) => it.replaceAll(placeholder, line)));
    for (const run of runs) frame.reader.command(run, within);
  }
};

const SIZES = new Set(['-n', '--max-args', '-L', '--max-lines']);
const REPLACES = new Set(['-I', '-i', '--replace', '-J']);
/** A search gives one name more than the limit, which stands for all others. */
const MOST_RUNS = LIMITS.files + 1;

function itemsOf(text: string): readonly string[] {
  if (isWhollyUnknown(text.trim())) return [unquoted(text.trim())];
  return text
    .split(/[\s\0]+/)
    .flatMap((it) => (it === '' ? [] : [it.replace(/^(["'])(.*)\1$/, '$2')]));
}

/** The lines, each of which a command gets as one word. */
function lines(text: string): readonly string[] {
  const all = text.split(/[\n\0]/).flatMap((it) => (it.trim() === '' ? [] : [quoted(it.trim())]));
  if (all.length === 0) return [UNKNOWN];
  return all.length > MOST_RUNS ? [...all.slice(0, MOST_RUNS), UNKNOWN] : all;
}

/** The items of each run. Beyond the limit, one run gets all items and another an unknown number. */
function chunks(items: readonly string[], size: number): readonly (readonly string[])[] {
  if (items.length <= size || !(size >= 1)) return [items];
  const count = Math.ceil(items.length / size);
  if (count > MOST_RUNS) return [items, [UNKNOWN_WORDS]];
  return Array.from({ length: count }, (_, at) => items.slice(at * size, (at + 1) * size));
}

const PARALLEL = grammarOf({
  values:
    '-j --jobs -P --max-procs -a --arg-file --colsep -C -n --max-args -N --delay --timeout --retries ' +
    '--joblog --results --tmpdir --workdir --wd -S --sshlogin -d --delimiter -I --halt --load --memfree ' +
    '--tagstring --env --nice -L --shuf-seed',
});

/** The mark before the items; `::::` reads them from files. */
const MARK = /^:::?:?\+?$/;

export const runParallel: Handler = (argv, frame) => {
  const { next: at, options } = leadingOptions(argv, 1, PARALLEL);
  if (options.some(({ name }) => name === '--dry-run' || name === '--dryrun')) return undefined;
  const words = argv.slice(argv[at] === '--' ? at + 1 : at);
  const marks = words.findIndex((it) => MARK.test(it));
  const input = () => frame.stdin().flatMap((text) => text.split('\n').filter(Boolean));
  const given = marks < 0 ? input() : words.slice(marks + 1).filter((it) => !MARK.test(it));
  const items = words[marks]?.startsWith('::::') ? [UNKNOWN] : given;
  const text = words.slice(0, marks < 0 ? undefined : marks).join(' ');
  const within = inside(frame, 'parallel', { stdin: () => [''], state: frame.state.copy() });
  for (const item of distinct(items.length > 0 ? items : [''])) {
    const word = isKnown(item) ? wordText(item) : UNKNOWN;
    const filled = text.replace(/\{[./#%]*\d*[./]*\}/g, () => word);
    const whole = text === '' ? item : filled === text ? `${text} ${word}` : filled;
    frame.reader.script(whole, within);
  }
};
