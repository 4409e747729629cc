/** Plain HTTP clients that write to a forge or a registry. */
import type { Use } from '../../text/options.ts';
import { isReleasingPath, isWrite } from './forge-address.ts';
import { release, type Tool, tool } from './rule.ts';

const CURL =
  '-X --request -d --data --data-raw --data-binary --data-urlencode --json -F --form -H --header -u --user -o --output -T ' +
  '--upload-file -A --user-agent -e --referer -b --cookie -c --cookie-jar -m --max-time --connect-timeout --retry ' +
  '--retry-delay -w --write-out -x --proxy --cacert --cert -E --key -K --config --url --url-query -r --range --resolve ' +
  '--oauth2-bearer --max-redirs -y -Y -z -C --limit-rate --netrc-file --form-string -t -P -Q -D --dump-header --stderr';

export function webTools(): readonly Tool[] {
  return [
    tool('curl', { values: CURL, help: '--help' }, [
      release('', { id: 'curl write to a forge', when: curlWrites }),
    ]),
    tool('http https xh xhs', [
      release('', {
        id: 'http write to a forge',
        when: (use) =>
          /^(POST|PUT|PATCH)$/i.test(use.operands[0] ?? '') &&
          use.operands.slice(1, 2).some(isReleasingAddress),
      }),
    ]),
    tool(
      'wget',
      {
        values:
          '-O --output-document --post-data --post-file --method --body-data --body-file --header -o -P -U',
      },
      [
        release('', {
          id: 'wget write to a forge',
          only: '--post-data --post-file --body-data --body-file',
          when: (use) => use.operands.some(isReleasingAddress),
        }),
      ],
    ),
  ];
}

function curlWrites(use: Use): boolean {
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
  if (uploads && addresses.some((it) => isPublicAddress(it))) return true;
  return addresses.some(isReleasingAddress);
}

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
function isReleasingAddress(address: string): boolean {
  const match = /^(?:https?:\/\/)?(?:[^@/]*@)?([^:/?]+)(?::\d+)?(.*)$/.exec(address);
  const [, host = '', path = ''] = match ?? [];
  if (REGISTRY_HOST.test(host)) return true;
  if (DEPLOY_HOST.test(host))
    return (
      /deploy|rollback|builds|releases|restart|machines/i.test(path) || host.includes('railway')
    );
  const isForge =
    FORGE_HOST.test(host) ||
    path.startsWith('/api/v4/') ||
    path.startsWith('/api/v3/') ||
    path.startsWith('/api/v1/repos/');
  return isForge && isReleasingPath(path);
}
