/**
 * Handoffs that were given out, stored or in a file, whose content is not trusted; and whether their lines
 * are still true, by the store, git and the disk.
 */
import { existsSync, readFileSync, realpathSync } from 'node:fs';
import * as z from 'zod/mini';
import { ExplainedError, UsageError } from '../../base/errors.ts';
import { gitIn } from '../../base/git/git-in.ts';
import { refsBelow } from '../../base/git/plumbing.ts';
import { listWorktrees } from '../../base/git/worktrees.ts';
import { parsedJson } from '../../base/text/json.ts';
import { handoffStore, type StoredHandoff } from '../../store/handoffs.ts';
import { laneReportStore } from '../../store/lane-events.ts';
import { laneValidationStore, type Validation } from '../../store/lane-validations.ts';
import { laneStore } from '../../store/lanes.ts';
import { type Run, runStore } from '../../store/runs.ts';
import { openConflicts } from '../fit/open-conflicts.ts';
import { logStamp, verifyLog } from '../judge/log.ts';
import type { LaneContext } from '../spec/context.ts';
import type { Board } from './board.ts';

const text = z.string();
const number = z.number();
const texts = z.readonly(z.array(text));

const is = z.literal;

/** What a line claims, in a form that can be checked again. */
const Claim = z.discriminatedUnion('kind', [
  z.object({ kind: is('run'), intent: text }),
  z.object({ kind: is('state'), lane: text, state: text, specRev: number, specHash: text }),
  z.object({ kind: is('ref'), ref: text, sha: text }),
  /** The ref contains this commit; newer commits may follow. */
  z.object({ kind: is('contains'), ref: text, sha: text }),
  z.object({ kind: is('worktree'), path: text }),
  /** The log of a validation is there, unchanged. */
  z.object({ kind: is('log'), validationId: text, path: text, sha256: text }),
  z.object({ kind: is('question'), id: text }),
  z.object({ kind: is('conflict'), lane: text, with: z.nullish(text), shas: texts }),
]);
export type Claim = z.infer<typeof Claim>;

const Given = z.object({
  id: text,
  at: z.catch(text, ''),
  lines: z.readonly(z.array(z.object({ about: text, text, claims: z.readonly(z.array(Claim)) }))),
});
type Given = z.infer<typeof Given>;

/** The last one given out; `undefined` if there is none. */
export function lastGiven({ store }: LaneContext, run: Run): Given | undefined {
  const kept = handoffStore(store).last(run.id);
  return kept && givenOf(kept);
}

/**
 * A handoff in a file: its JSON, or a page that names a stored one.
 *
 * @throws {UsageError} if it is neither.
 */
export function givenInFile({ store }: LaneContext, run: Run, file: string): Given {
  const content = textOf(file);
  const whole = z.safeParse(Given, parsedJson(content)).data;
  if (whole !== undefined) return whole;
  const id = /\bHandoff ([0-9a-f-]{36})\b/.exec(content)?.[1];
  const kept = handoffStore(store).byId(id ?? '');
  if (kept?.runId === run.id) return givenOf(kept);
  throw new UsageError(`${file} is no handoff of run ${run.name} that is known here`, {
    hint: 'give one that `lanehold orchestrate handoff --write` or `--json` has made',
  });
}

function textOf(file: string): string {
  try {
    return readFileSync(file, 'utf8');
  } catch (cause) {
    const why = cause instanceof Error ? cause.message : String(cause);
    throw new UsageError(`cannot read ${file}: ${why}`, { hint: 'give a handoff file', cause });
  }
}

function givenOf({ id, at, lines }: StoredHandoff): Given {
  const given = z.safeParse(Given, { id, at: at.toISOString(), lines }).data;
  if (given !== undefined) return given;
  throw new ExplainedError(`the handoff ${id} that is kept cannot be read`, {
    hint: 'make a new one with `lanehold orchestrate handoff`',
  });
}

export interface Untrue {
  readonly about: string;
  readonly was: string;
  readonly now: string;
}

export async function untrueLines(
  context: LaneContext,
  run: Run,
  lines: Given['lines'],
): Promise<Untrue[]> {
  return contradicted(await readFacts(context, run), lines);
}

/**
 * The lines of a board that was just read which git and the disk contradict. Logs are not read: their size
 * and time are compared.
 */
export async function untrueOnDisk(
  context: LaneContext,
  board: Board,
  lines: Given['lines'],
): Promise<Untrue[]> {
  const facts = await readFacts(context, board.run);
  const onDisk = lines.map((line) => ({
    ...line,
    claims: line.claims.filter(({ kind }) => ON_DISK.has(kind)),
  }));
  return contradicted({ ...facts, readsLogs: false }, onDisk);
}

const ON_DISK: ReadonlySet<Claim['kind']> = new Set(['ref', 'contains', 'worktree', 'log']);

