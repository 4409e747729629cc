/** The task runners: where each keeps its tasks, and how one is named. Lists are words separated by blanks. */
import { byName } from '../by-name.ts';
import { parseJustfile } from './justfile.ts';
import { parseMakefile } from './makefile.ts';
import type { TaskBook, TaskFile } from './task-entries.ts';
import { TASK_LANGUAGES, type TaskLanguage } from './task-programs.ts';

export interface TaskSource {
  readonly files: string;
  readonly language?: TaskLanguage;
  readonly parse?: (file: TaskFile) => TaskBook;
  /** The files are folders, and each script in them is a task. */
  readonly scripts?: true;
}

export interface TaskRunner {
  /** Words of the subcommand; with `?` at the end they may be left out. */
  readonly path?: string;
  readonly values?: string;
  readonly directory?: string;
  readonly dry?: string;
  readonly fileOptions?: string;
  /** How tasks are named: by the first word, by all, or by these options. Words after the first go to the task. */
  readonly named?: 'first' | 'all' | `-${string}`;
  /** The task that runs if none is named; `*` and `envlist` mean several of a file. */
  readonly default?: string;
  /** Words after the task are run in its place. */
  readonly isReplaced?: true;
  /** A task is a use of this program: an alias. */
  readonly program?: string;
  /** Each is a text: the files, and the keys that lead to the tasks, `*` for any: `deno.json deno.jsonc: tasks`. */
  readonly sources: readonly (string | TaskSource)[];
}

const HELP = '-h --help --version';
const { python, ruby, javascript, gradle, go } = TASK_LANGUAGES;

const PIXI: TaskRunner = {
  values: '-e --environment --manifest-path',
  sources: ['', 'feature.*.', 'target.*.'].flatMap((group) => [
    `pixi.toml: ${group}tasks`,
    `pyproject.toml: tool.pixi.${group}tasks`,
  ]),
};
const TOX: TaskRunner = {
  named: '-e --env',
  dry: `-l --listenvs -a --listenvs-all --notest ${HELP}`,
  fileOptions: '-c --conf',
  default: 'envlist',
  sources: ['tox.ini setup.cfg: testenv', 'tox.toml: env', 'pyproject.toml: tool.tox.env'],
};
/** The services of a compose file, each with the command that it runs. */
const COMPOSE = {
  values: '-f --file -p --project-name --profile --project-directory --scale -t --timeout',
  directory: '--project-directory',
  dry: `--dry-run --no-start ${HELP}`,
  fileOptions: '-f --file',
  sources: ['compose.yaml compose.yml docker-compose.yaml docker-compose.yml: services'],
} as const satisfies TaskRunner;
const composeAt = (group: string): readonly TaskRunner[] => [
  { ...COMPOSE, path: `${group}up`, named: 'all', default: '*' },
  { ...COMPOSE, path: `${group}run`, isReplaced: true },
];
const CARGO_MAKE: TaskRunner = {
  values: '-p --profile -e --env -l --loglevel --env-file',
  fileOptions: '--makefile',
  default: 'default',
  sources: ['Makefile.toml: tasks'],
};

