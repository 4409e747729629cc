/**
 * GitHub by its own command line: `gh pr` opens, one query of GraphQL looks, and REST reads logs and permissions.
 *
 * @see https://cli.github.com/manual/
 */
import * as z from 'zod/mini';
import {
  askForge,
  type Check,
  type Forge,
  type ForgeCaller,
  ForgeError,
  RateLimitError,
  type Remark,
  readAnswer,
} from './forge.ts';

const text = z.nullish(z.string());
const nodes = <Item extends z.ZodMiniType>(item: Item) => z.object({ nodes: z.array(item) });
const author = z.nullish(z.object({ login: z.string() }));

const FoundPulls = z.array(
  z.object({
    number: z.int(),
    url: z.string(),
    baseRefName: z.string(),
    headRefName: z.string(),
    isDraft: z.boolean(),
    headRepositoryOwner: z.nullish(z.object({ login: z.string() })),
  }),
);

/** A check of a workflow, or what another service has reported for the commit. */
const Context = z.object({
  name: text,
  status: text,
  conclusion: text,
  databaseId: z.nullish(z.number()),
  context: text,
  state: text,
  description: text,
});
const Rollup = z.nullish(z.object({ contexts: nodes(Context) }));

const Looked = z.object({
  data: z.object({
    repository: z.object({
      pullRequest: z.object({
        state: z.enum(['OPEN', 'MERGED', 'CLOSED']),
        isDraft: z.boolean(),
        mergeable: z.string(),
        reviewDecision: text,
        headRefOid: z.string(),
        baseRefName: z.string(),
        mergeCommit: z.nullish(z.object({ oid: z.string() })),
        mergeQueueEntry: z.nullish(z.object({ position: z.number() })),
        commits: nodes(z.object({ commit: z.object({ statusCheckRollup: Rollup }) })),
        reviews: nodes(
          z.object({
            id: z.string(),
            state: z.string(),
            body: z.string(),
            authorAssociation: z.string(),
            author,
          }),
        ),
        reviewThreads: nodes(
          z.object({
            isResolved: z.boolean(),
            path: z.string(),
            line: z.nullish(z.number()),
            comments: nodes(
              z.object({ id: z.string(), body: z.string(), authorAssociation: z.string(), author }),
            ),
          }),
        ),
      }),
    }),
  }),
});

const query = (queue: string): string => `query($owner: String!, $name: String!, $number: Int!) {
  repository(owner: $owner, name: $name) { pullRequest(number: $number) {
    state isDraft mergeable reviewDecision headRefOid baseRefName mergeCommit { oid } ${queue}
    commits(last: 1) { nodes { commit { statusCheckRollup { contexts(first: 100) { nodes {
      ... on CheckRun { name status conclusion databaseId }
      ... on StatusContext { context state description } } } } } } }
    reviews(last: 50) { nodes { id state body authorAssociation author { login } } }
    reviewThreads(last: 50) { nodes { isResolved path line
      comments(first: 20) { nodes { id body authorAssociation author { login } } } } } } } }`;

const QUEUE = 'mergeQueueEntry { position }';
const FOUND = 'number,url,baseRefName,headRefName,isDraft,headRepositoryOwner';

