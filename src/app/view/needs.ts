/** The first view: what waits for a person in a project, the most urgent first. Reads only, and starts no git. */
import { basename, dirname } from 'node:path';
import { AGENTS } from '../../agents/registry.ts';
import { enumerated, plural, shortRef } from '../../base/text/printable.ts';
import { age } from '../../base/text/time.ts';
import { HISTORY, isNoFailure, shortcoming } from '../../features/reason.ts';
import { reasonText } from '../../gate/denial.ts';
import { notedPushes } from '../../gate/noted-pushes.ts';
import { readBoard } from '../../lanes/look/board.ts';
import { inOrder, type Need, needCommands, needsOfRun } from '../../lanes/look/needs.ts';
import { is } from '../../lanes/spec/lane-states.ts';
import { expectedAgents } from '../../moments/watch/expected.ts';
import { type HookGap, hookGaps } from '../../moments/watch/gaps.ts';
import { evidenceStore } from '../../store/evidence.ts';
import type { HeldPush } from '../../store/held-pushes.ts';
import { runStore } from '../../store/lanes.ts';
import { proposalStore } from '../../store/proposals.ts';
import { recallStore } from '../../store/recall.ts';
import { type AppContext, openProject } from '../context.ts';
import type { AsJson } from './as-json.ts';

export type NeedsView = AsJson<Awaited<ReturnType<typeof needsView>>>;

export async function needsView(context: AppContext) {
  const { store, place, projectId } = await openProject(context);
  const { env } = context;
  const now = context.now();
  const boards = runStore(store)
    .open(projectId)
    .map((run) => readBoard({ store, env, now: () => now }, run));
  const lanes = boards.flatMap((board) => board.lanes);
  const pushes = notedPushes(store, projectId, now);
  const gaps = await hookGaps({ env, root: place.root, now, program: () => 'lanehold' }, store);
  const isSetUp = boards.length > 0 || expectedAgents(env, place.root).length > 0;
  const waiting = proposalStore(store).waiting(projectId);
  const suggested = recallStore(store)
    .list(projectId)
    .filter(({ status }) => status === 'suggested');
  const needs = inOrder([
    // Accounts are shared by all runs, so each of their needs is listed once.
    ...new Map(boards.flatMap(needsOfRun).map((it) => [it.id, it])).values(),
    ...pushes.map((push) => pushNeed(push, whyHeld(evidenceStore(store), projectId, push, now))),
    ...gaps.map(gapNeed),
    ...(isSetUp ? [] : [NOT_SET_UP]),
    ...groupNeed('proposals', waiting, 'lanehold dream list', ({ why }) => why),
    ...groupNeed('suggestions', suggested, 'lanehold note suggestions', ({ title }) => title),
  ]);
  return {
    at: now,
    project: {
      name: basename(place.kind === 'git' ? dirname(place.identity) : place.root),
      root: place.root,
    },
    needs,
    /** The work that continues without a person, for a view in which nobody is needed. */
    quiet: {
      atWork: lanes.filter(({ state }) => is('moving', state)).length,
      lanes: lanes.length,
      runs: boards.map(({ run }) => run.name),
      held: pushes.length,
    },
  };
}

/** The reason of a hold, as far as the evidence for the held content shows it. */
function whyHeld(
  evidence: ReturnType<typeof evidenceStore>,
  projectId: number,
  { features, at: heldAt }: HeldPush,
  now: Date,
): string {
  const why = ({ name, fingerprint }: HeldPush['features'][number]) => {
    const last = evidence.ofContent(projectId, fingerprint).at(0);
    if (last === undefined) {
      const before = evidence.ofFeature(projectId, name, HISTORY).find(isNoFailure);
      if (before === undefined) return reasonText({ kind: 'never-verified' }, now);
      // Only git can tell whether a later verification is newer than the content that would leave.
      if (before.at > heldAt) return 'not verified as it would leave';
      return reasonText({ kind: 'changed-since', evidence: before, files: undefined }, now);
    }
    const lack = shortcoming(last, now);
    if (lack !== 'too-old') return reasonText({ kind: lack, evidence: last }, now);
    const { kind, at, besides } = last;
    const paths = besides.map(({ path }) => path);
    const beside = paths.length === 0 ? '' : ` beside ${enumerated(paths, 3)}`;
    // Only git and the policy can tell which of them leave, and how old the evidence may be.
    return `it ${kind === 'passed' ? kind : `was ${kind}`} ${age(at, now)}${beside}: see \`lanehold feature pending\``;
  };
  const reasons = [...Map.groupBy(features, why)].map(([reason, them]) => {
    const names = them.map(({ name }) => name);
    return `${enumerated(names, 3)}: ${reason}`;
  });
  return reasons.join('; ');
}

type Named = readonly Pick<HeldPush['features'][number], 'name'>[];

const whichOf = (features: Named, source: string): string =>
  `${[...new Set(features.map(({ name }) => name))].join(' ')} --at ${shortRef(source)}`;

/** The command that verifies the features of a push, by the name of its branch. */
export const verifyPush = (features: Named, source: string): string =>
  `lanehold feature verify ${whichOf(features, source)}`;

function pushNeed({ remote, source, features, firstAt, tries }: HeldPush, text: string): Need {
  const which = whichOf(features, source);
  const waive = `lanehold feature waive ${which} --reason 'REASON'`;
  return {
    id: `held.${shortRef(source)}.${remote}`,
    kind: 'held',
    subject: `${shortRef(source)} → ${remote}`,
    since: firstAt,
    text,
    whole: `${text}. It was tried ${plural(tries, 'time')}.`,
    commands: needCommands([verifyPush(features, source), waive]),
    lane: null,
  };
}

function gapNeed({ agent, kind, since, fact, repair }: HookGap): Need {
  const title = AGENTS.find(({ name }) => name === agent)?.title ?? agent;
  const gone = kind === 'gone' ? [`lanehold uninstall --agent ${agent}`] : [];
  return {
    id: `unguarded.${agent}.${kind}`,
    kind: 'unguarded',
    subject: title,
    since,
    text: kind === 'gone' ? 'its hooks are gone' : fact,
    whole: fact,
    commands: needCommands([repair, ...gone]),
    lane: null,
  };
}

/** Without a hook, nothing is checked before it leaves. */
const NOT_SET_UP: Need = {
  id: 'unguarded',
  kind: 'unguarded',
  subject: 'this project',
  since: null,
  text: 'no agent has its hooks here yet',
  whole: 'No agent has its hooks here yet, or none has run: nothing that agents do is held.',
  commands: needCommands(['lanehold init']),
  lane: null,
};

/** Things of one kind, about which a person decides one after the other. */
function groupNeed<T extends { readonly at: Date }>(
  kind: 'proposals' | 'suggestions',
  all: readonly T[],
  command: string,
  textOf: (it: T) => string,
): Need[] {
  if (all.length === 0) return [];
  const since = new Date(Math.min(...all.map(({ at }) => at.getTime())));
  const text = enumerated(all.map(textOf), 1);
  const subject = plural(all.length, kind.slice(0, -1));
  const whole = all.map(textOf).join('\n');
  return [
    { id: kind, kind, subject, since, text, whole, commands: needCommands([command]), lane: null },
  ];
}
