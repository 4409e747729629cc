/** Tools that tag, push and publish by themselves. */
import type { Use } from '../../base/text/options.ts';
import {
  anyOperand,
  deploy,
  publish,
  pullRequest,
  push,
  release,
  type Tool,
  tool,
} from './rule.ts';

export const releaseTools = (): readonly Tool[] => [
  tool('semantic-release', [
    release('publish|version', {
      id: 'semantic-release',
      dry: '--dry-run',
      when: (use) =>
        !use.has('--no-push', '--print', '--noop', '--no-vcs-release') || use.argv[1] === 'publish',
    }),
    release('', {
      dry: '-d --dry-run',
      values: '-b --branches -r --repository-url -t --tag-format -p --plugins -e --extends',
      flags: '--no-ci --ci --debug',
      unless: '--noop --version',
      when: (use) =>
        !(
          use.operands[0] !== undefined &&
          /^(changelog|generate-config|version|publish)$/.test(use.operands[0])
        ),
    }),
  ]),
  release('multi-semantic-release semantic-release-monorepo msr', '', {
    id: 'semantic-release',
    dry: '--dry-run',
  }),
  tool('changeset changesets', { values: '--cwd' }, [
    publish('publish', { dry: '--dry-run', values: '--otp --tag' }),
  ]),
  release('release-it', '', {
    dry: '--dry-run',
    values: '-i --increment -c --config --preRelease',
    unless: '--release-version --changelog -v --version',
  }),
  publish('np', '', {
    dry: '--dry-run',
    values: '--branch --tag --contents --message',
    flags: '--preview',
    unless: '--preview --version',
  }),
  push('bumpp', '', { unless: '--no-push --push=false' }),
  push('changelogen', '', { only: '--push' }),
  tool('lerna', { values: '--loglevel --concurrency' }, [
    publish('publish', {
      dry: '--dry-run',
      values:
        '--dist-tag --preid --registry --message -m --canary-preid --conventional-prerelease --contents --otp',
      flags:
        '-y --yes --no-git-tag-version --no-push --force-publish --conventional-commits --canary',
    }),
    push('version', {
      values:
        '--preid --message -m --git-remote --allow-branch --tag-version-prefix --create-release --changelog-preset',
      unless: '--no-push --no-git-tag-version --push=false',
      dry: '--dry-run',
    }),
  ]),
  tool('nx', [
    publish('release publish', {
      dry: '-d --dry-run',
      values: '-p --projects -g --groups --tag --registry --otp --access',
    }),
    publish('release', {
      dry: '-d --dry-run',
      values: '-p --projects -g --groups --preid --tag',
      unless: '--skip-publish',
      except: 'version changelog plan plan:check',
    }),
    release('release changelog', { dry: '-d --dry-run', only: '--git-push --create-release' }),
    publish('run|run-many|affected', {
      id: 'nx run publish',
      dry: '-d --dry-run',
      values: '-t --target --targets -p --projects -c --configuration',
      when: runsRelease,
    }),
  ]),
  publish('turbo', '', {
    id: 'turbo run publish',
    dry: '--dry --dry-run',
    values: '--filter -F --concurrency --cwd --env-mode --output-logs',
    when: anyOperand(/^(release|publish|deploy)(:|$)/),
  }),
  tool('goreleaser', [
    release('release|r|publish|announce|continue', {
      dry: '--snapshot',
      values:
        '-f --config -p --parallelism --timeout --release-notes --release-header --release-footer --skip -k --key',
      flags:
        '--clean --rm-dist --snapshot --nightly --auto-snapshot --fail-fast --draft --single-target',
      unless: '--skip-publish --prepare',
      when: (use) => !use.values('--skip').some((it) => it.split(',').includes('publish')),
    }),
    release('', {
      dry: '--snapshot',
      unless: '-v --version',
      when: (use) => use.operands.length === 0,
    }),
  ]),
  release('release-please', 'release-pr|github-release|manifest-pr|manifest-release|latest-tag', {
    id: 'release-please',
    dry: '--dry-run',
    when: (use) => use.argv[1] !== 'latest-tag',
  }),
  release('release-plz', 'release|release-pr', { id: 'release-plz', dry: '--dry-run' }),
  release('auto', 'shipit|release|publish|canary|next|latest', { dry: '-d --dry-run' }),
  publish('beachball', 'publish', {
    dry: '--dry-run',
    when: (use) => !(use.has('--no-publish') && use.has('--no-push')),
  }),
  tool('rush', [
    publish('publish', {
      dry: '--dry-run',
      only: '-p --publish --include-all -b --target-branch',
    }),
    push('version', { only: '-b --target-branch' }),
  ]),
  tool('shipjs', [
    pullRequest('prepare', { dry: '-d --dry-run' }),
    release('trigger', { dry: '-d --dry-run' }),
  ]),
  publish('npm-publish', '', { dry: '--dry-run' }),
  publish('clean-publish', '', { dry: '--dry-run', unless: '--without-publish' }),
  publish('pkg-pr-new', 'publish', { dry: '--dry-run' }),
  deploy('gh-pages', '', {
    values: '-d --dist -b --branch -r --repo -m --message -t -e -s --src -o --remote',
    unless: '-n --no-push',
  }),
  push('ghp-import', '', { values: '-m -r -b -x -c -S', only: '-p --push' }),
  deploy('mkdocs', 'gh-deploy', {
    values: '-f --config-file -m --message -b --remote-branch -r --remote-name',
  }),
  deploy('mike', 'deploy|set-default|alias|retitle', {
    id: 'mike deploy --push',
    only: '-p --push',
  }),
  deploy('docusaurus', 'deploy'),
  deploy('quarto', 'publish'),
  deploy('ng', 'deploy', { dry: '--dry-run' }),
  push('tbump', '', {
    dry: '--dry-run',
    unless: '--only-patch --no-push',
    except: 'init current-version',
    when: (use) => use.operands.length > 0,
  }),
  release('zest.releaser fullrelease release', '', {
    dry: '--dry-run',
    when: (use) => use.argv[0] === 'fullrelease',
  }),
  release('jreleaser', 'full-release|release|deploy|upload|publish|announce', {
    id: 'jreleaser',
    dry: '--dry-run',
  }),
  release('git-release git-extras', '', { id: 'git release', dry: '--dry-run' }),
  release('dist cargo-dist', 'host', {
    dry: '--dry-run',
    when: (use) => use.values('--steps').some((it) => /upload|release/.test(it)),
  }),
  release('cargo-release', '', { id: 'cargo release', dry: '--dry-run', only: '-x --execute' }),
  push('uplift', 'release|tag|bump', { id: 'uplift', dry: '--dry-run', unless: '--no-push' }),
  publish('monopub', '', { dry: '--dry-run' }),
  tool('sentry-cli', [
    deploy('sourcemaps|upload-dif|debug-files|react-native|dart-symbol-map upload', {
      when: (use) => use.argv.includes('upload'),
    }),
    release('releases finalize|deploys|files', { id: 'sentry-cli releases' }),
  ]),
  release('changelogithub', '', { dry: '--dry' }),
  release('gren', 'release'),
  // Pipelines that a server runs: what they do shows in their names alone.
  deploy('jenkins-cli bk circleci buddy tkn argo spin', 'build|run|pipeline|submit', {
    id: 'start of a pipeline',
    leaves: 'head',
    when: ({ operands, values }) =>
      [...operands, ...values('-p', '--pipeline', '--name')].some((it) =>
        /release|publish|deploy/i.test(it),
      ),
  }),
  deploy('octopus', 'deployment|release create|deploy'),
  deploy('drone woodpecker-cli', 'build|pipeline promote|deploy', { id: 'drone build promote' }),
  release('sam-release tagpr', '', { id: 'tagpr', dry: '--dry-run' }),
];

function runsRelease(use: Use): boolean {
  const targets = [
    ...use.values('-t', '--target', '--targets').flatMap((it) => it.split(',')),
    ...use.operands.map((it) => it.split(':')[1] ?? ''),
  ];
  return targets.some((it) =>
    /^(nx-release-publish|publish|release|deploy|version-publish)(:|$)/.test(it),
  );
}
