/** A team: into it and out of it, what was verified elsewhere, and what was verified here. */
import { ExplainedError, explained, UsageError } from '../../base/errors.ts';
import { homeOf } from '../../base/files/home.ts';
import { readPlainFile } from '../../base/files/plain-file.ts';
import { type JudgingContext, trustBetween } from '../../evidence/judge.ts';
import { importRecords } from '../../evidence/notes.ts';
import { configuredSigner, withScratch } from '../../evidence/signing.ts';
import type { NoteRecord } from '../../evidence/statement.ts';
import { type Assessed, assess, assessContents } from '../../features/assess.ts';
import { lookAt, policyAt } from '../../features/comparison.ts';
import type { Wanted } from '../../features/evidence-status.ts';
import { settlePending } from '../../features/pending.ts';
import type { Workspace } from '../../features/workspace.ts';
import { ordinaryComparison } from '../../gate/compare.ts';
import { assessPending } from '../../gate/pending.ts';
import { guarded } from '../../install/verify.ts';
import type { Evidence } from '../../store/evidence.ts';
import { outboxStore, teamStore } from '../../store/team.ts';
import { placeOf } from '../../team/board/connection.ts';
import { initBoard } from '../../team/board/schema.ts';
import {
  givenCertificates,
  givenInvitation,
  givenUrl,
  invitationFile,
  readCredentials,
  withSettings,
  writeInvitation,
} from '../../team/credentials.ts';
import * as doctor from '../../team/doctor.ts';
import { recordsOnBoard } from '../../team/evidence.ts';
import {
  joinTeam,
  LIMIT_MS,
  leaveTeam,
  memberOn,
  requiredTeam,
  shareProject,
  type Team,
  teamOf,
} from '../../team/membership.ts';
import { type Sending, type SentOutbox, sendOutbox } from '../../team/outbox.ts';
import { type AppContext, openProject } from '../context.ts';
import { comparisonOf, gitOf } from './holds.ts';
import type { TestedContent } from './verification-checkout.ts';

/** For what somebody waits who has asked for something else. */
const ASIDE_MS = 1_500;

export async function initTeam({ env }: AppContext) {
  const owner = { url: givenUrl(env), ca: givenCertificates(env) };
  const { invitation, ...done } = await initBoard(owner);
  const place = placeOf(owner.url);
  if (invitation === undefined) return { place, ...done };
  return { place, ...done, invitation: writeInvitation(homeOf(env), invitation) };
}

/** @param input of the command, read if there is nothing else to connect with. */
export async function connectTeam(
  context: AppContext,
  wish: { readonly name?: string | undefined; readonly remote?: string | undefined },
  input: () => Promise<string>,
) {
  const workspace = await openProject(context);
  const git = gitOf(workspace);
  const { env, now } = context;
  const known = readCredentials(workspace.store.home);
  if (known !== undefined && (env.LANEHOLD_TEAM_URL ?? known.url) !== known.url) {
    throw new UsageError(`this machine is in a team already, at ${placeOf(known.url)}`, {
      hint: '`lanehold team disconnect` first',
    });
  }
  const member =
    known ??
    (await joinTeam(
      workspace.store,
      givenInvitation(env.LANEHOLD_TEAM_URL ? env : withSettings(env, await written(env, input))),
      wish.name,
    ));
  const { remote } = await shareProject(workspace, git, { member, wanted: wish.remote }, now());
  return { name: member.name, place: placeOf(member.url), remote };
}

/** On the machine on which the board was made, what was written there for members. */
const written = async (env: AppContext['env'], input: () => Promise<string>) =>
  readPlainFile(invitationFile(homeOf(env))) ?? (await input());

export async function disconnectTeam({ store }: AppContext) {
  const opened = await store();
  const { name, url } = memberOn(opened);
  return { name, place: placeOf(url), ...(await leaveTeam(opened)) };
}

export async function teamStatus({ store, now }: AppContext) {
  const opened = await store();
  const member = memberOn(opened);
  const projects = teamStore(opened)
    .all()
    .map(({ remote, syncedAt }) => ({ remote, syncedAt }));
  const facts = {
    place: placeOf(member.url),
    waiting: outboxStore(opened).waiting() ?? 0,
    projects,
  };
  try {
    const { hosts, roundTripMs } = await doctor.askedBoard(member);
    const seen = hosts.map(({ name, client, seen_s, is_self }) => {
      return { name, client, isSelf: is_self, seenAt: new Date(now().getTime() - seen_s * 1000) };
    });
    return { ...facts, roundTripMs, hosts: seen };
  } catch (error) {
    return { ...facts, problem: explained(error).message, hosts: [] };
  }
}

export async function diagnoseTeam(context: AppContext) {
  const workspace = await openProject(context);
  const git = gitOf(workspace);
  const { env, now } = context;
  const member = memberOn(workspace.store);
  const team = teamOf(workspace);
  const waiting = outboxStore(workspace.store).toSend(workspace.projectId, 500);
  const why = new Set(waiting.flatMap((it) => it.why ?? []));
  const findings = [
    ...(await doctor.checkBoard(member, now)),
    ...(await guarded('signing', () =>
      withScratch(env, async (scratch) => {
        const context = await judging(workspace, now(), scratch);
        const signer = await configuredSigner(git, workspace.place.root, scratch);
        return [await doctor.checkSigning(signer, context)];
      }),
    )),
    doctor.checkOutbox(team, [...why], waiting.length),
  ];
  return { ok: findings.every(({ state }) => state !== 'broken'), findings };
}

