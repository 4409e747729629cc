/** Registries of JavaScript packages. */
import { publish, type Rule, type Tool, tool } from './rule.ts';

const NPM_VALUES =
  '--registry --userconfig --cache --tag --otp --access --loglevel --scope --auth-type --provenance-file --script-shell --node-options';
const NPM_FLAGS =
  '--workspaces -ws --force -f --ignore-scripts --silent -s --quiet -q --verbose --json --yes -y --foreground-scripts --provenance --include-workspace-root --if-present --offline --prefer-offline --no-audit --no-fund -g --global';

/** How a dry run is requested of npm and compatible clients. */
const NPM_DRY: Partial<Rule> = {
  dry: '--dry-run',
  takesTruth: true,
  dryVariables: 'npm_config_dry_run NPM_CONFIG_DRY_RUN',
};

export function javascriptRegistriesTools(): readonly Tool[] {
  return [
    tool(
      'npm npm-cli.js cnpm tnpm',
      { values: `${NPM_VALUES} -w --workspace`, flags: NPM_FLAGS, directory: '--prefix -C' },
      [
        publish('publish|publis|publi|publ|pub', NPM_DRY),
        publish('unpublish|unpublis|unpubli|unpubl|unpub', NPM_DRY),
        publish('stage publish', NPM_DRY),
        publish('dist-tag|dist-tags add', NPM_DRY),
        publish('deprecate', NPM_DRY),
      ],
    ),
    tool(
      'pnpm',
      {
        values: `${NPM_VALUES} -F --filter --filter-prod --publish-branch --workspace-concurrency --reporter`,
        flags: `${NPM_FLAGS} -r --recursive --no-git-checks --parallel --stream -w --workspace-root --report-summary --embed-readme`,
        directory: '-C --dir --prefix',
      },
      [
        publish('publish', NPM_DRY),
        publish('npm publish', NPM_DRY),
        publish('dist-tag add', { id: 'npm dist-tag add', ...NPM_DRY }),
        publish('unpublish', { id: 'npm unpublish', ...NPM_DRY }),
      ],
    ),
    tool(
      'yarn yarnpkg',
      {
        values: `${NPM_VALUES} --new-version --message`,
        flags: `${NPM_FLAGS} --non-interactive --no-git-tag-version --patch --minor --major --tolerate-republish`,
        directory: '--cwd',
      },
      [
        publish('publish', NPM_DRY),
        publish('npm publish', NPM_DRY),
        publish('npm tag add', NPM_DRY),
      ],
    ),
    tool('bun', { values: `${NPM_VALUES} --gzip-level`, flags: NPM_FLAGS, directory: '--cwd' }, [
      publish('publish', NPM_DRY),
    ]),
    tool('deno', [
      publish('publish', { values: '--token -c --config --set-version', dry: '--dry-run' }),
    ]),
    tool('jsr', [publish('publish', { values: '--token --set-version', dry: '--dry-run' })]),
  ];
}
