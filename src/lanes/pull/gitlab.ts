/**
 * GitLab by `glab api`, whose requests and answers are those of its REST interface.
 *
 * @see https://docs.gitlab.com/api/merge_requests/
 */
import * as z from 'zod/mini';
import { askForge, type Check, type Forge, type ForgeCaller, readAnswer } from './forge.ts';

const text = z.nullish(z.string());

const Found = z.array(
  z.object({ iid: z.int(), web_url: z.string(), target_branch: z.string(), draft: z.boolean() }),
);
const Looked = z.object({
  state: z.string(),
  draft: z.boolean(),
  sha: z.string(),
  target_branch: z.string(),
  merge_commit_sha: text,
  squash_commit_sha: text,
  detailed_merge_status: text,
  has_conflicts: z.nullish(z.boolean()),
  head_pipeline: z.nullish(z.object({ id: z.int() })),
});
const Jobs = z.array(
  z.object({ id: z.int(), name: z.string(), status: z.string(), allow_failure: z.boolean() }),
);
const Discussions = z.array(
  z.object({
    notes: z.array(
      z.object({
        id: z.int(),
        body: z.string(),
        system: z.boolean(),
        resolvable: z.boolean(),
        resolved: z.nullish(z.boolean()),
        author: z.object({ username: z.string() }),
        position: z.nullish(z.object({ new_path: text, new_line: z.nullish(z.int()) })),
      }),
    ),
  }),
);
const Members = z.array(z.object({ username: z.string(), access_level: z.int() }));

/** Developers and above may push. */
const DEVELOPER = 30;

export function gitlab(caller: ForgeCaller): Forge {
  const { host, repository } = caller.address;
  const project = `projects/${encodeURIComponent(repository)}`;
  const api = (path: string, ...more: readonly string[]) =>
    askForge(caller, ['api', '--hostname', host, `${project}/${path}`, ...more]);
  /** Texts go in on stdin, as JSON. */
  const send = (method: string, path: string, body: object) =>
    askForge(
      caller,
      [
        ...['api', '--hostname', host, `${project}/${path}`, '--method', method],
        ...['--header', 'Content-Type: application/json', '--input', '-'],
      ],
      JSON.stringify(body),
    );

  return {
    async find(branch) {
      const which = `state=opened&source_branch=${encodeURIComponent(branch)}`;
      const [found] = readAnswer(Found, await api(`merge_requests?${which}`));
      if (found === undefined) return undefined;
      const { iid: number, web_url: url, target_branch: base, draft } = found;
      return { number, url, base, draft };
    },
    async create({ branch, base, title, body, draft }) {
      await send('POST', 'merge_requests', {
        source_branch: branch,
        target_branch: base,
        title: draft ? `Draft: ${title}` : title,
        description: body,
      });
    },
    async look(number) {
      const it = readAnswer(Looked, await api(`merge_requests/${number}`));
      const [jobs, discussions] = await Promise.all([
        it.head_pipeline
          ? api(`pipelines/${it.head_pipeline.id}/jobs?per_page=100`)
          : Promise.resolve('[]'),
        api(`merge_requests/${number}/discussions?per_page=100`),
      ]);
      const notes = readAnswer(Discussions, discussions).flatMap((discussion) => discussion.notes);
      const merge = it.detailed_merge_status ?? '';
      return {
        state: it.state === 'merged' || it.state === 'closed' ? it.state : 'open',
        draft: it.draft,
        review: REVIEWS[merge] ?? '',
        mergeable: it.has_conflicts ? 'conflict' : merge === 'mergeable' ? 'yes' : 'unknown',
        queued: false,
        headSha: it.sha,
        base: it.target_branch,
        // Without a commit of the merge the branch was moved forward to the head.
        mergeSha:
          it.state === 'merged' ? (it.merge_commit_sha ?? it.squash_commit_sha ?? it.sha) : null,
        checks: readAnswer(Jobs, jobs).map(checkOf),
        remarks: notes
          .filter(({ system, resolvable, resolved }) => !system && resolvable && resolved !== true)
          .map(({ id, body, author, position }) => ({
            ...{ id: `${id}`, author: author.username, isOwner: false, text: body },
            kind: position ? ('comment' as const) : ('review' as const),
            where: position ? `${position.new_path ?? '?'}:${position.new_line ?? '?'}` : '',
          })),
      };
    },
    async markReady(number) {
      await send('POST', `merge_requests/${number}/notes`, { body: '/ready' });
    },
    async retarget(number, base) {
      await send('PUT', `merge_requests/${number}`, { target_branch: base });
    },
    logOf: ({ id }) => api(`jobs/${id}/trace`),
    async mayWrite(login) {
      const found = await api(`members/all?query=${encodeURIComponent(login)}`);
      return readAnswer(Members, found).some(
        (it) => it.username === login && it.access_level >= DEVELOPER,
      );
    },
    // It is told in headers only, which are not printed.
    limitedUntil: async () => undefined,
  };
}

const REVIEWS: Readonly<Record<string, 'changes-requested' | 'required'>> = {
  requested_changes: 'changes-requested',
  not_approved: 'required',
};

function checkOf({ id, name, status, allow_failure: isFree }: z.infer<typeof Jobs>[number]): Check {
  const isFailed = /^(?:failed|canceled)$/.test(status) && !isFree;
  const isPending = /^(?:created|pending|running|preparing|waiting_for_resource|scheduled)$/;
  const state = isFailed ? 'failed' : isPending.test(status) ? 'pending' : 'passed';
  return { name, state, id: `${id}`, text: '' };
}
