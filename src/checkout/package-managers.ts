/** What each package manager installs from its lock file, and how a finished installation is detected. */
import { lstatSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { attempt } from '../base/errors.ts';
import { at, objectOr, parsedObject } from '../base/text/json.ts';

export interface PackageManager {
  readonly name: string;
  /** The language of its packages: managers of two languages can share a folder. */
  readonly language: 'javascript' | 'python' | 'ruby' | 'php';
  /** The file that lists what to install. */
  readonly lock: string;
  /** Runs in the lock file's folder; `undefined`: the lock file is too vague for an installation. */
  readonly command: ((lock: string) => string) | undefined;
  /** The command that installs from the manager's own store, by links and without a network. */
  readonly fromStore?: string;
  /** The folders that it installs into: the ends of paths. */
  readonly folders: readonly string[];
  /** Whether exactly what the lock file names is installed in a folder. */
  readonly isInstalled: (folder: string, lock: string) => boolean;
  /** The part of the lock file that counts, if other lines do not matter. */
  readonly relevant?: (lock: string) => string;
}

/** The program whose version decides whether installed packages fit. */
export const RUNTIMES = {
  javascript: 'node',
  python: 'python3',
  ruby: 'ruby',
  php: 'php',
} as const;

const VENV = ['.venv', 'venv'];

/** Names of the folders whose files may be read-only: Composer and Bundler write to theirs. */
export const SHARED_FOLDERS: ReadonlySet<string> = new Set(['node_modules', ...VENV]);

/** If several fit a folder, the first one counts. */
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
    // The packages of the system are visible, because the test runner is often not among the requirements.
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

/** The state of an installation, which changes with each: times of its packages, and of the manager's own records. */
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

function python(name: string, lock: string, command: string): PackageManager {
  const isInstalled = (folder: string): boolean =>
    VENV.some((venv) => {
      const versions = attempt(() => readdirSync(join(folder, venv, 'lib'))) ?? [];
      return versions.some((it) => isNewer(folder, `${venv}/lib/${it}/site-packages`, lock));
    });
  return { name, language: 'python', lock, folders: VENV, command: () => command, isInstalled };
}

/** True if exactly the packages of the lock file are installed, by npm's own record. */
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
      // Other entries are packages of the project itself.
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
