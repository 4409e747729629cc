/** Tools that tag, push and publish by themselves. */
import { anyOperand, deploy, type Match, publish, push, release, type Tool, tool } from './rule.ts';

export const releaseTools = (): readonly Tool[] => [
  release('semantic-release', 'publish', { id: 'semantic-release', dry: '--dry-run' }),
  release('semantic-release', 'version', {
    id: 'semantic-release',
    unless: '--no-push --print --noop --no-vcs-release',
    dry: '--dry-run',
  }),
  release('semantic-release', '', {
    values: '-r --repository-url',
    dry: '-d --dry-run',
    unless: '--noop --version',
    except: 'changelog generate-config version publish',
  }),
  release('multi-semantic-release semantic-release-monorepo msr', '', {
    id: 'semantic-release',
    dry: '--dry-run',
  }),
  publish('changeset changesets', 'publish', { dry: '--dry-run', values: '--otp --tag' }),
  release('release-it', '', {
    dry: '--dry-run',
    unless: '--release-version --changelog -v --version',
  }),
  publish('np', '', { unless: '--preview --version', dry: '--dry-run' }),
  push('bumpp', '', { unless: '--no-push --push=false' }),
  push('changelogen', '', { only: '--push' }),
  publish('lerna', 'publish', { values: '--registry', dry: '--dry-run' }),
  push('lerna', 'version', {
    unless: '--no-push --no-git-tag-version --push=false',
    dry: '--dry-run',
  }),
  tool('nx', {}, [
    publish('release publish', { dry: '-d --dry-run', values: '--tag --registry --otp' }),
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
  tool('goreleaser', { flags: '--verbose' }, [
    release('release|r|publish|announce|continue', {
      dry: '--snapshot',
      values: '--skip -k --key',
      unless: '--skip-publish --prepare',
      when: ({ values }) => !values('--skip').some((it) => it.split(',').includes('publish')),
    }),
    release('', {
      dry: '--snapshot',
      unless: '-v --version',
      when: ({ operands }) => operands.length === 0,
    }),
  ]),
  tool('release-please', { staysHere: 'bootstrap latest-tag' }, [
    release('release-pr|github-release|manifest-pr|manifest-release', {
      id: 'release-please',
      dry: '--dry-run',
    }),
  ]),
  release('auto', 'shipit|release|publish|canary|next|latest', { dry: '-d --dry-run' }),
  publish('beachball', 'publish', {
    dry: '--dry-run',
    when: ({ has }) => !(has('--no-publish') && has('--no-push')),
  }),
  publish('rush install-run-rush.js', 'publish', {
    dry: '--dry-run',
    only: '-p --publish -b --target-branch',
  }),
  push('rush install-run-rush.js', 'version', { only: '-b --target-branch' }),
  publish('monopub', '', { dry: '--dry-run' }),
  publish('pkg-pr-new', 'publish', { dry: '--dry-run' }),
  deploy('gh-pages', '', { unless: '-n --no-push' }),
  push('ghp-import', '', { only: '-p --push' }),
  deploy('mkdocs', 'gh-deploy'),
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
    when: ({ operands }) => operands.length > 0,
  }),
  release('fullrelease', '', { id: 'zest.releaser', dry: '--dry-run' }),
  release('jreleaser', 'full-release|release|deploy|upload|publish|announce', {
    id: 'jreleaser',
    dry: '--dry-run',
  }),
  release('git-release git-extras', '', { id: 'git release', dry: '--dry-run' }),
  push('uplift', 'release|tag|bump', { id: 'uplift', dry: '--dry-run', unless: '--no-push' }),
  deploy('sentry-cli', 'sourcemaps|debug-files|react-native|dart-symbol-map upload'),
  deploy('sentry-cli', 'upload-dif', { id: 'sentry-cli sourcemaps upload' }),
  release('sentry-cli', 'releases finalize|deploys|files', { id: 'sentry-cli releases' }),
  release('release-cli', 'create'),
  push('cr', 'index', { only: '--push --pr' }),
  release('changelogithub', '', { dry: '--dry' }),
  // Pipelines that a server runs: what they do shows in their names alone.
  deploy('jenkins-cli bk circleci buddy tkn argo spin', 'build|run|pipeline|submit', {
    id: 'start of a pipeline',
    leaves: 'head',
    when: anyOperand(/release|publish|deploy/i),
  }),
  deploy('octopus', 'deployment|release create|deploy'),
  deploy('drone woodpecker-cli', 'build|pipeline promote|deploy', { id: 'drone build promote' }),
  release('tagpr sam-release', '', { id: 'tagpr', dry: '--dry-run' }),
];

function runsRelease(use: Match): boolean {
  const targets = [
    ...use.values('-t', '--target', '--targets').flatMap((it) => it.split(',')),
    ...use.operands.map((it) => it.split(':')[1] ?? ''),
  ];
  return targets.some((it) =>
    /^(nx-release-publish|publish|release|deploy|version-publish)(:|$)/.test(it),
  );
}
