/** Tools that tag, push and publish by themselves. */
import type { Rule, Tool, Use } from './rule.ts';

const publishing = (id: string, path: string, more: Partial<Rule> = {}): Rule => ({
  id,
  kind: 'publish',
  path,
  dry: '--dry-run',
  ...more,
});
const releasing = (id: string, path: string, more: Partial<Rule> = {}): Rule => ({
  id,
  kind: 'release',
  path,
  dry: '--dry-run',
  ...more,
});

export function releaseTools(): readonly Tool[] {
  return [
    {
      names: 'semantic-release',
      rules: [
        releasing('semantic-release', 'publish|version', {
          when: (use) =>
            !use.has('--no-push', '--print', '--noop', '--no-vcs-release') ||
            use.argv[1] === 'publish',
        }),
        releasing('semantic-release', '', {
          values: '-b --branches -r --repository-url -t --tag-format -p --plugins -e --extends',
          flags: '--no-ci --ci --debug',
          dry: '-d --dry-run',
          when: (use) =>
            !use.has('--noop', '--version') &&
            !(
              use.operands[0] !== undefined &&
              /^(changelog|generate-config|version|publish)$/.test(use.operands[0])
            ),
        }),
      ],
    },
    {
      names: 'multi-semantic-release semantic-release-monorepo msr',
      rules: [releasing('semantic-release', '')],
    },
    {
      names: 'changeset changesets',
      values: '--cwd',
      rules: [publishing('changeset publish', 'publish', { values: '--otp --tag' })],
    },
    {
      names: 'release-it',
      rules: [
        releasing('release-it', '', {
          values: '-i --increment -c --config --preRelease',
          when: (use) => !use.has('--release-version', '--changelog', '-v', '--version'),
        }),
      ],
    },
    {
      names: 'np',
      rules: [
        publishing('np', '', {
          values: '--branch --tag --contents --message',
          flags: '--preview',
          when: (use) => !use.has('--preview', '--version'),
        }),
      ],
    },
    {
      names: 'bumpp',
      rules: [
        {
          id: 'bumpp',
          kind: 'push',
          path: '',
          when: (use) =>
            !use.has('--no-push') &&
            !use.options.some(({ name, value }) => name === '--push' && value === 'false'),
        },
      ],
    },
    {
      names: 'lerna',
      values: '--loglevel --concurrency',
      rules: [
        publishing('lerna publish', 'publish', {
          values:
            '--dist-tag --preid --registry --message -m --canary-preid --conventional-prerelease --contents --otp',
          flags:
            '-y --yes --no-git-tag-version --no-push --force-publish --conventional-commits --canary',
          dry: '--dry-run',
        }),
        {
          id: 'lerna version',
          kind: 'push',
          path: 'version',
          values:
            '--preid --message -m --git-remote --allow-branch --tag-version-prefix --create-release --changelog-preset',
          when: (use) =>
            !use.has('--no-push', '--no-git-tag-version') &&
            !use.options.some(({ name, value }) => name === '--push' && value === 'false'),
          dry: '--dry-run',
        },
      ],
    },
    {
      names: 'nx',
      rules: [
        publishing('nx release publish', 'release publish', {
          values: '-p --projects -g --groups --tag --registry --otp --access',
          dry: '-d --dry-run',
        }),
        publishing('nx release', 'release', {
          values: '-p --projects -g --groups --preid --tag',
          dry: '-d --dry-run',
          when: (use) =>
            !use.has('--skip-publish') &&
            !['version', 'changelog', 'plan', 'plan:check'].includes(use.operands[0] ?? ''),
        }),
        releasing('nx release changelog', 'release changelog', {
          dry: '-d --dry-run',
          when: (use) => use.has('--git-push') || use.has('--create-release'),
        }),
        publishing('nx run publish', 'run|run-many|affected', {
          dry: '-d --dry-run',
          values: '-t --target --targets -p --projects -c --configuration',
          when: (use) => runsRelease(use),
        }),
      ],
    },
    {
      names: 'turbo',
      rules: [
        publishing('turbo run publish', '', {
          values: '--filter -F --concurrency --cwd --env-mode --output-logs',
          dry: '--dry --dry-run',
          when: (use) => use.operands.some((it) => /^(release|publish|deploy)(:|$)/.test(it)),
        }),
      ],
    },
    {
      names: 'goreleaser',
      rules: [
        releasing('goreleaser release', 'release|r|publish|announce|continue', {
          values:
            '-f --config -p --parallelism --timeout --release-notes --release-header --release-footer --skip -k --key',
          flags:
            '--clean --rm-dist --snapshot --nightly --auto-snapshot --fail-fast --draft --single-target',
          dry: '--snapshot',
          when: (use) =>
            !use.values('--skip').some((it) => it.split(',').includes('publish')) &&
            !use.has('--skip-publish', '--prepare'),
        }),
        releasing('goreleaser', '', {
          dry: '--snapshot',
          when: (use) => use.operands.length === 0 && !use.has('-v', '--version'),
        }),
      ],
    },
    {
      names: 'release-please',
      rules: [
        releasing(
          'release-please',
          'release-pr|github-release|manifest-pr|manifest-release|latest-tag',
          { when: (use) => use.argv[1] !== 'latest-tag' },
        ),
      ],
    },
    { names: 'release-plz', rules: [releasing('release-plz', 'release|release-pr')] },
    {
      names: 'auto',
      rules: [
        releasing('auto shipit', 'shipit|release|publish|canary|next|latest', {
          dry: '-d --dry-run',
        }),
      ],
    },
    {
      names: 'beachball',
      rules: [
        publishing('beachball publish', 'publish', {
          when: (use) => !(use.has('--no-publish') && use.has('--no-push')),
        }),
      ],
    },
    {
      names: 'rush',
      rules: [
        publishing('rush publish', 'publish', {
          when: (use) =>
            use.has('-p', '--publish', '--include-all') || use.has('-b', '--target-branch'),
        }),
        {
          id: 'rush version',
          kind: 'push',
          path: 'version',
          when: (use) => use.has('-b', '--target-branch'),
        },
      ],
    },
    {
      names: 'shipjs',
      rules: [
        { id: 'shipjs prepare', kind: 'pull-request', path: 'prepare', dry: '-d --dry-run' },
        releasing('shipjs trigger', 'trigger', { dry: '-d --dry-run' }),
      ],
    },
    { names: 'npm-publish', rules: [publishing('npm-publish', '')] },
    {
      names: 'clean-publish',
      rules: [publishing('clean-publish', '', { when: (use) => !use.has('--without-publish') })],
    },
    { names: 'pkg-pr-new', rules: [publishing('pkg-pr-new publish', 'publish')] },
    {
      names: 'gh-pages',
      rules: [
        {
          id: 'gh-pages',
          kind: 'deploy',
          path: '',
          values: '-d --dist -b --branch -r --repo -m --message -t -e -s --src -o --remote',
          when: (use) => !use.has('-n', '--no-push'),
        },
      ],
    },
    {
      names: 'ghp-import',
      rules: [
        {
          id: 'ghp-import',
          kind: 'push',
          path: '',
          values: '-m -r -b -x -c -S',
          when: (use) => use.has('-p', '--push'),
        },
      ],
    },
    {
      names: 'mkdocs',
      rules: [
        {
          id: 'mkdocs gh-deploy',
          kind: 'deploy',
          path: 'gh-deploy',
          values: '-f --config-file -m --message -b --remote-branch -r --remote-name',
        },
      ],
    },
    {
      names: 'mike',
      rules: [
        {
          id: 'mike deploy --push',
          kind: 'deploy',
          path: 'deploy|set-default|delete|alias|retitle',
          when: (use) => use.has('-p', '--push'),
        },
      ],
    },
    { names: 'docusaurus', rules: [{ id: 'docusaurus deploy', kind: 'deploy', path: 'deploy' }] },
    { names: 'quarto', rules: [{ id: 'quarto publish', kind: 'deploy', path: 'publish' }] },
    {
      names: 'angular-cli-ghpages ng',
      rules: [{ id: 'ng deploy', kind: 'deploy', path: 'deploy', dry: '--dry-run' }],
    },
    {
      names: 'tbump',
      rules: [
        {
          id: 'tbump',
          kind: 'push',
          path: '',
          dry: '--dry-run',
          when: (use) =>
            !use.has('--only-patch', '--no-push') &&
            use.operands.length > 0 &&
            !['init', 'current-version'].includes(use.operands[0] ?? ''),
        },
      ],
    },
    {
      names: 'zest.releaser fullrelease release',
      rules: [releasing('zest.releaser', '', { when: (use) => use.argv[0] === 'fullrelease' })],
    },
    {
      names: 'jreleaser',
      rules: [releasing('jreleaser', 'full-release|release|deploy|upload|publish|announce')],
    },
    { names: 'git-release git-extras', rules: [releasing('git release', '')] },
    {
      names: 'dist cargo-dist',
      rules: [
        releasing('dist host', 'host', {
          when: (use) => use.values('--steps').some((it) => /upload|release/.test(it)),
        }),
      ],
    },
    {
      names: 'cargo-release',
      rules: [releasing('cargo release', '', { when: (use) => use.has('-x', '--execute') })],
    },
    {
      names: 'uplift',
      rules: [
        {
          id: 'uplift',
          kind: 'push',
          path: 'release|tag|bump',
          dry: '--dry-run',
          when: (use) => !use.has('--no-push'),
        },
      ],
    },
    { names: 'monopub', rules: [publishing('monopub', '')] },
    {
      names: 'sentry-cli',
      rules: [
        {
          id: 'sentry-cli sourcemaps upload',
          kind: 'deploy',
          path: 'sourcemaps|upload-dif|debug-files|react-native|dart-symbol-map upload',
          when: (use) => use.argv.includes('upload'),
        },
        { id: 'sentry-cli releases', kind: 'release', path: 'releases finalize|deploys|files' },
      ],
    },
    { names: 'sam-release tagpr', rules: [releasing('tagpr', '')] },
  ];
}

function runsRelease(use: Use): boolean {
  const targets = [
    ...use.values('-t', '--target', '--targets').flatMap((it) => it.split(',')),
    ...use.operands.map((it) => it.split(':')[1] ?? ''),
  ];
  return targets.some((it) =>
    /^(nx-release-publish|publish|release|deploy|version-publish)(:|$)/.test(it),
  );
}