async function judging(
  workspace: Workspace,
  now: Date,
  scratch: JudgingContext['scratch'],
  head?: string,
): Promise<JudgingContext> {
  const git = gitOf(workspace);
  const trust = await trustBetween(
    workspace,
    git,
    await comparisonOf(workspace, { head }),
    undefined,
  );
  return { git, trust, now, scratch };
}

/** Sends what waits here, and takes over what others say of what is held here. */
export async function syncTeam(context: AppContext) {
  const workspace = await openProject(context);
  const team = requiredTeam(workspace);
  const { now } = context;
  const comparison = await comparisonOf(workspace, {});
  const { held } = await assessPending(lookAt(workspace), now());
  const committed = await assess(
    lookAt(workspace),
    await ordinaryComparison(workspace.git, comparison.subject),
    now(),
  );
  const items = [...held, ...committed.held];
  const imported = await withScratch(context.env, async (scratch) => {
    const judge = await judging(workspace, now(), scratch);
    return importFromBoard(workspace, items, await recordsOnBoard(team, items, LIMIT_MS), judge);
  });
  const sent = await send(context, workspace, team, LIMIT_MS);
  return { ...sent, ...imported };
}

function importFromBoard(
  workspace: Workspace,
  items: readonly Wanted[],
  found: readonly NoteRecord[],
  judge: JudgingContext,
) {
  const features = new Map(items.map(({ feature }) => [feature.name, feature]));
  return importRecords(workspace, features, judge, found);
}

function send(
  { env, now }: Pick<AppContext, 'env' | 'now'>,
  workspace: Workspace,
  team: Team,
  limitMs: number,
): Promise<SentOutbox> {
  const git = gitOf(workspace);
  return withScratch(env, async (scratch) => {
    const signer = await configuredSigner(git, workspace.place.root, scratch);
    const sending: Sending = { git, signer, scratch, now, limitMs };
    return sendOutbox(workspace, team, sending);
  });
}

/** What the board has of contents, for a gate that judges it itself; nothing, and a line, if it cannot be reached. */
export function evidenceOnBoard({ progress }: AppContext, workspace: Workspace) {
  const team = teamOf(workspace);
  return async (wanted: readonly Wanted[]): Promise<readonly NoteRecord[]> => {
    if (team === undefined) return [];
    try {
      return await recordsOnBoard(team, wanted, ASIDE_MS);
    } catch (error) {
      progress(`${explained(error).message}; what it knows does not count`);
      return [];
    }
  };
}

/** Content that need not be tested here. */
export interface VerifiedElsewhere {
  readonly assessed: Assessed;
  readonly by: Evidence;
}

/**
 * Those of some contents that passed elsewhere, as far as that counts here. It is taken over into the store, where
 * the gate finds it.
 */
export async function verifiedElsewhere(
  context: AppContext,
  { workspace, subject, items }: TestedContent,
): Promise<readonly VerifiedElsewhere[]> {
  const team = teamOf(workspace);
  if (team === undefined || workspace.git === undefined) return [];
  const { env, now, progress } = context;
  try {
    const found = await recordsOnBoard(team, items, ASIDE_MS);
    const head = subject.kind === 'revision' ? subject.oid : undefined;
    await withScratch(env, async (scratch) =>
      importFromBoard(workspace, items, found, await judging(workspace, now(), scratch, head)),
    );
  } catch (error) {
    // Also where nothing is committed yet: nothing says then whose evidence counts.
    progress(`${explained(error).message}; the tests run here`);
    return [];
  }
  const policy = await policyAt(workspace, await ordinaryComparison(workspace.git, subject));
  const limit = { now: now(), maxAgeMs: policy.maxAgeMs };
  const assessed = await assessContents(lookAt(workspace), subject, items, limit);
  const elsewhere = assessed.flatMap((it) => {
    const by = it.status.valid ? it.status.by : undefined;
    return by?.kind === 'passed' && by.source !== null ? [{ assessed: it, by }] : [];
  });
  if (subject.kind === 'worktree') {
    for (const { assessed } of elsewhere) settlePending(workspace, assessed.feature.name);
  }
  return elsewhere;
}

/** Sends what was just verified, without keeping anybody from going on. */
export async function sendAside(context: AppContext, workspace: Workspace): Promise<void> {
  const team = teamOf(workspace);
  if (team === undefined || workspace.git === undefined) return;
  try {
    const { waiting, why } = await send(context, workspace, team, 2 * ASIDE_MS);
    const [first = 'more than one round takes'] = why;
    if (waiting > 0) context.progress(`for the team ${waiting} to be sent: ${first}`);
  } catch (error) {
    if (!(error instanceof ExplainedError)) throw error;
    const waiting = outboxStore(workspace.store).toSend(workspace.projectId, 500).length;
    context.progress(
      `for the team ${waiting} to be sent, by \`lanehold team sync\`: ${error.message}`,
    );
  }
}
