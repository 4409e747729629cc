/** A team: into it and out of it, what was verified elsewhere, and what was verified here. */
import { randomBytes, randomUUID } from 'node:crypto';
import { existsSync, rmSync } from 'node:fs';
import { hostname } from 'node:os';
import { join } from 'node:path';
import { ExplainedError, explained } from '../../base/errors.ts';
import { homeOf } from '../../base/files/home.ts';
import { readPlainFile } from '../../base/files/plain-file.ts';
import { PRIVATE, replaceFile } from '../../base/files/replace-file.ts';
import { plainAddress } from '../../base/git/address.ts';
import type { Git } from '../../base/git/git.ts';
import { AUTHOR, commitTree } from '../../base/git/plumbing.ts';
import { refsAsTheyAre } from '../../base/git/refs.ts';
import { mainRemote, remoteMeant } from '../../base/git/remotes.ts';
import { shortHash } from '../../base/process/with-lock.ts';
import { enumerated } from '../../base/text/printable.ts';
import { shellWord } from '../../base/text/shell-quote.ts';
import { duration } from '../../base/text/time.ts';
import { orRefusal, signedBytes } from '../../evidence/envelope.ts';
import { signersOf, trustBetween } from '../../evidence/judge.ts';
import { importRecords } from '../../evidence/notes.ts';
import { configuredSigner, type Scratch, sign, withScratch } from '../../evidence/signing.ts';
import type { NoteRecord } from '../../evidence/statement.ts';
import { assessContents } from '../../features/assess.ts';
import { lookAt, policyAt } from '../../features/comparison.ts';
import type { Wanted } from '../../features/evidence-status.ts';
import { settlePending } from '../../features/pending.ts';
import type { Workspace } from '../../features/workspace.ts';
import { ordinaryComparison } from '../../gate/compare.ts';
import { type Finding, guarded, ok, warning } from '../../install/verify.ts';
import type { Store } from '../../store/open.ts';
import { teamStore } from '../../store/team.ts';
import { boardOn, initBoard, rotateKey, withBoard } from '../../team/board/board.ts';
import { placeOf, withConnection } from '../../team/board/connection.ts';
import * as credentials from '../../team/credentials.ts';
import { recordsOnBoard, sendEvidence, type Team, waitingRecords } from '../../team/exchange.ts';
import { refsTaken, remoteAt } from '../../team/refs.ts';
import { repositoryId } from '../../team/seal.ts';
import { teamSettings } from '../../team/settings.ts';
import { type AppContext, openProject } from '../context.ts';
import { comparisonOf, gitOf } from './holds.ts';
import type { TestedContent } from './verification-checkout.ts';

/** For what somebody waits who has asked for it, and for something else. */
export const LIMIT_MS = 10_000;
const ASIDE_MS = 1_500;

/** Runs an act of the board's owner, and writes the new address for members, if it has one, to `file`. */
const asOwner =
  <T>(act: (owner: string) => Promise<T & { readonly members?: string | undefined }>) =>
  async ({ env }: AppContext) => {
    const owner = credentials.checkedUrl(env.LANEHOLD_TEAM_URL ?? '', 'owner');
    const { members, ...done } = await act(owner);
    const file = members && credentials.writeMemberUrl(homeOf(env), members);
    return { place: placeOf(owner), file, ...done };
  };

export const initTeam = asOwner(initBoard);
/** Gives the team another key; all machines connect anew with the address in `file`. */
export const rotateTeamKey = asOwner(rotateKey);

export interface ConnectWish {
  readonly name?: string | undefined;
  /** The name of the remote. The default is where all work ends up: of a fork, the repository that it was made from. */
  readonly remote?: string | undefined;
  /** An address that counts before all others; empty: none. */
  readonly address?: string;
}

/**
 * Joins with this machine, if it is in no team, and shares what is verified in the project, also what was lately.
 *
 * @param input is read if nothing else has the address.
 */
