/** The files that a lane may write: globs in the syntax of features. */
import { braceWords } from '../../commands/shell/braces.ts';
import { matcher } from '../../features/match.ts';

/** Paths that match none of the globs. Both sides of a rename count. */
export function outsideTouches(paths: readonly string[], touches: readonly string[]): string[] {
  const { matches } = matcher(named(touches));
  return paths.filter((path) => !matches(path));
}

/**
 * Whether some path may match both lists; true if that cannot be decided. Files are not read, since lanes may create
 * new ones. A lane that declares no files overlaps with none.
 */
export function touchesOverlap(a: readonly string[], b: readonly string[]): boolean {
  // The folders that an exclusion covers completely (`!src/api/**`); other exclusions are ignored.
  const covered = [...a, ...b].flatMap(
    (glob) => /^!([\w.-]+(?:\/[\w.-]+)*)\/(?:\*\*)?$/.exec(glob)?.[1] ?? [],
  );
  const isCovered = (glob: string) => covered.some((folder) => glob.startsWith(`${folder}/`));
  const open = (globs: readonly string[]) =>
    named(globs).filter((glob) => !glob.startsWith('!') && !isCovered(glob));
  return open(a).some((one) => open(b).some((other) => globsIntersect(one, other)));
}

const named = (globs: readonly string[]): readonly string[] =>
  globs.filter((glob) => glob !== '' && glob !== '!');

/** The characters of a name, in which `any` is any one of them and `**` any number. */
type Name = readonly string[];
type Segment = Name | '**';

/**
 * Whether some path matches both globs. It is decided from the globs alone, and conservatively: one that is not
 * understood is taken to match everything below.
 */
function globsIntersect(a: string, b: string): boolean {
  const others = compiled(b);
  return compiled(a).some((one) => others.some((other) => meet(one, other, namesMeet)));
}

/** One list of segments for each alternative of its braces. */
function compiled(glob: string): Segment[][] {
  // Some file systems ignore case.
  const plain = glob.replaceAll(/[A-Z]/g, (it) => it.toLowerCase()).replace(/^(?:\.?\/+)+/, '');
  const alternatives = /["\\()|[\]]/.test(plain) ? undefined : braceWords(plain);
  return (alternatives ?? [plain]).map((it) => {
    const parts = (it === '' || it.endsWith('/') ? `${it}**` : it).split('/');
    const odd = parts.findIndex((part) => part !== '**' && !UNDERSTOOD.test(part));
    const segments = parts.slice(0, odd === -1 ? undefined : odd).map(segment);
    return odd === -1 ? segments : [...segments, '**'];
  });
}

/** Plain characters, `*` and `?`; letters beyond ASCII have more than one encoding. */
const UNDERSTOOD = /^(?!\.{1,2}$)(?!.*\*\*)[\w .@*?-]+$/;

const segment = (part: string): Segment =>
  part === '**' ? part : [...part].map((it) => WILD.get(it) ?? it);

const WILD: ReadonlyMap<string, string> = new Map([
  ['?', 'any'],
  ['*', '**'],
]);

const namesMeet = (a: Name, b: Name): boolean =>
  meet(a, b, (one, other) => one === other || one === 'any' || other === 'any');

/** Whether some list fits both, with `**` for any number of elements; each pair of positions is tried once. */
function meet<T>(
  a: readonly (T | '**')[],
  b: readonly (T | '**')[],
  agree: (one: T, other: T) => boolean,
): boolean {
  // The row for the next element of `a`: whether the rests from there on meet.
  let below: boolean[] = [];
  for (let at = a.length; at >= 0; at -= 1) {
    const row: boolean[] = Array(b.length + 1).fill(false);
    for (let bt = b.length; bt >= 0; bt -= 1) {
      const [one, other] = [a[at], b[bt]];
      if (one === '**' || other === '**') row[bt] = below[bt] === true || row[bt + 1] === true;
      else if (one === undefined || other === undefined) row[bt] = one === other;
      else row[bt] = below[bt + 1] === true && agree(one as T, other as T);
    }
    below = row;
  }
  return below[0] === true;
}
