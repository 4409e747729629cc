/** Forges: pull requests, releases, and writes by their own tools or by plain HTTP clients. */
import type { Frame } from '../reader.ts';
import { fileTexts } from '../shell/redirect.ts';
import { isLocalAddress } from './local.ts';
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

const CREATE =
  '-t --title -b --body -F --body-file -B --base -H --head -a --assignee -l --label -m --milestone -p --project -r --reviewer -T --template --recover';

const API = {
  leaves: 'head',
  values:
    '-X --method -H --header -f --raw-field -F --field --input -q --jq -t --template --cache -p --preview --hostname',
  flags: '--paginate --slurp -i --include --silent --verbose',
  when: isForgeWrite,
} as const;

export const forgesTools = (): readonly Tool[] => [
  tool('gh', {}, [
    pullRequest('pr create|new [--dry-run]', { values: CREATE }),
    pullRequest('pr merge [--disable-auto]; pr ready [--undo]'),
    push('pr update-branch'),
    release('release create|new', { leaves: 'head' }),
    release('release upload'),
    release('release edit --draft=false|--target|--latest', { leaves: 'head' }),
    push('gh repo create --push = repo create|new --push', { values: '-h' }),
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
    push('api', API),
  ]),
  tool('glab', {}, [
    pullRequest('mr|merge-request create|new|for; mr|merge-request merge|accept'),
    release('release create', { leaves: 'head' }),
    release('release upload'),
    push('glab repo create = repo|project publish; stack sync'),
    publish('snippet create'),
    deploy('glab ci run = ci|pipeline|pipe trigger|run|create', {
      leaves: 'head',
      when: namesRelease,
    }),
    push('api', API),
  ]),
  push('hub', 'push|sync [-n --dry-run]'),
  pullRequest('hub', 'pull-request', { values: '-m -F -b -h -r -a -M -l' }),
  pullRequest('hub', 'pr merge'),
  release('hub', 'release create|edit', { leaves: 'head' }),
  push('hub', 'hub create = api', { when: isForgeWrite }),
  pullRequest('tea', 'tea pr create = pulls|pull|pr create|c|merge|m'),
  release('tea', 'tea release create = releases|release|r create|c', { leaves: 'head' }),
  pullRequest('berg fj', 'forgejo pr create = pr|pull create|merge'),
  pullRequest('bb', 'pr create|merge'),
  pullRequest('az', 'repos pr create'),
  pullRequest('az', 'repos pr update --status=completed|--auto-complete', {
    values: '--id --status',
  }),
  release('github-release ghr', ''),
];

/** True if a name in the command speaks of a release: what a workflow on a server does shows in names alone. */
function namesRelease(use: Match): boolean {
  return wordsOf(use).some((it) => /(release|publish|deploy|(^|\/)cd\.ya?ml$)/i.test(it));
}

const wordsOf = ({ operands, options }: Match): readonly string[] => [
  ...operands,
  ...options.map(({ value }) => value ?? ''),
];

/** True if `gh api` writes: by its method or because fields are given. The path says what it writes. */
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
  release('curl', 'curl write to a forge =', {
    values: CURL,
    help: '--help',
    staysHere: '*',
    when: curlWrites,
  }),
  release('http https xh xhs', 'http write to a forge =', {
    staysHere: '*',
    when: ({ operands }) =>
      /^(POST|PUT|PATCH)$/i.test(operands[0] ?? '') && isReleasingAddress(operands[1] ?? ''),
  }),
  release('wget', 'wget write to a forge = --post-data|--post-file|--body-data|--body-file', {
    staysHere: '*',
    values:
      '-O --output-document --post-data --post-file --method --body-data --body-file --header -o -P -U',
    when: ({ operands }) => operands.some(isReleasingAddress),
  }),
];

/** Options of curl whose value is, or names, the body of the request. */
const DATA = '-d --data --data-raw --data-binary --data-urlencode --json -F --form'.split(' ');

