/**
 * GitHub by its own command line: `gh pr` opens, one query of GraphQL looks, and REST reads logs and permissions.
 *
 * @see https://cli.github.com/manual/
 */
import * as z from 'zod/mini';
import { SeenPull } from '../../store/pull-requests.ts';
import {
  askForge,
  type Forge,
  type ForgeCaller,
  FoundPull,
  orUnlessLimited,
  readAnswer,
} from './forge.ts';

const QUERY = `query($owner: String!, $name: String!, $number: Int!) {
  repository(owner: $owner, name: $name) { pullRequest(number: $number) {
    state isDraft mergeable reviewDecision headRefOid baseRefName mergeCommit { oid }
    mergeQueueEntry { position }
    commits(last: 1) { nodes { commit { statusCheckRollup { contexts(first: 100) { nodes {
      ... on CheckRun { name status conclusion databaseId }
      ... on StatusContext { context state description } } } } } } }
    reviews(last: 50) { nodes { id state body author { login } } }
    reviewThreads(last: 50) { nodes { isResolved path line
      comments(first: 20) { nodes { id body author { login } } } } } } } }`;

/**
 * Its answer as `SeenPull`. Comments on lines stand in their threads; what is left of a review is its verdict and its
 * text.
 */
const SEEN = `.data.repository.pullRequest | {
  state: (.state | ascii_downcase), draft: .isDraft, queued: (.mergeQueueEntry != null),
  review: ({APPROVED: "approved", CHANGES_REQUESTED: "changes-requested", REVIEW_REQUIRED: "required"}
    [.reviewDecision // ""] // ""),
  mergeable: ({MERGEABLE: "yes", CONFLICTING: "conflict"}[.mergeable] // "unknown"),
  headSha: .headRefOid, base: .baseRefName, mergeSha: .mergeCommit.oid,
  checks: [.commits.nodes[0].commit.statusCheckRollup.contexts.nodes // [] | .[]
    | (.conclusion // .state // "") as $outcome
    | {name: (.name // .context), text: (.description // ""), id: (.databaseId // "" | tostring),
      state: (if (.status // "COMPLETED") != "COMPLETED" or ($outcome | test("PENDING|EXPECTED")) then "pending"
        elif ($outcome | test("^(SUCCESS|NEUTRAL|SKIPPED)$")) then "passed" else "failed" end)}],
  remarks: [
    (.reviews.nodes[] | select(.state == "CHANGES_REQUESTED" or (.state == "COMMENTED" and .body != ""))
      | . + {kind: "review", where: ""}),
    (.reviewThreads.nodes[] | select(.isResolved | not) | "\\(.path):\\(.line // "?")" as $where
      | .comments.nodes[] | . + {kind: "comment", where: $where})
    | {id, kind, where, text: .body, author: (.author.login // "")}]}`;

const FOUND = `[.[] | {number, url, base: .baseRefName, draft: .isDraft,
  owner: (.headRepositoryOwner.login // "" | ascii_downcase)}]`;
const Found = z.array(z.extend(FoundPull, { owner: z.string() }));

export function github(caller: ForgeCaller): Forge {
  const { host, repository } = caller.address;
  const owner = caller.address.owner.toLowerCase();
  const [base = '', name = ''] = repository.split('/');
  const repo = ['--repo', `${host}/${repository}`];
  const api = (path: string, ...more: readonly string[]) =>
    askForge(caller, ['api', '--hostname', host, path, ...more]);

  return {
    async find(branch) {
      const fields = 'number,url,baseRefName,isDraft,headRepositoryOwner';
      const which = ['--head', branch, '--state', 'open', '--json', fields, '--jq', FOUND];
      const found = readAnswer(Found, await askForge(caller, ['pr', 'list', ...repo, ...which]));
      // Forks may have a branch of the same name.
      return found.find((it) => it.owner === owner);
    },
    async create({ branch, base: onto, title, body, draft }) {
      const head = owner === base.toLowerCase() ? branch : `${owner}:${branch}`;
      const what = [`--head=${head}`, `--base=${onto}`, `--title=${title}`, '--body-file=-'];
      const args = ['pr', 'create', ...repo, ...what, ...(draft ? ['--draft'] : [])];
      await askForge(caller, args, body);
    },
    async look(number) {
      const which = ['-f', `owner=${base}`, '-f', `name=${name}`, '-F', `number=${number}`];
      const what = ['-f', `query=${QUERY}`, '--jq', SEEN];
      return readAnswer(SeenPull, await api('graphql', ...which, ...what));
    },
    async markReady(number) {
      await askForge(caller, ['pr', 'ready', `${number}`, ...repo]);
    },
    async retarget(number, onto) {
      await api(`repos/${repository}/pulls/${number}`, '-X', 'PATCH', '-f', `base=${onto}`);
    },
    async logOf({ id, text: said }) {
      if (id === '') return said;
      // Only jobs of GitHub's own runners have logs.
      const output = '.output | [.title, .summary, .text] | map(select(. != null)) | join("\\n")';
      return orUnlessLimited(api(`repos/${repository}/actions/jobs/${id}/logs`), () =>
        api(`repos/${repository}/check-runs/${id}`, '--jq', output),
      );
    },
    async mayWrite(login) {
      const path = `repos/${repository}/collaborators/${encodeURIComponent(login)}/permission`;
      return /^(?:admin|maintain|write)$/.test((await api(path, '--jq', '.permission')).trim());
    },
    async limitedUntil() {
      const used = '[.resources[] | select(.remaining == 0) | .reset] | max // empty';
      const seconds = Number(await api('rate_limit', '--jq', used));
      return seconds > 0 ? new Date(seconds * 1_000) : undefined;
    },
  };
}