export async function connectTeam(
  context: AppContext,
  { name = hostname(), remote: wanted, address = '' }: ConnectWish,
  input: () => Promise<string>,
) {
  const workspace = await openProject(context);
  const git = gitOf(workspace);
  const { store, projectId, place } = workspace;
  const { LANEHOLD_TEAM_URL: set = '' } = context.env;
  // Who has just made the board has the owner's address in the environment, which has no key.
  const found = [set, readPlainFile(credentials.memberFile(store.home)) ?? ''];
  const given = address.trim() || found.find(credentials.hasKey)?.trim();
  const known = credentials.readMember(store.home);
  const isKnown = known && (given ?? known.url) === known.url;
  const member = isKnown
    ? known
    : await joinTeam(store, given ?? ((await input()) || set), name, known);
  const refs = await refsAsTheyAre(git, []);
  const [url = ''] = refs.setting(
    `remote.${await remoteMeant(git, wanted ?? mainRemote(refs))}.url`,
  );
  const remote = plainAddress(refs.destinationOf(url, 'fetch'), place.root);
  const repo = repositoryId(credentials.keyOf(member), remote);
  const team = teamStore(store);
  // Hooks find out by it that there is something to exchange.
  replaceFile(join(store.home.team, shortHash(place.identity)), '', { mode: PRIVATE });
  store.write(() => team.put({ projectId, board: member.board, repo, remote }));
  return { name: member.name, place: placeOf(member.url), remote, ...(await tryRefs(git, remote)) };
}

/** Tries where the remote takes lanes. @returns `refs`, or `why` it takes none; evidence and notes need no refs. */
async function tryRefs(git: Git, address: string) {
  // An empty commit: HEAD may have what must not leave yet.
  const tree = (await git.text(['mktree'], '')).trim();
  const made = { tree, parents: [], message: 'lanehold tries', author: AUTHOR, at: new Date(0) };
  return refsTaken(await remoteAt(git, address), commitTree(git, made));
}

/** @param known what this machine is called in a team whose key was changed. */
export async function joinTeam(
  store: Store,
  given: string,
  name: string,
  known?: credentials.Member,
) {
  const { home } = store;
  const url = credentials.checkedUrl(given, 'member');
  const token = randomBytes(32).toString('base64url');
  const identity = { host: randomUUID(), token, name, ...known, url };
  const joined = await withConnection(url, LIMIT_MS, (query) =>
    boardOn(query, identity).joinHost(),
  );
  const member = { ...identity, ...joined };
  credentials.writeMember(home, member);
  if (existsSync(credentials.memberFile(home))) credentials.writeMemberUrl(home, url);
  const team = teamStore(store);
  const key = credentials.keyOf(member);
  store.write(() => {
    // Revisions name the project by its old id.
    team.forgetRevisions();
    team.unsendNotes();
    for (const it of team.projects())
      team.put({ ...it, board: member.board, repo: repositoryId(key, it.remote) });
  });
  return member;
}

/** Forgets the team on this machine, also if the board cannot be told. */
export async function disconnectTeam(context: AppContext) {
  const store = await context.store();
  const member = credentials.memberOn(store.home);
  const team = teamStore(store);
  const unsent = waitingRecords(store, context.now());
  const told = await orProblem(withBoard(member, LIMIT_MS, (it) => it.leave().then(() => ({}))));
  store.write(() => {
    for (const forget of [team.leave, team.empty, team.forgetNotes, team.forgetRevisions]) forget();
  });
  rmSync(store.home.team, { recursive: true, force: true });
  return { ...told, name: member.name, place: placeOf(member.url), unsent };
}

export async function orProblem<T>(work: Promise<T>): Promise<T | { readonly problem: string }> {
  try {
    return await work;
  } catch (error) {
    return { problem: explained(error).message };
  }
}

/** Evidence that is dated ahead by more counts for nobody. */
const MOST_SKEW_MS = 2 * 60_000;

