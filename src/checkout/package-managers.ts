/** What each package manager installs by its lock file, and how one sees that it is installed. */
import { lstatSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { attempt } from '../base/errors.ts';
import { at, objectOr, parsedObject } from '../base/text/json.ts';

export interface PackageManager {
  readonly name: string;
  /** A manager of another language stands beside this one in the same folder. */
  readonly language: 'javascript' | 'python' | 'ruby' | 'php';
  /** The file that says what is to be installed. */
  readonly lock: string;
  /** Runs in the lock file's folder; `undefined`: what it says is too vague to install. */
  readonly command: ((lock: string) => string) | undefined;
  /** Installs from its own store, by links and without a network. */
  readonly fromStore?: string;
  /** Where it installs to: the ends of paths. */
  readonly folders: readonly string[];
  /** Whether exactly what the lock file names is installed in a folder. */
  readonly isInstalled: (folder: string, lock: string) => boolean;
  /** What counts of the lock file, where others of its lines do not matter. */
  readonly relevant?: (lock: string) => string;
}

/** The program whose version decides whether what is installed fits. */
export const RUNTIMES = {
  javascript: 'node',
  python: 'python3',
  ruby: 'ruby',
  php: 'php',
} as const;

const VENV = ['.venv', 'venv'];

/** Names of the folders whose files may be read-only: Composer and Bundler write to theirs. */
export const SHARED_FOLDERS: ReadonlySet<string> = new Set(['node_modules', ...VENV]);

/** The first that fits counts, of those in one folder. */
export const PACKAGE_MANAGERS: readonly PackageManager[] = [
  {
    ...javascript(
      'pnpm',
      'pnpm-lock.yaml',
      () => 'pnpm install --frozen-lockfile',
      (folder, lock) => textOf(folder, 'node_modules/.pnpm/lock.yaml') === lock,
    ),
    fromStore: 'pnpm install --frozen-lockfile --offline',
  },
  ...['bun.lock', 'bun.lockb'].map((lock) =>
    javascript(
      'bun',
      lock,
      () => 'bun install --frozen-lockfile',
      (folder) => isNewer(folder, 'node_modules', lock),
    ),
  ),
  javascript(
    'yarn',
    'yarn.lock',
    (lock) =>
      /^# yarn lockfile v1$/m.test(lock)
        ? 'yarn install --frozen-lockfile --non-interactive'
        : 'yarn install --immutable',
    (folder) =>
      isNewer(folder, 'node_modules/.yarn-integrity', 'yarn.lock') ||
      isNewer(folder, 'node_modules/.yarn-state.yml', 'yarn.lock'),
  ),
  ...['package-lock.json', 'npm-shrinkwrap.json'].map((lock) =>
    javascript('npm', lock, () => 'npm ci --no-audit --no-fund', hasPackagesOf),
  ),
  {
    ...javascript('npm', 'package.json', undefined, (folder) => exists(folder, 'node_modules')),
    relevant: dependenciesIn,
  },
  {
    ...python('uv', 'uv.lock', 'uv sync --frozen'),
    fromStore: 'UV_LINK_MODE=hardlink uv sync --frozen --offline',
  },
  python(
    'poetry',
    'poetry.lock',
    'POETRY_VIRTUALENVS_IN_PROJECT=1 poetry install --no-interaction',
  ),
  python(
    'pip',
    'requirements.txt',
    // With what the system has: the test runner is often not among the requirements.
    'python3 -m venv --system-site-packages .venv && .venv/bin/python -m pip install --quiet --disable-pip-version-check -r requirements.txt',
  ),
  {
    ...{ name: 'pip', language: 'python', lock: 'pyproject.toml', folders: VENV },
    command: undefined,
    isInstalled: (folder) => VENV.some((venv) => exists(folder, `${venv}/pyvenv.cfg`)),
  },
  {
    name: 'bundler',
    language: 'ruby',
    lock: 'Gemfile.lock',
    folders: ['vendor/bundle', '.bundle'],
    command: () => 'bundle check || BUNDLE_FROZEN=true bundle install',
    isInstalled: (folder) => isNewer(folder, 'vendor/bundle', 'Gemfile.lock'),
  },
  {
    name: 'composer',
    language: 'php',
    lock: 'composer.lock',
    folders: ['vendor'],
    command: () => 'composer install --no-interaction --no-progress',
    isInstalled: (folder) => isNewer(folder, 'vendor/composer/installed.json', 'composer.lock'),
  },
];

function javascript(
  name: string,
  lock: string,
  command: PackageManager['command'],
  isInstalled: PackageManager['isInstalled'],
): PackageManager {
  return { name, language: 'javascript', lock, folders: ['node_modules'], command, isInstalled };
}

const textOf = (folder: string, name: string): string | undefined =>
  attempt(() => readFileSync(join(folder, name), 'utf8'));

const timeOf = (file: string): number | undefined =>
  lstatSync(file, { throwIfNoEntry: false })?.mtimeMs;

/** What changes with each installation into a folder: times of its packages, and of what the manager notes there. */
export const installedState = (folder: string, { folders }: PackageManager): unknown =>
  folders.map((name) =>
    ['.', '.package-lock.json', '.modules.yaml', '.yarn-integrity', '.yarn-state.yml'].map((it) =>
      timeOf(join(folder, name, it)),
    ),
  );

const exists = (folder: string, name: string): boolean => timeOf(join(folder, name)) !== undefined;

/** Whether a file that the installation writes last is not older than the lock file. */
function isNewer(folder: string, written: string, lock: string): boolean {
  const [at, since] = [timeOf(join(folder, written)), timeOf(join(folder, lock))];
  return at !== undefined && since !== undefined && at >= since;
}

/** Each installation changes the folder of packages. */
function python(name: string, lock: string, command: string): PackageManager {
  const isInstalled = (folder: string): boolean =>
    VENV.some((venv) => {
      const versions = attempt(() => readdirSync(join(folder, venv, 'lib'))) ?? [];
      return versions.some((it) => isNewer(folder, `${venv}/lib/${it}/site-packages`, lock));
    });
  return { name, language: 'python', lock, folders: VENV, command: () => command, isInstalled };
}

/** npm notes what it has installed: every package of the lock file, and no other. */
function hasPackagesOf(folder: string, lock: string): boolean {
  const installed = packagesIn(textOf(folder, 'node_modules/.package-lock.json') ?? '');
  const wanted = packagesIn(lock);
  if (installed === undefined || wanted === undefined) return false;
  return (
    [...installed].every(([path, { version }]) => wanted.get(path)?.version === version) &&
    [...wanted].every(([path, { mayBeAbsent }]) => mayBeAbsent || installed.has(path))
  );
}

function packagesIn(text: string) {
  const packages = at.object(parsedObject(text), 'packages');
  if (packages === undefined) return undefined;
  return new Map(
    Object.entries(packages).flatMap(([path, it]) => {
      const entry = objectOr(it);
      // What lies beside them is the project itself.
      if (entry === undefined || !path.includes('node_modules/')) return [];
      // Packages for other platforms are optional.
      const mayBeAbsent = [entry.optional, entry.devOptional, entry.peer].includes(true);
      return [[path, { version: entry.version ?? entry.resolved, mayBeAbsent }]];
    }),
  );
}

function dependenciesIn(manifest: string): string {
  const entries = Object.entries(parsedObject(manifest) ?? {});
  return JSON.stringify(entries.filter(([key]) => /dependencies$|^workspaces$/i.test(key)));
}