function curlWrites(use: Match, frame: Frame): boolean {
  const addresses = [...use.operands, ...use.values('--url')];
  const uploads = use.has('-T', '--upload-file');
  const sends = use.has(...DATA);
  const implied = uploads ? 'PUT' : sends ? 'POST' : 'GET';
  const method = use.value('-X', '--request') ?? implied;
  if (use.has('-G', '--get') && !use.has('-X', '--request')) return false;
  if (!isWrite(method)) return false;
  if (addresses.some(isGraphqlOfForge)) return bodiesOf(use, frame).some((it) => MUTATION.test(it));
  const sendsArtefact = uploads || use.values(...DATA).some((it) => ARTEFACT.test(it));
  if (sendsArtefact && addresses.some(isPublicAddress)) return true;
  return addresses.some(isReleasingAddress);
}

/** The bodies that a request sends; a file that cannot be read may contain anything. */
function bodiesOf(use: Match, frame: Frame): readonly string[] {
  return use.values(...DATA).flatMap((it) => {
    if (!it.startsWith('@')) return [it];
    return fileTexts(it === '@-' ? '/dev/stdin' : it.slice(1), frame) ?? [ANYTHING];
  });
}

const ANYTHING = 'createPullRequest';

/** A file of a body that is a package or an archive. */
const ARTEFACT =
  /@\S+\.(zip|tgz|tar|gz|xz|bz2|zst|7z|jar|war|whl|gem|crate|apk|aab|ipa|nupkg|deb|rpm|vsix|crx|xpi|wasm|exe|dmg|msi|pkg|img|iso|phar|snap|hex)(;|$)/i;

function partsOf(address: string) {
  const [, host = '', path = ''] =
    /^(?:\w+:\/\/)?(?:[^@/]*@)?(\[[^\]]*\]|[^:/?#]+)(?::\d+)?([^?#]*)/.exec(address) ?? [];
  return { host, path };
}

const isPublicAddress = (address: string): boolean =>
  !isLocalAddress(address) && !/\.(local|localhost|test|internal)$/.test(partsOf(address).host);

const FORGE_HOST =
  /^(api\.github\.com|uploads\.github\.com|gitlab\.[\w.-]+|[\w.-]*gitlab\.[\w.-]+|codeberg\.org|gitea\.[\w.-]+|api\.bitbucket\.org|dev\.azure\.com)$/;
const REGISTRY_HOST =
  /^(registry\.npmjs\.org|upload\.pypi\.org|test\.pypi\.org|crates\.io|rubygems\.org|api\.nuget\.org|www\.nuget\.org|npm\.pkg\.github\.com|hex\.pm|central\.sonatype\.com|[\w.-]*oss\.sonatype\.org|marketplace\.visualstudio\.com)$/;
const DEPLOY_HOST =
  /^(api\.vercel\.com|api\.netlify\.com|api\.render\.com|api\.heroku\.com|api\.cloudflare\.com|api\.fly\.io|api\.machines\.dev|api\.digitalocean\.com|backboard\.railway\.app|api\.railway\.app)$/;
const DEPLOY_HOOK =
  /\/(deploy|deploys|redeploy|build_hooks|deploy_hooks|deploy-hook|deployhook)(\/|$)/i;

function isGraphqlOfForge(address: string): boolean {
  const { host, path } = partsOf(address);
  return FORGE_HOST.test(host) && path.endsWith('/graphql');
}

function isReleasingAddress(address: string): boolean {
  const { host, path } = partsOf(address);
  if (REGISTRY_HOST.test(host)) return true;
  if (DEPLOY_HOST.test(host))
    return /deploy|build|releases|restart|machines/i.test(path) || host.includes('railway');
  if (DEPLOY_HOOK.test(path)) return isPublicAddress(address);
  if (/(^|\.)circleci\.com$/.test(host)) return /\/pipeline$|\/trigger/.test(path);
  const isForge = FORGE_HOST.test(host) || /^\/api\/(v[34]|v1\/repos)\//.test(path);
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

const isWrite = (method: string): boolean => /^(POST|PUT|PATCH|DELETE)$/i.test(method);
