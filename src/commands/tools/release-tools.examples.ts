import type { Examples } from './rule.ts';

export const releaseExamples: Examples = {
  'semantic-release': {
    releases: [
      'semantic-release',
      'semantic-release --no-ci -b main',
      'semantic-release version --patch',
      'semantic-release publish',
      'multi-semantic-release',
    ],
    harmless: [
      'semantic-release -d',
      'semantic-release --noop',
      'semantic-release version --print',
      'semantic-release changelog',
      'multi-semantic-release --dry-run',
    ],
  },
  'changeset publish': {
    releases: ['changeset publish', 'changeset --cwd x publish --tag next'],
    harmless: ['changeset', 'changeset version', 'changeset status'],
  },
  'release-it': {
    releases: ['release-it --ci', 'release-it minor'],
    harmless: ['release-it --dry-run', 'release-it --release-version'],
  },
  np: { releases: ['np minor', 'np'], harmless: ['np --preview', 'np --dry-run'] },
  bumpp: {
    releases: ['bumpp', 'bumpp patch'],
    harmless: ['bumpp --no-push', 'bumpp --push=false'],
  },
  changelogen: {
    releases: ['changelogen --release --push'],
    harmless: ['changelogen', 'changelogen --release'],
  },
  'lerna publish': {
    releases: ['npx lerna publish from-package', 'lerna publish --canary'],
    harmless: ['lerna publish --dry-run', 'lerna run build'],
  },
  'lerna version': {
    releases: ['lerna version minor'],
    harmless: ['lerna version --no-push', 'lerna version --no-git-tag-version'],
  },
  'nx release publish': {
    releases: ['nx release publish', 'nx release publish --tag next'],
    harmless: ['nx release publish --dry-run'],
  },
  'nx release': {
    releases: ['nx release', 'nx release minor -y'],
    harmless: ['nx release --dry-run', 'nx release version patch', 'nx release --skip-publish'],
  },
  'nx release changelog': {
    releases: ['nx release changelog 1.0.0 --create-release github'],
    harmless: ['nx release changelog 1.0.0'],
  },
  'nx run publish': {
    releases: ['nx run app:deploy', 'nx run-many -t publish', 'nx affected --target deploy'],
    harmless: ['nx build app', 'nx run app:test', 'nx run-many -t build'],
  },
  'turbo run publish': {
    releases: ['turbo run publish', 'turbo deploy --filter web'],
    harmless: ['turbo run build', 'turbo run publish --dry'],
  },
  goreleaser: {
    releases: ['goreleaser', 'goreleaser --clean'],
    harmless: ['goreleaser check', 'goreleaser --version', 'goreleaser --verbose check'],
  },
  'goreleaser release': {
    releases: ['goreleaser release --skip=sign', 'goreleaser release --clean'],
    harmless: [
      'goreleaser build --snapshot',
      'goreleaser release --snapshot',
      'goreleaser release --skip=publish',
    ],
  },
  'release-please': {
    releases: ['release-please release-pr --repo-url a/b', 'release-please github-release'],
    harmless: ['release-please latest-tag', 'release-please release-pr --dry-run'],
  },
  'auto shipit': {
    releases: ['auto shipit', 'auto canary'],
    harmless: ['auto version', 'auto info'],
  },
  'beachball publish': {
    releases: ['beachball publish', 'beachball publish --no-push'],
    harmless: ['beachball check', 'beachball publish --no-push --no-publish'],
  },
  'rush publish': {
    releases: [
      'node common/scripts/install-run-rush.js publish --publish',
      'rush publish -p',
      'rush publish --target-branch main',
    ],
    harmless: ['rush publish', 'rush publish --include-all', 'rush build'],
  },
  'rush version': {
    releases: ['rush version --bump --target-branch main'],
    harmless: ['rush version --bump'],
  },
  monopub: { releases: ['monopub'], harmless: ['monopub --dry-run'] },
  'pkg-pr-new publish': {
    releases: ['pkg-pr-new publish ./packages/a'],
    harmless: ['pkg-pr-new --help'],
  },
  'gh-pages': { releases: ['gh-pages -d dist'], harmless: ['gh-pages -d dist -n'] },
  'ghp-import': { releases: ['ghp-import -p site'], harmless: ['ghp-import site'] },
  'mkdocs gh-deploy': {
    releases: ['mkdocs gh-deploy', 'mkdocs gh-deploy --force'],
    harmless: ['mkdocs build', 'mkdocs serve'],
  },
  'mike deploy --push': {
    releases: ['mike deploy --push 1.0', 'mike set-default -p latest'],
    harmless: ['mike deploy 1.0', 'mike list'],
  },
  'docusaurus deploy': { releases: ['docusaurus deploy'], harmless: ['docusaurus build'] },
  'quarto publish': {
    releases: ['quarto publish gh-pages'],
    harmless: ['quarto render', 'quarto preview'],
  },
  'ng deploy': { releases: ['ng deploy', 'ng deploy app'], harmless: ['ng build', 'ng serve'] },
  tbump: {
    releases: ['tbump 1.2.0'],
    harmless: ['tbump init', 'tbump 1.2.0 --only-patch', 'tbump current-version'],
  },
  'zest.releaser': { releases: ['fullrelease'], harmless: ['fullrelease --help'] },
  jreleaser: {
    releases: ['jreleaser full-release', 'jreleaser deploy'],
    harmless: ['jreleaser config', 'jreleaser full-release --dry-run'],
  },
  'git release': { releases: ['git-release 1.0'], harmless: ['git-release --help'] },
  uplift: {
    releases: ['uplift release', 'uplift tag'],
    harmless: ['uplift release --dry-run', 'uplift check'],
  },
  'sentry-cli sourcemaps upload': {
    releases: ['sentry-cli sourcemaps upload dist', 'sentry-cli upload-dif build'],
    harmless: ['sentry-cli sourcemaps inject dist', 'sentry-cli info'],
  },
  'sentry-cli releases': {
    releases: ['sentry-cli releases finalize 1.0', 'sentry-cli releases deploys 1.0 new -e prod'],
    harmless: ['sentry-cli releases list', 'sentry-cli releases propose-version'],
  },
  'release-cli create': {
    releases: ['release-cli create --name v1 --tag-name v1'],
    harmless: ['release-cli get --tag-name v1'],
  },
  'cr index': { releases: ['cr index --push -o acme'], harmless: ['cr index -o acme -r charts'] },
  changelogithub: { releases: ['changelogithub'], harmless: ['changelogithub --dry'] },
  'start of a pipeline': {
    releases: [
      'jenkins-cli build web-deploy',
      'circleci pipeline run -p release',
      'argo submit deploy.yaml',
    ],
    harmless: ['jenkins-cli build unit-tests', 'argo list', 'tkn pipeline list'],
  },
  'octopus deployment create': {
    releases: ['octopus deployment create', 'octopus release deploy'],
    harmless: ['octopus release list'],
  },
  'drone build promote': {
    releases: ['drone build promote acme/a 1 production'],
    harmless: ['drone build ls acme/a'],
  },
  tagpr: { releases: ['tagpr'], harmless: ['tagpr --dry-run', 'tagpr --help'] },
};
