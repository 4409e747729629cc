/** Forges: pull requests, releases, and writes by their own tools or by plain HTTP clients. */
import type { Use } from '../../base/text/options.ts';
import type { Frame } from '../reader.ts';
import { fileTexts } from '../shell/redirect.ts';
import { deploy, publish, pullRequest, push, release, type Tool, tool } from './rule.ts';

const GH_VALUES = '-R --repo --hostname';
const CREATE =
  '-t --title -b --body -F --body-file -B --base -H --head -a --assignee -l --label -m --milestone -p --project -r --reviewer -T --template --recover';

export const forgesTools = (): readonly Tool[] => [
  tool('gh', { values: GH_VALUES }, [
    pullRequest('pr create|new', {
      values: CREATE,
      flags:
        '-f --fill --fill-first --fill-verbose -d --draft -w --web --no-maintainer-edit -e --editor',
      dry: '--dry-run',
    }),
    pullRequest('pr merge', {
      values: '-b --body -F --body-file -t --subject --match-head-commit -A --author-email',
      flags: '-m --merge -s --squash -r --rebase -d --delete-branch --auto --admin',
      unless: '--disable-auto',
    }),
    pullRequest('pr ready', { unless: '--undo' }),
    push('pr update-branch'),
    release('release create|new', {
      leaves: 'head',
      values:
        '-t --title -n --notes -F --notes-file --target --discussion-category --notes-start-tag',
      flags:
        '-d --draft -p --prerelease --generate-notes --latest --verify-tag --notes-from-tag --fail-on-no-commits',
    }),
    release('release upload', { flags: '--clobber' }),
    release('release edit', {
      leaves: 'head',
      values: '-t --title -n --notes -F --notes-file --target --tag --discussion-category',
      only: '--draft=false --target --latest',
    }),
    push('repo create|new', {
      id: 'gh repo create --push',
      values:
        '-s --source -r --remote -d --description -t --team -g --gitignore -l --license -p --template -h --homepage',
      flags: '--public --private --internal --push --clone -c',
      only: '--push',
    }),
    push('repo sync', {
      values: '-s --source -b --branch',
      when: (use) => use.operands.length > 0,
    }),
    publish('gist create|new', { values: '-d --desc -f --filename' }),
    deploy('workflow run', {
      leaves: 'head',
      values: '-r --ref -f --raw-field -F --field',
      when: (use) => use.argv.some(namesRelease),
    }),
    push('api', {
      leaves: 'head',
      values:
        '-X --method -H --header -f --raw-field -F --field --input -q --jq -t --template --cache -p --preview',
      flags: '--paginate --slurp -i --include --silent --verbose',
      when: isForgeWrite,
    }),
    push('poi|stack|dash-push', {
      id: 'gh extension',
      when: (use) => use.operands.includes('push') || use.operands.includes('submit'),
    }),
  ]),
  tool('glab', { values: GH_VALUES }, [
    pullRequest('mr|merge-request create|new|for', {
      values:
        '-t --title -d --description -b --target-branch -s --source-branch -a --assignee -l --label -m --milestone --reviewer -H --head -i --related-issue --template',
      flags:
        '-f --fill --fill-commit-body --push -y --yes --draft --wip -w --web --squash-before-merge --remove-source-branch --no-editor --allow-collaboration',
    }),
    pullRequest('mr|merge-request merge|accept'),
    release('release create', {
      leaves: 'head',
      values:
        '-N --name -n --notes -F --notes-file -r --ref -m --milestone -a --assets-links -D --released-at',
    }),
    release('release upload'),
    push('repo|project publish', { id: 'glab repo create' }),
    push('stack sync'),
    publish('snippet create'),
    deploy('ci|pipeline|pipe trigger|run|create', {
      id: 'glab ci run',
      leaves: 'head',
      when: (use) => use.argv.some(namesRelease),
    }),
    push('api', {
      leaves: 'head',
      values: '-X --method -H --header -f --raw-field -F --field --input --hostname',
      flags: '--paginate -i --include --silent',
      when: isForgeWrite,
    }),
  ]),
  tool('hub', [
    push('push|sync', { dry: '-n --dry-run' }),
    pullRequest('pull-request', { values: '-m -F -b -h -r -a -M -l' }),
    pullRequest('pr merge'),
    release('release create|edit', { leaves: 'head', values: '-a -m -F -t' }),
    push('api', { id: 'hub create', when: isForgeWrite }),
  ]),
  tool('tea', [
    pullRequest('pulls|pull|pr create|c|merge|m', { id: 'tea pr create' }),
    release('releases|release|r create|c', { id: 'tea release create', leaves: 'head' }),
  ]),
  tool('berg fj', [
    pullRequest('pr|pull create|merge', { id: 'forgejo pr create' }),
    release('release create', { id: 'forgejo release create', leaves: 'head' }),
  ]),
  pullRequest('bb', 'pr create|merge'),
  tool('az', [
    pullRequest('repos pr create'),
    pullRequest('repos pr update', {
      values: '--id --status',
      only: '--status=completed --auto-complete',
    }),
  ]),
  release('github-release ghr', '', { values: '-u -t -r -p -n -b -c --tag' }),
];