export const TASK_RUNNERS = byName<TaskRunner | readonly TaskRunner[]>({
  'make gmake': {
    values: '-f --file --makefile -I --include-dir -o --old-file -W --what-if --eval',
    directory: '-C --directory',
    dry: `-n --just-print --dry-run --recon -q --question -t --touch -p -v ${HELP}`,
    fileOptions: '-f --file --makefile',
    named: 'all',
    sources: [{ files: 'GNUmakefile makefile Makefile', parse: parseMakefile }],
  },
  just: {
    values:
      '-f --justfile --set --shell --shell-arg --color --chooser --dotenv-path --dotenv-filename',
    directory: '-d --working-directory',
    dry: `-n --dry-run -l --list --show -s --summary --evaluate --fmt --dump ${HELP}`,
    fileOptions: '-f --justfile',
    named: 'first',
    sources: [{ files: 'justfile Justfile .justfile', parse: parseJustfile }],
  },
  'task go-task': [
    {
      values: '-t --taskfile -o --output -C --concurrency -I --interval',
      directory: '-d --dir',
      dry: `-n --dry -l --list -a --list-all --summary --status --init ${HELP}`,
      fileOptions: '-t --taskfile',
      named: 'all',
      default: 'default',
      sources: [
        'Taskfile.yml taskfile.yml Taskfile.yaml taskfile.yaml Taskfile.dist.yml Taskfile.dist.yaml: tasks',
      ],
    },
    { sources: ['pyproject.toml: tool.taskipy.tasks'] },
  ],
  'mise rtx': {
    path: 'run|r|watch?',
    values: '-C --cd -j --jobs -t --tool -o --output -s --shell',
    directory: '-C --cd',
    dry: `-n --dry-run ${HELP}`,
    sources: [
      'mise.toml .mise.toml mise.local.toml mise/config.toml .mise/config.toml .config/mise.toml .config/mise/config.toml: tasks',
      { files: 'mise-tasks .mise-tasks .mise/tasks mise/tasks .config/mise/tasks', scripts: true },
    ],
  },
  'poe poethepoet': {
    values: '-e --executor',
    directory: '-C --directory --root',
    dry: `-d --dry-run ${HELP}`,
    sources: [
      'pyproject.toml: tool.poe.tasks',
      'poe_tasks.toml poe_tasks.yaml poe_tasks.json: tasks',
    ],
  },
  pdm: {
    path: 'run?',
    values: '-p --project -s --site-packages',
    directory: '-p --project',
    sources: ['pyproject.toml: tool.pdm.scripts'],
  },
  hatch: {
    path: 'run',
    values: '-e --env -p --project',
    sources: ['hatch.toml: envs.*.scripts', 'pyproject.toml: tool.hatch.envs.*.scripts'],
  },
  pipenv: { path: 'run', sources: ['Pipfile: scripts'] },
  pixi: { ...PIXI, path: 'run|r' },
  'docker podman': composeAt('compose '),
  'docker-compose podman-compose': composeAt(''),
  tox: TOX,
  cargo: [
    { ...CARGO_MAKE, path: 'make' },
    { program: 'cargo', sources: ['.cargo/config.toml .cargo/config: alias'] },
  ],
  'makers cargo-make': CARGO_MAKE,
  composer: {
    path: 'run-script|run?',
    directory: '-d --working-dir',
    sources: ['composer.json: scripts'],
  },
  deno: {
    path: 'task|run',
    values: '--config -c -f --filter',
    directory: '--cwd',
    sources: ['deno.json deno.jsonc: tasks', 'package.json: scripts'],
  },
  moon: { path: 'run|r', named: 'all', sources: ['moon.yml: tasks'] },
  lefthook: {
    path: 'run',
    sources: ['lefthook.yml .lefthook.yml lefthook.toml lefthook.json: '],
  },
  nox: {
    values: '-k --keywords -t --tags -p --python --envdir --default-venv-backend',
    named: '-s --session --sessions -e',
    dry: `-l --list ${HELP}`,
    fileOptions: '-f --noxfile',
    default: '*',
    sources: [{ files: 'noxfile.py', language: python }],
  },
  'inv invoke': {
    values: '-r --search-root -f --config -T --command-timeout',
    named: 'all',
    dry: `-R --dry -l --list ${HELP}`,
    fileOptions: '-c --collection',
    sources: [{ files: 'tasks.py tasks/__init__.py', language: python }],
  },
  doit: {
    named: 'all',
    fileOptions: '-f --file',
    default: '*',
    sources: [{ files: 'dodo.py', language: { ...python, texts: true } }],
  },
  'rake thor': {
    values: '-I --libdir -r --require -R --rakelibdir',
    named: 'all',
    dry: `-n --dry-run -T --tasks -P --prereqs ${HELP}`,
    fileOptions: '-f --rakefile',
    default: 'default',
    sources: [{ files: 'Rakefile rakefile Rakefile.rb rakefile.rb Thorfile', language: ruby }],
  },
  'gradle gradlew': {
    values: '-p --project-dir -x --exclude-task -I --init-script -P -D -g --gradle-user-home',
    directory: '-p --project-dir',
    named: 'all',
    dry: `-m --dry-run ${HELP}`,
    fileOptions: '-b --build-file',
    sources: [{ files: 'build.gradle build.gradle.kts', language: gradle }],
  },
  'gulp grunt jake': {
    named: 'all',
    dry: `-T --tasks ${HELP}`,
    fileOptions: '-f --gulpfile --gruntfile -f --jakefile',
    default: 'default',
    sources: [
      {
        files:
          'gulpfile.js gulpfile.mjs gulpfile.cjs gulpfile.ts Gruntfile.js gruntfile.js Gruntfile.cjs Jakefile jakefile.js',
        language: javascript,
      },
    ],
  },
  nps: {
    named: 'all',
    fileOptions: '-c --config',
    sources: [
      {
        files: 'package-scripts.js package-scripts.cjs package-scripts.mjs',
        language: { ...javascript, texts: true },
      },
    ],
  },
  mage: {
    values: '-d -w -t',
    directory: '-d',
    named: 'all',
    dry: `-l ${HELP}`,
    sources: [{ files: 'magefile.go magefiles/magefile.go mage.go', language: go }],
  },
});
