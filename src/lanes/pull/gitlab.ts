/**
 * GitLab by `glab api`, whose requests and answers are those of its REST interface.
 *
 * @see https://docs.gitlab.com/api/merge_requests/
 */
import * as z from 'zod/mini';
import { type Check, SeenPull } from '../../store/pull-requests.ts';
import { askForge, type Forge, type ForgeCaller, FoundPull, readAnswer } from './forge.ts';

/** Developers and above may push. */
const DEVELOPER = 30;

export function gitlab(caller: ForgeCaller): Forge {
  const { host, repository } = caller.address;
  const project = `projects/${encodeURIComponent(repository)}`;
  const request = (path: string) => ['api', '--hostname', host, `${project}/${path}`];
  /** What is taken from an answer is checked once it has the form of all forges. */
  const get = async (path: string) => readAnswer(z.any(), await askForge(caller, request(path)));
  /** Texts go in on stdin, as JSON. */
  async function send(method: string, path: string, body: object): Promise<void> {
    const how = ['--method', method, '--header', 'Content-Type: application/json', '--input', '-'];
    await askForge(caller, [...request(path), ...how], JSON.stringify(body));
  }

  return {
    async find(branch) {
      const which = `state=opened&source_branch=${encodeURIComponent(branch)}`;
      const [it] = await get(`merge_requests?${which}`);
      if (it === undefined) return undefined;
      const { iid: number, web_url: url, target_branch: base, draft } = it;
      return readAnswer(FoundPull, { number, url, base, draft });
    },
    create: ({ branch: source_branch, base: target_branch, title, body, draft }) =>
      send('POST', 'merge_requests', {
        ...{ source_branch, target_branch, description: body },
        title: draft ? `Draft: ${title}` : title,
      }),
    async look(number) {
      const it = await get(`merge_requests/${number}`);
      const pipeline = it.head_pipeline?.id;
      const jobs = pipeline ? await get(`pipelines/${pipeline}/jobs?per_page=100`) : [];
      const discussions = await get(`merge_requests/${number}/discussions?per_page=100`);
      const isMerged = it.state === 'merged';
      return readAnswer(SeenPull, {
        state: isMerged || it.state === 'closed' ? it.state : 'open',
        draft: it.draft,
        review: REVIEWS[it.detailed_merge_status] ?? '',
        mergeable: it.has_conflicts ? 'conflict' : 'unknown',
        queued: false,
        headSha: it.sha,
        base: it.target_branch,
        // Without a commit of the merge the branch was moved forward to the head.
        mergeSha: isMerged ? (it.merge_commit_sha ?? it.squash_commit_sha ?? it.sha) : null,
        checks: jobs.map(checkOf),
        remarks: discussions.flatMap(({ notes }: Answers) => notes.filter(isOpen).map(remarkOf)),
      });
    },
    markReady: (number) => send('POST', `merge_requests/${number}/notes`, { body: '/ready' }),
    retarget: (number, base) => send('PUT', `merge_requests/${number}`, { target_branch: base }),
    logOf: ({ id }) => askForge(caller, request(`jobs/${id}/trace`)),
    async mayWrite(login) {
      const found: Answers[] = await get(`members/all?query=${encodeURIComponent(login)}`);
      return found.some((it) => it.username === login && it.access_level >= DEVELOPER);
    },
    // It is told in headers only, which are not printed.
    limitedUntil: async () => undefined,
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