function namesRelease(word: string): boolean {
  return /(release|publish|deploy|(^|\/)cd\.ya?ml$)/i.test(word);
}

/** `gh api` writes if a writing method or fields are given; the path says what. */
function isForgeWrite(use: Use): boolean {
  const [path = ''] = use.operands;
  const fields = use.has('-f', '--raw-field', '-F', '--field', '--input');
  const method = use.value('-X', '--method') ?? (fields ? 'POST' : 'GET');
  if (/(^|\/)graphql$/.test(path)) return use.argv.some((word) => MUTATION.test(word));
  return isWrite(method) && isReleasingPath(path);
}

const MUTATION =
  /\b(createPullRequest|mergePullRequest|enablePullRequestAutoMerge|createCommitOnBranch|(create|update|delete)Refs?|mergeBranch|createDeployment|markPullRequestReadyForReview)\b/;

const CURL =
  '-X --request -d --data --data-raw --data-binary --data-urlencode --json -F --form -H --header -u --user -o --output -T ' +
  '--upload-file -A --user-agent -e --referer -b --cookie -c --cookie-jar -m --max-time --connect-timeout --retry ' +
  '--retry-delay -w --write-out -x --proxy --cacert --cert -E --key -K --config --url --url-query -r --range --resolve ' +
  '--oauth2-bearer --max-redirs -y -Y -z -C --limit-rate --netrc-file --form-string -t -P -Q -D --dump-header --stderr';

export const webTools = (): readonly Tool[] => [
  tool('curl', { values: CURL, help: '--help' }, [
    release('', { id: 'curl write to a forge', when: curlWrites }),
  ]),
  tool('Invoke-RestMethod Invoke-WebRequest irm iwr', {
    style: 'word',
    values: '-Method -Uri -Body -InFile -Headers -ContentType -OutFile -Token',
    rules: [
      release('', {
        id: 'http write to a forge',
        when: (use) =>
          /^(POST|PUT|PATCH)$/i.test(use.value('-Method') ?? '') &&
          [...use.operands, ...use.values('-Uri')].some(isReleasingAddress),
      }),
    ],
  }),
  release('http https xh xhs', '', {
    id: 'http write to a forge',
    when: (use) =>
      /^(POST|PUT|PATCH)$/i.test(use.operands[0] ?? '') &&
      use.operands.slice(1, 2).some(isReleasingAddress),
  }),
  release('wget', '', {
    values:
      '-O --output-document --post-data --post-file --method --body-data --body-file --header -o -P -U',
    id: 'wget write to a forge',
    only: '--post-data --post-file --body-data --body-file',
    when: (use) => use.operands.some(isReleasingAddress),
  }),
];

function curlWrites(use: Use, frame: Frame): boolean {
  const addresses = [...use.operands, ...use.values('--url')];
  const uploads = use.has('-T', '--upload-file');
  const sends = use.has(
    '-d',
    '--data',
    '--data-raw',
    '--data-binary',
    '--data-urlencode',
    '--json',
    '-F',
    '--form',
  );
  const method = (
    use.value('-X', '--request') ?? (uploads ? 'PUT' : sends ? 'POST' : 'GET')
  ).toUpperCase();
  if (use.has('-G', '--get') && !use.has('-X', '--request')) return false;
  if (!isWrite(method)) return false;
  if (addresses.some(isGraphqlOfForge)) return bodiesOf(use, frame).some((it) => MUTATION.test(it));
  const artefact = use
    .values('-F', '--form', '--data-binary', '-d', '--data')
    .some((it) => ARTEFACT.test(it));
  if ((uploads || artefact) && addresses.some((it) => isPublicAddress(it))) return true;
  return addresses.some(isReleasingAddress);
}

/** What a request sends; a file that cannot be read may contain anything. */
function bodiesOf(use: Use, frame: Frame): readonly string[] {
  const given = use.values('-d', '--data', '--data-raw', '--data-binary', '--json');
  return given.flatMap((it) =>
    it.startsWith('@')
      ? (fileTexts(it.slice(1).replace(/^-$/, '/dev/stdin'), frame) ?? [ANYTHING])
      : [it],
  );
}

const ANYTHING = 'createPullRequest';