export async function diagnoseTeam(context: AppContext) {
  const workspace = await openProject(context);
  const { store } = workspace;
  const waiting = waitingRecords(store, context.now());
  const sent =
    teamOf(workspace) === undefined
      ? warning('evidence', NOT_SHARED.fact, NOT_SHARED.hint)
      : waiting === 0
        ? ok('evidence', 'all that was verified here was sent')
        : warning(
            'evidence',
            `${waiting} to be sent`,
            '`lanehold team sync` does it, or says why not',
          );
  const findings = [
    ...(await guarded('board', () => checkBoard(credentials.memberOn(store.home), context.now))),
    ...(await guarded('signing', () => checkSigning(context, workspace))),
    ...(await guarded('refs', () => checkRefs(workspace))),
    sent,
  ];
  return { ok: findings.every(({ state }) => state !== 'broken'), findings };
}

const checkBoard = (member: credentials.Member, now: () => Date): Promise<Finding[]> =>
  withBoard(member, LIMIT_MS, async (board) => {
    const start = performance.now();
    const { hosts, now_ms } = await board.status();
    const roundTrip = Math.round(performance.now() - start);
    const skewMs = Math.abs(now().getTime() - now_ms);
    const others = hosts.map(({ name, seen_s }) => `${name} (${duration(seen_s * 1000)})`);
    return [
      ok(
        'board',
        `${placeOf(member.url)} answers in ${roundTrip} ms, this machine is ${member.name}`,
      ),
      ok('machines', `in the team, and how long ago they were seen: ${enumerated(others, 20)}`),
      skewMs > MOST_SKEW_MS
        ? warning(
            'clock',
            `the clocks here and at the board differ by ${duration(skewMs)}`,
            'set them',
          )
        : ok('clock', 'the clocks here and at the board agree'),
    ];
  });

async function checkRefs(workspace: Workspace): Promise<Finding[]> {
  const team = teamOf(workspace);
  if (team === undefined) return [];
  const tried = await tryRefs(gitOf(workspace), team.project.remote);
  const { refs } = teamSettings(workspace.store.home);
  if (!('refs' in tried)) {
    const fact = `the remote takes no lane from here: ${tried.why}`;
    return [warning('refs', fact, 'what is verified, noted and answered is shared all the same')];
  }
  if (tried.refs === refs || tried.refs === 'refs/lanehold')
    return [ok('refs', `the remote takes lanes in ${refs}`)];
  const hint = `\`lanehold config set team.refs ${tried.refs}\`, on each machine`;
  return [warning('refs', `the remote refuses ${refs}, and takes ${tried.refs}`, hint)];
}

const NOT_SHARED = {
  fact: 'this project is not shared with the team',
  hint: '`lanehold team connect` in it',
};

/** Whether others would count what this machine signs. */
const checkSigning = (context: AppContext, workspace: Workspace): Promise<Finding[]> =>
  withScratch(context.env, async (scratch) => {
    const signer = await configuredSigner(gitOf(workspace), workspace.place.root, scratch);
    const payload = Buffer.from('{}');
    const signature = await sign(signedBytes(payload), signer, scratch);
    if (signer.kind === 'none' || signature === undefined) {
      const hint =
        '`git config gpg.format ssh && git config user.signingKey ~/.ssh/id_ed25519.pub`';
      const why = 'why' in signer ? signer.why : '';
      return [warning('signing', `nothing is sent from here: ${why}`, hint)];
    }
    const judge = await judging(context, workspace, scratch);
    const by = await orRefusal(() => signersOf({ payload, signatures: [signature] }, judge));
    if (typeof by === 'string')
      return [ok('signing', `what is verified here is ${by}, and counts`)];
    const isFile = signer.kind === 'ssh' && !signer.fromAgent;
    const file = isFile && shellWord(signer.keyFile.replace(/(?:\.pub)?$/, '.pub'));
    const hint =
      judge.trust.require === 'ci'
        ? '`evidence.require` is `ci`: on a machine that is not CI this is as it should be'
        : `\`mkdir -p .lanehold && echo "$(git config user.email) ${file ? `$(cat ${file})` : '<public key>'}" >> .lanehold/allowed_signers\`, and have it merged`;
    return [warning('signing', `what is verified here counts for nobody: ${by.message}`, hint)];
  });