async function contradicted(facts: Facts, lines: Given['lines']): Promise<Untrue[]> {
  const untrue: Untrue[] = [];
  for (const { about, text: was, claims } of lines) {
    const found = await Promise.all(claims.map((it) => contradiction(facts, it)));
    const now = found.filter((it) => it !== undefined).join('; ');
    if (now !== '') untrue.push({ about, was, now });
  }
  return untrue;
}

type Facts = Awaited<ReturnType<typeof readFacts>> & {
  readonly readsLogs?: false;
};

async function readFacts({ store, env }: LaneContext, run: Run) {
  const git = gitIn(run.commonDir, env);
  if (!existsSync(run.commonDir)) return { store, run, git, repository: undefined };
  const [refs, listed] = await Promise.all([
    refsBelow(git, 'refs/heads', 'refs/lanehold'),
    listWorktrees(git),
  ]);
  const worktrees = new Set(listed.map(({ path }) => resolved(path)));
  return { store, run, git, repository: { refs, worktrees } };
}

const resolved = (path: string): string => (existsSync(path) ? realpathSync(path) : path);

type Check<K> = (
  facts: Facts,
  claim: Extract<Claim, { kind: K }>,
) => string | undefined | Promise<string | undefined>;

/** What is true instead; `undefined` if the claim holds. */
function contradiction<K extends Claim['kind']>(facts: Facts, it: Extract<Claim, { kind: K }>) {
  return CHECKS[it.kind as K](facts, it);
}

function changeOfLog(was: Validation): string | undefined {
  const { logBytes, logChangedAt } = logStamp(was.logPath);
  if (logBytes === null) return 'the log is gone';
  if (logBytes !== was.logBytes) return 'the log was changed';
  const isTouched = logChangedAt?.getTime() !== was.logChangedAt?.getTime();
  return isTouched ? 'the log was written to; `handoff --check` compares it' : undefined;
}

const GONE = 'the repository is gone';

const CHECKS: { readonly [K in Claim['kind']]: Check<K> } = {
  run({ store, run }, { intent }) {
    const now = runStore(store).byId(run.id)?.intent ?? 'gone';
    return now === intent ? undefined : `the run is ${now}`;
  },
  state({ store, run }, was) {
    const now = laneStore(store).byKey(run.id, was.lane);
    if (now === undefined) return 'there is no such lane';
    const found: string[] = [];
    if (now.specRev !== was.specRev || now.specHash !== was.specHash) {
      found.push(`its task was changed: revision ${now.specRev}, was ${was.specRev}`);
    }
    if (now.state !== was.state) found.push(`it is ${now.state}, was ${was.state}`);
    return found.join('; ') || undefined;
  },
  ref({ repository }, { ref, sha }) {
    if (repository === undefined) return GONE;
    const now = repository.refs.get(ref);
    if (now === sha) return undefined;
    return now === undefined ? `${ref} is gone` : `${ref} is at ${now.slice(0, 8)}`;
  },
  async contains({ repository, git }, { ref, sha }) {
    if (repository === undefined) return GONE;
    const now = repository.refs.get(ref);
    if (now === undefined) return `${ref} is gone`;
    // The value comes from a file that may say anything: only commit ids are passed to git.
    const isOid = /^[0-9a-f]{40,64}$/.test(sha);
    const args = ['merge-base', '--is-ancestor', sha, now];
    const contains = isOid && (await git.attempt(args)).exitCode === 0;
    return contains ? undefined : `${ref} is at ${now.slice(0, 8)} and has it not`;
  },
  worktree({ repository }, { path }) {
    if (!existsSync(path)) return 'the worktree is gone';
    if (repository === undefined) return GONE;
    return repository.worktrees.has(resolved(path)) ? undefined : 'git does not know the worktree';
  },
  /** The log's path comes from the store: a given file must not choose what is read. */
  async log({ store, readsLogs }, { validationId, sha256 }) {
    const validation = laneValidationStore(store).byId(validationId);
    if (validation === undefined) return 'there is no such validation';
    if (validation.logSha256 !== sha256) return 'the validation has another log';
    if (readsLogs === false) return changeOfLog(validation);
    const found = await verifyLog(validation.logPath, sha256);
    if (found === 'intact') return undefined;
    return found === 'missing' ? 'the log is gone' : 'the log was changed';
  },
  question({ store }, { id }) {
    const report = laneReportStore(store).byId(id);
    if (report === undefined) return 'there is no such question';
    return report.answeredAt === null ? undefined : `${report.answeredBy} has answered it`;
  },
  conflict({ store, run }, was) {
    const isOpen = openConflicts({ store }, run.id).some(
      ({ lanes, shas }) =>
        `${[was.lane, was.with ?? undefined]}` === `${lanes}` && `${was.shas}` === `${shas}`,
    );
    return isOpen ? undefined : 'it was settled, or the lanes have moved';
  },
};
