/** The last commits of a branch with the files that they changed, for an index over their messages. */
import { type Git, gitFailure } from './git.ts';
import { splitNul } from './paths.ts';

export interface PastCommit {
  readonly oid: string;
  readonly at: Date;
  readonly author: string;
  readonly subject: string;
  readonly body: string;
  /** Relative to the root; a rename gives both its sides. */
  readonly files: readonly string[];
}

/** The newest commits first, without merges; none if nothing has been committed. */
export async function recentCommits(git: Git, most: number): Promise<string[]> {
  const args = ['rev-list', '--no-merges', `--max-count=${most}`, 'HEAD', '--'];
  const { exitCode, stdout, stderr } = await git.attempt(args);
  if (exitCode === 0) return stdout.split('\n').filter((it) => it !== '');
  const unborn = (await git.maybe(['rev-parse', '--verify', '--quiet', 'HEAD'])) === undefined;
  if (unborn) return [];
  throw gitFailure(args, { exitCode, stderr });
}

const FORMAT = '%x1e%H%x1f%ct%x1f%an%x1f%s%x1f%b%x1f';

export async function commitsOf(git: Git, oids: readonly string[]): Promise<PastCommit[]> {
  if (oids.length === 0) return [];
  const args = ['log', '--no-walk=unsorted', '--stdin', '-z', '--name-only', '--no-renames'];
  const text = await git.text([...args, `--format=${FORMAT}`], `${oids.join('\n')}\n`);
  return text.split('\x1e').flatMap((record) => {
    const [oid = '', seconds, author = '', subject = '', body = '', rest = ''] =
      record.split('\x1f');
    if (!/^[0-9a-f]{40,64}$/.test(oid)) return [];
    const files = splitNul(rest).flatMap((it) => it.replace(/^\n/, '') || []);
    const at = new Date(Number(seconds) * 1000);
    return [{ oid, at, author, subject, body: body.trim(), files }];
  });
}
