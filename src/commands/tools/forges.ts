/** Forges: pull requests, releases, and writes by their own tools or by plain HTTP clients. */
import type { Frame } from '../reader.ts';
import { fileTexts } from '../shell/redirect.ts';
import {
  deploy,
  type Match,
  publish,
  pullRequest,
  push,
  release,
  type Tool,
  tool,
} from './rule.ts';

const GH_VALUES = '-R --repo --hostname';
const CREATE =
  '-t --title -b --body -F --body-file -B --base -H --head -a --assignee -l --label -m --milestone -p --project -r --reviewer -T --template --recover';

export const forgesTools = (): readonly Tool[] => [
  tool('gh', { values: GH_VALUES }, [
    pullRequest('pr create|new', {
      values: CREATE,
      dry: '--dry-run',
    }),
    pullRequest('pr merge', {
      values: '-b --body -F --body-file -t --subject --match-head-commit -A --author-email',
      unless: '--disable-auto',
    }),
    pullRequest('pr ready', { unless: '--undo' }),
    push('pr update-branch'),
    release('release create|new', {
      leaves: 'head',
      values:
        '-t --title -n --notes -F --notes-file --target --discussion-category --notes-start-tag',
    }),
    release('release upload'),
    release('release edit', {
      leaves: 'head',
      values: '-t --title -n --notes -F --notes-file --target --tag --discussion-category',
      only: '--draft=false --target --latest',
    }),
    push('repo create|new', {
      id: 'gh repo create --push',
      values:
        '-s --source -r --remote -d --description -t --team -g --gitignore -l --license -p --template -h --homepage',
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
      when: namesRelease,
    }),
    push('api', {
      leaves: 'head',
      values:
        '-X --method -H --header -f --raw-field -F --field --input -q --jq -t --template --cache -p --preview',
      flags: '--paginate --slurp -i --include --silent --verbose',
      when: isForgeWrite,
    }),
    push('stack push|submit', { id: 'gh extension' }),
  ]),
  tool('glab', { values: GH_VALUES }, [
    pullRequest('mr|merge-request create|new|for', {
      values:
        '-t --title -d --description -b --target-branch -s --source-branch -a --assignee -l --label -m --milestone --reviewer -H --head -i --related-issue --template',
    }),
    pullRequest('mr|merge-request merge|accept'),
    release('release create', { leaves: 'head' }),
    release('release upload'),
    push('repo|project publish', { id: 'glab repo create' }),
    push('stack sync'),
    publish('snippet create'),
    deploy('ci|pipeline|pipe trigger|run|create', {
      id: 'glab ci run',
      leaves: 'head',
      when: namesRelease,
    }),
    push('api', {
      leaves: 'head',
      values: '-X --method -H --header -f --raw-field -F --field --input --hostname',
      flags: '--paginate -i --include --silent',
      when: isForgeWrite,
    }),
  ]),
  push('hub', 'push|sync', { dry: '-n --dry-run' }),
  pullRequest('hub', 'pull-request', { values: '-m -F -b -h -r -a -M -l' }),
  pullRequest('hub', 'pr merge'),
  release('hub', 'release create|edit', { leaves: 'head', values: '-a -m -F -t' }),
  push('hub', 'api', { id: 'hub create', when: isForgeWrite }),
  pullRequest('tea', 'pulls|pull|pr create|c|merge|m', { id: 'tea pr create' }),
  release('tea', 'releases|release|r create|c', { id: 'tea release create', leaves: 'head' }),
  pullRequest('berg fj', 'pr|pull create|merge', { id: 'forgejo pr create' }),
  release('berg fj', 'release create', { id: 'forgejo release create', leaves: 'head' }),
  pullRequest('bb', 'pr create|merge'),
  pullRequest('az', 'repos pr create'),
  pullRequest('az', 'repos pr update', {
    values: '--id --status',
    only: '--status=completed --auto-complete',
  }),
  release('github-release ghr', '', { values: '-u -t -r -p -n -b -c --tag' }),
];

/** A workflow or a pipeline runs on a server: what it does shows in names alone. */
function namesRelease(use: Match): boolean {
  return wordsOf(use).some((it) => /(release|publish|deploy|(^|\/)cd\.ya?ml$)/i.test(it));
}

const wordsOf = ({ operands, options }: Match): readonly string[] => [
  ...operands,
  ...options.map(({ value }) => value ?? ''),
];

/** `gh api` writes if a writing method or fields are given; the path says what. */
function isForgeWrite(use: Match): boolean {
  const [path = ''] = use.operands;
  const fields = use.has('-f', '--raw-field', '-F', '--field', '--input');
  const method = use.value('-X', '--method') ?? (fields ? 'POST' : 'GET');
  if (/(^|\/)graphql$/.test(path)) return wordsOf(use).some((it) => MUTATION.test(it));
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
  tool('curl', { values: CURL, help: '--help', staysHere: '*' }, [
    release('', { id: 'curl write to a forge', when: curlWrites }),
  ]),
  tool('http https xh xhs', { staysHere: '*' }, [
    release('', {
      id: 'http write to a forge',
      when: ({ operands }) =>
        /^(POST|PUT|PATCH)$/i.test(operands[0] ?? '') && isReleasingAddress(operands[1] ?? ''),
    }),
  ]),
  tool('wget', { staysHere: '*' }, [
    release('', {
      values:
        '-O --output-document --post-data --post-file --method --body-data --body-file --header -o -P -U',
      id: 'wget write to a forge',
      only: '--post-data --post-file --body-data --body-file',
      when: ({ operands }) => operands.some(isReleasingAddress),
    }),
  ]),
];

function curlWrites(use: Match, frame: Frame): boolean {
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
function bodiesOf(use: Match, frame: Frame): readonly string[] {
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