/** `undefined`: the project is in no team. */
export function teamOf({ store, projectId }: Workspace): Team | undefined {
  const member = credentials.readMember(store.home);
  const project = teamStore(store).ofProject(projectId);
  return member && project && { member, project };
}

async function judging({ now }: AppContext, workspace: Workspace, scratch: Scratch, head?: string) {
  const git = gitOf(workspace);
  const comparison = await comparisonOf(workspace, { head });
  const trust = await trustBetween(workspace, git, comparison, undefined);
  return { git, trust, now: now(), scratch };
}

/** The team of a project. @throws {ExplainedError} if it is in none. */
export function teamMeant(workspace: Workspace): Team {
  credentials.memberOn(workspace.store.home);
  const team = teamOf(workspace);
  if (team !== undefined) return team;
  const { fact, hint } = NOT_SHARED;
  throw new ExplainedError(fact, { code: 'NO_TEAM', hint });
}

export async function takeOver(
  context: AppContext,
  workspace: Workspace,
  team: Team,
  items: readonly Wanted[],
  limitMs: number,
  head?: string,
) {
  const found = await recordsOnBoard(team, items, limitMs);
  const features = new Map(items.map(({ feature }) => [feature.name, feature]));
  return withScratch(context.env, async (scratch) =>
    importRecords(workspace, features, await judging(context, workspace, scratch, head), found),
  );
}

/** What the board has of contents, for a gate that judges it itself; nothing, and a line, if it cannot be reached. */
export function evidenceOnBoard({ progress }: AppContext, workspace: Workspace) {
  const team = teamOf(workspace);
  return async (wanted: readonly Wanted[]): Promise<readonly NoteRecord[]> => {
    const found = team ? await orProblem(recordsOnBoard(team, wanted, ASIDE_MS)) : [];
    if (!('problem' in found)) return found;
    progress(`${found.problem}; what it knows does not count`);
    return [];
  };
}

/** Contents that passed elsewhere, as far as that counts here; it is taken over into the store, where the gate finds it. */
export async function verifiedElsewhere(
  context: AppContext,
  { workspace, subject, items }: TestedContent,
) {
  const team = teamOf(workspace);
  if (team === undefined || workspace.git === undefined) return [];
  const head = subject.kind === 'revision' ? subject.oid : undefined;
  const taken = await orProblem(takeOver(context, workspace, team, items, ASIDE_MS, head));
  if ('problem' in taken) {
    context.progress(`${taken.problem}; the tests run here`);
    return [];
  }
  const { maxAgeMs } = await policyAt(workspace, await ordinaryComparison(workspace.git, subject));
  const limit = { now: context.now(), maxAgeMs };
  const assessed = await assessContents(lookAt(workspace), subject, items, limit);
  return assessed.flatMap(({ feature: { name: feature }, definedBy, fingerprint, status }) => {
    const by = status.valid ? status.by : undefined;
    if (by?.kind !== 'passed' || by.source === null) return [];
    if (subject.kind === 'worktree') settlePending(workspace, feature);
    const elsewhere = { by: by.source, at: by.at };
    return [
      { feature, definedBy, fingerprint, result: 'passed' as const, evidence: by.id, elsewhere },
    ];
  });
}

/** Sends what was just verified, without keeping anybody from going on. */
export async function sendAside(context: AppContext, workspace: Workspace): Promise<void> {
  const team = teamOf(workspace);
  if (team === undefined || workspace.git === undefined) return;
  const sent = await orProblem(sendEvidence(workspace, team, context, 2 * ASIDE_MS));
  const waiting = waitingRecords(workspace.store, context.now());
  // Users who never sign get no message each time; `team doctor` has it.
  const why = 'problem' in sent ? sent.problem : sent.signs ? sent.why.join('; ') : '';
  if (waiting > 0 && why !== '')
    context.progress(`${waiting} to be sent to the team by \`lanehold team sync\`: ${why}`);
}