export function github(caller: ForgeCaller): Forge {
  const { host, repository, owner } = caller.address;
  const [base = '', name = ''] = repository.split('/');
  const repo = ['--repo', `${host}/${repository}`];
  const api = (path: string, ...more: readonly string[]) =>
    askForge(caller, ['api', '--hostname', host, path, ...more]);
  /** Forges of companies may be too old to have merge queues. */
  let queue = QUEUE;

  async function look(number: number): Promise<string> {
    const variables = ['-f', `owner=${base}`, '-f', `name=${name}`, '-F', `number=${number}`];
    try {
      return await api('graphql', ...variables, '-f', `query=${query(queue)}`);
    } catch (error) {
      if (queue === '' || !/mergeQueueEntry/.test(String(error))) throw error;
      queue = '';
      return look(number);
    }
  }

  return {
    async find(branch) {
      const state = ['--head', branch, '--state', 'open', '--limit', '30', '--json', FOUND];
      const found = readAnswer(
        FoundPulls,
        await askForge(caller, ['pr', 'list', ...repo, ...state]),
      );
      const mine = found.find(
        (it) => it.headRefName === branch && isSame(it.headRepositoryOwner?.login, owner),
      );
      return mine && { ...mine, base: mine.baseRefName, draft: mine.isDraft };
    },
    async create({ branch, base: onto, title, body, draft }) {
      const head = isSame(owner, base) ? branch : `${owner}:${branch}`;
      const what = [`--head=${head}`, `--base=${onto}`, `--title=${title}`, '--body-file=-'];
      const args = ['pr', 'create', ...repo, ...what, ...(draft ? ['--draft'] : [])];
      await askForge(caller, args, body);
    },
    async look(number) {
      const { pullRequest: it } = readAnswer(Looked, await look(number)).data.repository;
      const contexts = it.commits.nodes[0]?.commit.statusCheckRollup?.contexts.nodes ?? [];
      return {
        state: it.state.toLowerCase() as 'open' | 'merged' | 'closed',
        draft: it.isDraft,
        review: REVIEWS[it.reviewDecision ?? ''] ?? '',
        mergeable: MERGEABLE[it.mergeable] ?? 'unknown',
        queued: it.mergeQueueEntry != null,
        headSha: it.headRefOid,
        base: it.baseRefName,
        mergeSha: it.mergeCommit?.oid ?? null,
        checks: contexts.map(checkOf),
        remarks: [
          ...it.reviews.nodes.filter(isSaying).map((review) => remark('review', '', review)),
          ...it.reviewThreads.nodes
            .filter(({ isResolved }) => !isResolved)
            .flatMap(({ path, line, comments }) =>
              comments.nodes.map((it) => remark('comment', `${path}:${line ?? '?'}`, it)),
            ),
        ],
      };
    },
    async markReady(number) {
      await askForge(caller, ['pr', 'ready', `${number}`, ...repo]);
    },
    async retarget(number, onto) {
      await api(`repos/${repository}/pulls/${number}`, '-X', 'PATCH', '-f', `base=${onto}`);
    },
    async logOf({ id, text: said }) {
      if (id === '') return said;
      return api(`repos/${repository}/actions/jobs/${id}/logs`).catch(async (error) => {
        if (!(error instanceof ForgeError) || error instanceof RateLimitError) throw error;
        // Only jobs of GitHub's own runners have logs.
        const output = '.output | [.title, .summary, .text] | map(select(. != null)) | join("\\n")';
        return api(`repos/${repository}/check-runs/${id}`, '--jq', output);
      });
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

const isSame = (one: string | undefined, other: string): boolean =>
  one?.toLowerCase() === other.toLowerCase();

const REVIEWS: Readonly<Record<string, 'approved' | 'changes-requested' | 'required'>> = {
  APPROVED: 'approved',
  CHANGES_REQUESTED: 'changes-requested',
  REVIEW_REQUIRED: 'required',
};
const MERGEABLE: Readonly<Record<string, 'yes' | 'conflict'>> = {
  MERGEABLE: 'yes',
  CONFLICTING: 'conflict',
};

function checkOf(it: z.infer<typeof Context>): Check {
  const outcome = it.conclusion ?? it.state ?? '';
  const isPending = it.status ? it.status !== 'COMPLETED' : /PENDING|EXPECTED/.test(outcome);
  const isGood = /^(?:SUCCESS|NEUTRAL|SKIPPED)$/.test(outcome);
  return {
    name: it.name ?? it.context ?? 'a check',
    state: isPending ? 'pending' : isGood ? 'passed' : 'failed',
    id: it.databaseId == null ? '' : `${it.databaseId}`,
    text: it.description ?? '',
  };
}

type Said = Readonly<Record<'id' | 'body' | 'authorAssociation', string>> & {
  readonly author?: { readonly login: string } | null | undefined;
};

/** Comments on lines stand in their threads; what is left of a review is its verdict and its text. */
const isSaying = ({ state, body }: { state: string; body: string }): boolean =>
  state === 'CHANGES_REQUESTED' || (state === 'COMMENTED' && body.trim() !== '');

function remark(kind: Remark['kind'], where: string, it: Said): Remark {
  const { id, body, authorAssociation, author: by } = it;
  const isOwner = authorAssociation === 'OWNER';
  return { id, kind, author: by?.login ?? '', isOwner, where, text: body };
}
