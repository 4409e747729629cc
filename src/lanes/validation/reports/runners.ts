/** Which test runners, of those that can report their results as data, a command starts. */
import { programsOf } from '../../../features/programs.ts';

export type Runner = 'node' | 'vitest' | 'jest' | 'pytest';

/** @param cwd absolute folder inside `root`, the root of the checkout. */
export function runnersOf(command: string, root: string, cwd: string): ReadonlySet<Runner> {
  const found = new Set<Runner>();
  let pytests = 0;
  for (const [program = '', ...words] of programsOf(command, root, cwd)) {
    const runner = RUNNERS[program.slice(program.lastIndexOf('/') + 1)];
    if (!runner?.runs(words)) continue;
    found.add(runner.name);
    if (runner === PYTEST) pytests += 1;
  }
  // All runs would write to the same file.
  if (pytests > 1) found.delete('pytest');
  return found;
}

interface KnownRunner {
  readonly name: Runner;
  /** Whether these words run tests, with reports of its choice left to us. */
  readonly runs: (words: readonly string[]) => boolean;
}

const none = (words: readonly string[], pattern: RegExp) => !words.some((it) => pattern.test(it));

const VITEST: KnownRunner = {
  name: 'vitest',
  runs: (words) => none(words, /^(?:list|bench|init|dev|--outputFile.*|-h|--help|-v|--version)$/),
};
const JEST: KnownRunner = {
  name: 'jest',
  runs: (words) =>
    none(words, /^(?:--json|--outputFile.*|--listTests|--showConfig|--help|--version)$/),
};
const PYTEST: KnownRunner = {
  name: 'pytest',
  runs: (words) => none(words, /^(?:--junit-?xml.*|--collect-only|--co|--help|-h|--version|-V)$/),
};

const RUNNERS: Readonly<Record<string, KnownRunner | undefined>> = {
  node: {
    name: 'node',
    runs: (words) => words.includes('--test') && none(words, /^--test-reporter/),
  },
  vitest: VITEST,
  jest: JEST,
  pytest: PYTEST,
  'py.test': PYTEST,
};
