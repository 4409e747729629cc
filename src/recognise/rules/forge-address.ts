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
  /^actions\/workflows\/[^/]*(release|publish|deploy)[^/]*\/dispatches$/,
];

/** True if a write to this path of a forge releases work; the query is ignored. */
export function isReleasingPath(path: string): boolean {
  const [plain = ''] = path.split(/[?#]/);
  const parts = plain.split('/').filter((it) => it !== '' && it !== 'api' && !/^v\d$/.test(it));
  // The resource follows its owner: `repos/acme/app`, `projects/12`.
  return parts.some((_, at) => {
    const rest = parts.slice(at).join('/');
    return at <= 5 && RELEASING_RESOURCE.some((it) => it.test(rest));
  });
}

const WRITES = new Set(['POST', 'PUT', 'PATCH', 'DELETE']);

export function isWrite(method: string): boolean {
  return WRITES.has(method.toUpperCase());
}
