/**
 * Signs commits as the person's own git does, if the key answers without a person: there is no question on a terminal
 * or in a window, and a key that does not answer is not tried again.
 */
import { join } from 'node:path';
import type { Git } from '../../base/git/git.ts';
import { writeCommit } from '../../base/git/objects.ts';
import { splitNul } from '../../base/git/paths.ts';
import { projectPlace } from '../../base/git/project.ts';
import { run } from '../../base/process/run.ts';
import { laneEventStore } from '../../store/lane-events.ts';
import type { Run } from '../../store/lanes.ts';
import type { LaneContext } from '../spec/context.ts';

interface Signer {
  readonly program: string;
  readonly args: readonly string[];
}

/** Why commits of a repository are not signed although its settings say so, as a clause. */
interface Unsigned {
  readonly why: string;
}

/** The signer by the identity of a repository; `undefined` if its settings sign no commits. */
const signers = new Map<string, Signer | Unsigned | undefined>();

/** The longest wait for a token that needs a touch, or a program that opens a window. */
const ANSWER_MS = 5_000;

/** The same commit with a signature; itself if there is no signer. */
export async function signed(git: Git, sha: string): Promise<string> {
  const signer = await signerOf(git);
  if (signer === undefined || 'why' in signer) return sha;
  const [commit] = await git.objects([sha]);
  if (commit === undefined) return sha;
  const outcome = await run(signer.program, signer.args, {
    cwd: git.directory,
    env: { ...git.env, SSH_ASKPASS: undefined, SSH_ASKPASS_REQUIRE: 'never', GPG_TTY: undefined },
    input: commit.content,
    timeoutMs: ANSWER_MS,
  });
  const signature = outcome.kind === 'exited' && outcome.exitCode === 0 ? `${outcome.stdout}` : '';
  if (signature.startsWith('-----BEGIN ')) {
    const header = `gpgsig${sha.length > 40 ? '-sha256' : ''} ${signature.trim()}`;
    const text = `${commit.content}`;
    const at = text.indexOf('\n\n');
    const whole = `${text.slice(0, at)}\n${header.replaceAll('\n', '\n ')}${text.slice(at)}`;
    return writeCommit(git, whole);
  }
  const why =
    outcome.kind === 'failed' ? outcome.why : (outcome.stderr.trim().split('\n').at(-1) ?? '');
  signers.set(identityOf(git), { why: `${signer.program} gave no signature: ${why}` });
  return sha;
}

/** Signs a commit that was made from others; one of those stays as it is. */
export const signedUnless = async (
  git: Git,
  sha: string,
  known: readonly string[],
): Promise<string> => (known.includes(sha) ? sha : signed(git, sha));

async function signerOf(git: Git): Promise<Signer | Unsigned | undefined> {
  const identity = identityOf(git);
  if (!signers.has(identity)) signers.set(identity, await readSigner(git));
  return signers.get(identity);
}

const identityOf = ({ directory }: Git): string => projectPlace(directory).identity;

async function readSigner(git: Git): Promise<Signer | Unsigned | undefined> {
  const wanted = String.raw`^(commit\.gpgsign|user\.(signingkey|email)|gpg\..*)$`;
  const listing = (await git.maybe(['config', '-z', '--get-regexp', wanted])) ?? '';
  const settings = new Map(
    splitNul(listing).map((it) => it.split('\n') as [string, string | undefined]),
  );
  const asked = settings.has('commit.gpgsign') ? (settings.get('commit.gpgsign') ?? 'true') : 'no';
  if (!['true', 'yes', 'on', '1'].includes(asked.toLowerCase())) return undefined;
  const format = settings.get('gpg.format') ?? 'openpgp';
  const key = settings.get('user.signingkey');
  if (format === 'ssh') {
    const program = settings.get('gpg.ssh.program') ?? 'ssh-keygen';
    if (key === undefined) return { why: 'user.signingkey is not set' };
    if (/^(?:key::|ssh-)/.test(key)) return { why: 'user.signingkey is no file' };
    const file = key.replace(/^~(?=\/)/, git.env.HOME ?? '~');
    return known(program, /^ssh-keygen$/, ['-Y', 'sign', '-n', 'git', '-f', join('/', file)]);
  }
  if (format !== 'openpgp') return { why: `gpg.format is ${format}` };
  const program = settings.get('gpg.openpgp.program') ?? settings.get('gpg.program') ?? 'gpg';
  const who = key ?? settings.get('user.email') ?? '';
  const quietly = ['--batch', '--no-tty', '--pinentry-mode', 'error'];
  return known(program, /^gpg2?$/, [...quietly, '-bsau', who]);
}

/** A signer if the program is known: others may open a window. */
function known(program: string, names: RegExp, args: readonly string[]): Signer | Unsigned {
  const name = program.split('/').at(-1) ?? '';
  return names.test(name) ? { program, args } : { why: `${name} may ask a person` };
}

/** Why commits are not signed, once in a run. */
export function unsignedOnce({ store, now }: LaneContext, { id }: Run, git: Git) {
  const found = signers.get(identityOf(git));
  if (found === undefined || !('why' in found)) return undefined;
  const type = 'run.not-signed';
  const events = laneEventStore(store);
  const { why } = found;
  return store.write(() => {
    if (events.last(id, type) !== undefined) return undefined;
    events.add({ runId: id, type, data: { why }, by: 'lanehold' }, now());
    return why;
  });
}
