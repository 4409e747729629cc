/** Registries of JavaScript packages. */
import type { Rule, Tool } from './rule.ts';

const NPM_VALUES =
  '--registry --userconfig --cache --tag --otp --access --loglevel --scope --auth-type --provenance-file --script-shell --node-options';
const NPM_FLAGS =
  '--workspaces -ws --force -f --ignore-scripts --silent -s --quiet -q --verbose --json --yes -y --foreground-scripts --provenance --include-workspace-root --if-present --offline --prefer-offline --no-audit --no-fund -g --global';

const npmRule = (id: string, path: string, more: Partial<Rule> = {}): Rule => ({
  id,
  kind: 'publish',
  path,
  dry: '--dry-run',
  takesTruth: true,
  dryVariables: 'npm_config_dry_run NPM_CONFIG_DRY_RUN',
  ...more,
});

export function javascriptRegistriesTools(): readonly Tool[] {
  return [
    {
      names: 'npm npm-cli.js cnpm tnpm',
      values: `${NPM_VALUES} -w --workspace`,
      flags: NPM_FLAGS,
      directory: '--prefix -C',
      rules: [
        npmRule('npm publish', 'publish|publis|publi|publ|pub'),
        npmRule('npm unpublish', 'unpublish|unpublis|unpubli|unpubl|unpub'),
        npmRule('npm stage publish', 'stage publish'),
        npmRule('npm dist-tag add', 'dist-tag|dist-tags add'),
        npmRule('npm deprecate', 'deprecate'),
      ],
    },
    {
      names: 'pnpm',
      values: `${NPM_VALUES} -F --filter --filter-prod --publish-branch --workspace-concurrency --reporter`,
      flags: `${NPM_FLAGS} -r --recursive --no-git-checks --parallel --stream -w --workspace-root --report-summary --embed-readme`,
      directory: '-C --dir --prefix',
      rules: [
        npmRule('pnpm publish', 'publish'),
        npmRule('pnpm npm publish', 'npm publish'),
        npmRule('npm dist-tag add', 'dist-tag add'),
        npmRule('npm unpublish', 'unpublish'),
      ],
    },
    {
      names: 'yarn yarnpkg',
      values: `${NPM_VALUES} --new-version --message`,
      flags: `${NPM_FLAGS} --non-interactive --no-git-tag-version --patch --minor --major --tolerate-republish`,
      directory: '--cwd',
      rules: [
        npmRule('yarn publish', 'publish'),
        npmRule('yarn npm publish', 'npm publish'),
        npmRule('yarn npm tag add', 'npm tag add'),
      ],
    },
    {
      names: 'bun',
      values: `${NPM_VALUES} --gzip-level`,
      flags: NPM_FLAGS,
      directory: '--cwd',
      rules: [npmRule('bun publish', 'publish')],
    },
    {
      names: 'deno',
      rules: [
        {
          id: 'deno publish',
          kind: 'publish',
          path: 'publish',
          values: '--token -c --config --set-version',
          dry: '--dry-run',
        },
      ],
    },
    {
      names: 'jsr',
      rules: [
        {
          id: 'jsr publish',
          kind: 'publish',
          path: 'publish',
          values: '--token --set-version',
          dry: '--dry-run',
        },
      ],
    },
  ];
}
