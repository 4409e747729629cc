/**
 * GitHub through its own command line: REST by `gh api`, and one GraphQL query for a look.
 *
 * @see https://cli.github.com/manual/
 */
import { SeenPull } from '../../store/pull-requests.ts';
import { askForge, type Forge, type ForgeCaller, readAnswer, restOf } from './forge.ts';

const QUERY = `query($owner: String!, $name: String!, $number: Int!) {
  repository(owner: $owner, name: $name) { pullRequest(number: $number) {
    url state isDraft mergeable reviewDecision headRefOid baseRefName mergeCommit { oid }
    mergeQueueEntry { position }
    commits(last: 1) { nodes { commit { statusCheckRollup { contexts(first: 100) { nodes {
      ... on CheckRun { name status conclusion databaseId title summary }
      ... on StatusContext { context state description } } } } } } }
    reviews(last: 50) { nodes { id state body author { login } } }
    reviewThreads(last: 50) { nodes { isResolved path line
      comments(first: 20) { nodes { id body author { login } } } } } } } }`;

/** The answer as `SeenPull`. Comments on lines are in their threads; a review only has its verdict and text. */
const SEEN = `.data.repository.pullRequest | {
  url, state: (.state | ascii_downcase), draft: .isDraft, queued: (.mergeQueueEntry != null),
  review: (.reviewDecision // "" | ascii_downcase | sub("review_"; "") | sub("_"; "-")),
  mergeable: ({MERGEABLE: "yes", CONFLICTING: "conflict"}[.mergeable] // "unknown"),
  headSha: .headRefOid, base: .baseRefName, mergeSha: .mergeCommit.oid,
  checks: [.commits.nodes[0].commit.statusCheckRollup.contexts.nodes // [] | .[]
    | (.conclusion // .state // "") as $outcome
    | {name: (.name // .context), id: (.databaseId // "" | tostring),
      text: ([.description, .title, .summary] | map(. // empty) | join("\\n") | .[:4000]),
      state: (if (.status // "COMPLETED") != "COMPLETED" or ($outcome | test("PENDING|EXPECTED")) then "pending"
        elif ($outcome | test("^(SUCCESS|NEUTRAL|SKIPPED)$")) then "passed" else "failed" end)}],
  remarks: [
    (.reviews.nodes[] | select(.state == "CHANGES_REQUESTED" or (.state == "COMMENTED" and .body != ""))
      | . + {kind: "review", where: ""}),
    (.reviewThreads.nodes[] | select(.isResolved | not) | "\\(.path):\\(.line // "?")" as $where
      | .comments.nodes[] | . + {kind: "comment", where: $where})
    | {id, kind, where, text: .body, author: (.author.login // "")}]}`;

export function github(caller: ForgeCaller): Forge {
  const { host, repository, owner } = caller.address;
  const [base = '', name = ''] = repository.split('/');
  const { ask, get, list, send } = restOf(caller, `repos/${repository}`);
  // Forks may have a branch of the same name.
  const headOf = (branch: string): string => `${owner}:${branch}`;

  return {
    address: caller.address,
    async find(branch) {
      const [it] = await list(`pulls?state=open&head=${encodeURIComponent(headOf(branch))}`);
      return it?.number;
    },
    create: ({ branch, base: onto, title, body, draft }) =>
      send('POST', 'pulls', { base: onto, title, body, draft, head: headOf(branch) }),
    async look(number) {
      const which = ['-f', `owner=${base}`, '-f', `name=${name}`, '-F', `number=${number}`];
      const what = ['-f', `query=${QUERY}`, '--jq', SEEN];
      const args = ['api', '--hostname', host, 'graphql', ...which, ...what];
      return readAnswer(SeenPull, await askForge(caller, args));
    },
    async markReady(number) {
      await askForge(caller, ['pr', 'ready', `${number}`, '--repo', `${host}/${repository}`]);
    },
    retarget: (number, onto) => send('PATCH', `pulls/${number}`, { base: onto }),
    // Only jobs of GitHub's own runners have logs; other checks have a text.
    logOf: async ({ id, text }) => (id === '' ? text : ask(`actions/jobs/${id}/logs`)),
    async mayWrite(login) {
      const path = `collaborators/${encodeURIComponent(login)}/permission`;
      return /^(?:admin|maintain|write)$/.test((await get(path)).permission);
    },
  };
}
