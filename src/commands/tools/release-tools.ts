/** Tools that tag, push and publish by themselves. */
import { anyOperand, deploy, type Match, publish, push, release, type Tool, tool } from './rule.ts';

export const releaseTools = (): readonly Tool[] => [
  release('semantic-release', 'semantic-release = publish [--dry-run]'),
  release(
    'semantic-release',
    'semantic-release = version [--dry-run --no-push --print --noop --no-vcs-release]',
  ),
  release('semantic-release', '[-d --dry-run --noop --version]', {
    values: '-r --repository-url',
    except: 'changelog generate-config version publish',
  }),
  release('multi-semantic-release semantic-release-monorepo msr', 'semantic-release = [--dry-run]'),
  publish('changeset changesets', 'publish [--dry-run]', { values: '--otp --tag' }),
  release('release-it', '[--dry-run --release-version --changelog -v --version]'),
  publish('np', '[--dry-run --preview --version]'),
  push('bumpp', '[--no-push --push=false]'),
  push('changelogen', '--push'),
  publish('lerna', 'publish [--dry-run]', { values: '--registry' }),
  push('lerna', 'version [--dry-run --no-push --no-git-tag-version --push=false]'),
  tool('nx', {}, [
    publish('release publish [-d --dry-run]', { values: '--tag --registry --otp' }),
    publish('release [-d --dry-run --skip-publish]', {
      values: '-p --projects -g --groups --preid --tag',
      except: 'version changelog plan plan:check',
    }),
    release('release changelog --git-push|--create-release [-d --dry-run]'),
    publish('nx run publish = run|run-many|affected [-d --dry-run]', {
      values: '-t --target --targets -p --projects -c --configuration',
      when: runsRelease,
    }),
  ]),
  publish('turbo', 'turbo run publish = [--dry --dry-run]', {
    values: '--filter -F --concurrency --cwd --env-mode --output-logs',
    when: anyOperand(/^(release|publish|deploy)(:|$)/),
  }),
  tool('goreleaser', { flags: '--verbose' }, [
    release('release|r|publish|announce|continue [--snapshot --skip-publish --prepare]', {
      values: '--skip -k --key',
      when: ({ values }) => !values('--skip').some((it) => it.split(',').includes('publish')),
    }),
    release('[--snapshot -v --version]', { when: ({ operands }) => operands.length === 0 }),
  ]),
  tool('release-please', { staysHere: 'bootstrap latest-tag' }, [
    release('release-please = release-pr|github-release|manifest-pr|manifest-release [--dry-run]'),
  ]),
  release('auto', 'shipit|release|publish|canary|next|latest [-d --dry-run]'),
  publish('beachball', 'publish [--dry-run]', {
    when: ({ has }) => !(has('--no-publish') && has('--no-push')),
  }),
  publish('rush install-run-rush.js', 'publish -p|--publish|-b|--target-branch [--dry-run]'),
  push('rush install-run-rush.js', 'version -b|--target-branch'),
  publish('monopub', '[--dry-run]'),
  publish('pkg-pr-new', 'publish [--dry-run]'),
  deploy('gh-pages', '[-n --no-push]'),
  push('ghp-import', '-p|--push'),
  deploy('mkdocs', 'gh-deploy'),
  deploy('mike', 'mike deploy --push = deploy|set-default|alias|retitle -p|--push'),
  deploy('docusaurus', 'deploy'),
  deploy('quarto', 'publish'),
  deploy('ng', 'deploy [--dry-run]'),
  push('tbump', '[--dry-run --only-patch --no-push]', {
    except: 'init current-version',
    when: ({ operands }) => operands.length > 0,
  }),
  release('fullrelease', 'zest.releaser = [--dry-run]'),
  release(
    'jreleaser',
    'jreleaser = full-release|release|deploy|upload|publish|announce [--dry-run]',
  ),
  release('git-release git-extras', 'git release = [--dry-run]'),
  push('uplift', 'uplift = release|tag|bump [--dry-run --no-push]'),
  deploy('sentry-cli', 'sourcemaps|debug-files|react-native|dart-symbol-map upload'),
  deploy('sentry-cli', 'sentry-cli sourcemaps upload = upload-dif'),
  release('sentry-cli', 'sentry-cli releases = releases finalize|deploys|files'),
  release('release-cli', 'create'),
  push('cr', 'index --push|--pr'),
  release('changelogithub', '[--dry]'),
  // Pipelines run on a server: what they do shows in their names alone.
  deploy(
    'jenkins-cli bk circleci buddy tkn argo spin',
    'start of a pipeline = build|run|pipeline|submit',
    { leaves: 'head', when: anyOperand(/release|publish|deploy/i) },
  ),
  deploy('octopus', 'deployment|release create|deploy'),
  deploy('drone woodpecker-cli', 'drone build promote = build|pipeline promote|deploy'),
  release('tagpr sam-release', 'tagpr = [--dry-run]'),
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
