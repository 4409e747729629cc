/**
 * GitLab by `glab api`, whose requests and answers are those of its REST interface.
 *
 * @see https://docs.gitlab.com/api/merge_requests/
 */
import { type Check, SeenPull } from '../../store/pull-requests.ts';
import { type Forge, type ForgeCaller, readAnswer, restOf } from './forge.ts';

export function gitlab(caller: ForgeCaller): Forge {
  const { repository } = caller.address;
  const { ask, get, list, send } = restOf(caller, `projects/${encodeURIComponent(repository)}`);

  return {
    address: caller.address,
    async find(branch) {
      const which = `state=opened&source_branch=${encodeURIComponent(branch)}`;
      const [it] = await list(`merge_requests?${which}`);
      return it?.iid;
    },
    create: ({ branch: source_branch, base: target_branch, title, body, draft }) =>
      send('POST', 'merge_requests', {
        source_branch,
        target_branch,
        description: body,
        title: draft ? `Draft: ${title}` : title,
      }),
    async look(number) {
      const it = await get(`merge_requests/${number}`);
      const pipeline = it.head_pipeline?.id;
      const jobs = pipeline ? await list(`pipelines/${pipeline}/jobs?per_page=100`) : [];
      const discussions = await list(`merge_requests/${number}/discussions?per_page=100`);
      return readAnswer(SeenPull, {
        state: /^(?:merged|closed)$/.test(it.state) ? it.state : 'open',
        url: it.web_url,
        draft: it.draft,
        review: REVIEWS[it.detailed_merge_status] ?? '',
        mergeable: it.has_conflicts ? 'conflict' : 'unknown',
        queued: false,
        headSha: it.sha,
        base: it.target_branch,
        // Without a merge commit, the branch was fast-forwarded to the head.
        mergeSha:
          it.state === 'merged' ? (it.merge_commit_sha ?? it.squash_commit_sha ?? it.sha) : null,
        checks: jobs.map(checkOf),
        remarks: discussions.flatMap(({ notes }: Answers) => notes.filter(isOpen).map(remarkOf)),
      });
    },
    markReady: (number) => send('POST', `merge_requests/${number}/notes`, { body: '/ready' }),
    retarget: (number, base) => send('PUT', `merge_requests/${number}`, { target_branch: base }),
    logOf: ({ id }) => ask(`jobs/${id}/trace`),
    async mayWrite(login) {
      const found = await list(`members/all?query=${encodeURIComponent(login)}`);
      // Developers and above may push.
      return found.some((it) => it.username === login && it.access_level >= 30);
    },
  };
}

// biome-ignore lint/suspicious/noExplicitAny: what is made of it is checked
type Answers = any;

const REVIEWS: Readonly<Record<string, string>> = {
  requested_changes: 'changes-requested',
  not_approved: 'required',
};
const RUNNING = /^(?:created|pending|running|preparing|waiting_for_resource|scheduled)$/;

function checkOf({ id, name, status, allow_failure: isFree }: Answers): Check {
  const isFailed = /^(?:failed|canceled)$/.test(status) && !isFree;
  const state = isFailed ? 'failed' : RUNNING.test(status) ? 'pending' : 'passed';
  return { name, state, id: `${id}`, text: '' };
}

const isOpen = ({ system, resolvable, resolved }: Answers): boolean =>
  !system && resolvable && resolved !== true;

const remarkOf = ({ id, body: text, author, position }: Answers) => ({
  ...{ id: `${id}`, text, author: author.username },
  kind: position ? 'comment' : 'review',
  where: position ? `${position.new_path}:${position.new_line ?? '?'}` : '',
});