/** A file of a body that is a package or an archive. */
const ARTEFACT =
  /@\S+\.(zip|tgz|tar|gz|xz|bz2|zst|7z|jar|war|whl|gem|crate|apk|aab|ipa|nupkg|deb|rpm|vsix|crx|xpi|wasm|exe|dmg|msi|pkg|img|iso|phar|snap|hex)(;|$)/i;

/** True unless the host is this machine or a local test server. */
function isPublicAddress(address: string): boolean {
  const host = /^(?:\w+:\/\/)?(?:[^@/]*@)?([^:/?]+)/.exec(address)?.[1] ?? '';
  return (
    !/^(localhost|127\.|0\.0\.0\.0|\[?::1|.*\.(local|localhost|test|internal))$/.test(host) &&
    !host.startsWith('127.')
  );
}

const FORGE_HOST =
  /^(api\.github\.com|uploads\.github\.com|gitlab\.[\w.-]+|[\w.-]*gitlab\.[\w.-]+|codeberg\.org|gitea\.[\w.-]+|api\.bitbucket\.org|dev\.azure\.com)$/;
const REGISTRY_HOST =
  /^(registry\.npmjs\.org|upload\.pypi\.org|test\.pypi\.org|crates\.io|rubygems\.org|api\.nuget\.org|www\.nuget\.org|npm\.pkg\.github\.com|hex\.pm|central\.sonatype\.com|[\w.-]*oss\.sonatype\.org|marketplace\.visualstudio\.com)$/;
const DEPLOY_HOST =
  /^(api\.vercel\.com|api\.netlify\.com|api\.render\.com|api\.heroku\.com|api\.cloudflare\.com|api\.fly\.io|api\.machines\.dev|api\.digitalocean\.com|backboard\.railway\.app|api\.railway\.app)$/;
function isGraphqlOfForge(address: string): boolean {
  const [, host = '', path = ''] =
    /^(?:https?:\/\/)?([^:/?]+)(?::\d+)?([^?#]*)/.exec(address) ?? [];
  return FORGE_HOST.test(host) && path.endsWith('/graphql');
}

function isReleasingAddress(address: string): boolean {
  const match = /^(?:https?:\/\/)?(?:[^@/]*@)?([^:/?]+)(?::\d+)?(.*)$/.exec(address);
  const [, host = '', path = ''] = match ?? [];
  if (REGISTRY_HOST.test(host)) return true;
  if (DEPLOY_HOST.test(host))
    return /deploy|build|releases|restart|machines/i.test(path) || host.includes('railway');
  if (
    /\/(deploy|deploys|redeploy|build_hooks|deploy_hooks|deploy-hook|deployhook)(\/|$)/i.test(
      path.split('?')[0] ?? '',
    )
  ) {
    return isPublicAddress(address);
  }
  if (/(^|\.)circleci\.com$/.test(host))
    return path.endsWith('/pipeline') || path.includes('/trigger');
  const isForge =
    FORGE_HOST.test(host) ||
    path.startsWith('/api/v4/') ||
    path.startsWith('/api/v3/') ||
    path.startsWith('/api/v1/repos/');
  return isForge && isReleasingPath(path);
}

/**
 * Addresses of a forge's API that release work: refs, commits and files, pull requests and their
 * merge, releases, deployments. Issues, comments and reviews do not.
 */
const RELEASING_RESOURCE = [
  /^(pulls|merge_requests|pullrequests)$/,
  /^(pulls|merge_requests|pullrequests)\/[^/]+\/(merge|update-branch|rebase)$/,
  /^(releases|deployments|merges|merge-upstream|dispatches|packages|contents|gists|pages)(\/|$)/,
  /^git\/(refs|commits|trees|tags|blobs)(\/|$)/,
  /^repository\/(commits|files|branches|tags)(\/|$)/,
  /^(trigger\/)?pipeline$/,
  /^actions\/workflows\/[^/]*(release|publish|deploy)[^/]*\/dispatches$/,
];

/** True if a write to this path of a forge releases work; the query is ignored. */
function isReleasingPath(path: string): boolean {
  const [plain = ''] = path.split(/[?#]/);
  const parts = plain.split('/').filter((it) => it !== '' && it !== 'api' && !/^v\d$/.test(it));
  // The resource follows its owner: `repos/acme/app`, `projects/12`.
  return parts.some((_, at) => {
    const rest = parts.slice(at).join('/');
    return at <= 5 && RELEASING_RESOURCE.some((it) => it.test(rest));
  });
}

const WRITES = new Set(['POST', 'PUT', 'PATCH', 'DELETE']);

function isWrite(method: string): boolean {
  return WRITES.has(method.toUpperCase());
}
