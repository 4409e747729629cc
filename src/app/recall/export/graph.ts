/**
 * The records of a project as a graph: sessions with their events as a linked list, notes, features, runs with lanes,
 * commits, and the files that all of these are about.
 *
 * The parts are made one by one, each link after its nodes, so that a long history is never in memory as a whole. The
 * same store gives the same parts in the same order.
 */
import { basename } from 'node:path';
import type { Feature } from '../../../base/config/feature.ts';
import { redact } from '../../../base/text/redact/redact.ts';
import { sha256 } from '../../../base/text/sha256.ts';
import { worktreeRegistry } from '../../../features/registry.ts';
import type { Workspace } from '../../../features/workspace.ts';
import { indexNotes } from '../../../recall/notes.ts';
import { summaryId } from '../../../recall/summaries.ts';
import { codeStore } from '../../../store/code-index.ts';
import { laneStore, runStore } from '../../../store/lanes.ts';
import { observationStore, type RecordedSessionRow } from '../../../store/observations.ts';
import { recallStore } from '../../../store/recall.ts';

export type Value = string | number | readonly string[];

/** The kind of a node, and its id among those of the kind. */
export type NodeName = readonly [node: string, id: string];

export interface GraphNode {
  readonly name: NodeName;
  /** The values without secrets. Times are ISO 8601. */
  readonly values: Readonly<Record<string, Value>>;
}

export interface GraphLink {
  readonly link: string;
  readonly from: NodeName;
  readonly to: NodeName;
}

export type GraphPart = GraphNode | GraphLink;

export async function projectGraph(workspace: Workspace): Promise<Iterable<GraphPart>> {
  indexNotes(workspace);
  const { features } = await worktreeRegistry(workspace);
  return partsOf(workspace, [...features.values()]);
}

interface Known extends Workspace {
  readonly project: NodeName;
  /** The nodes by the names that links use: `commit:…`, `feature:…`, `session:…`, a file, the id of a note. */
  readonly nodes: Map<string, NodeName>;
}

function* partsOf(workspace: Workspace, features: readonly Feature[]): Generator<GraphPart> {
  const { identity, root } = workspace.place;
  const project: NodeName = ['Project', `pr-${sha256(identity).slice(0, 8)}`];
  const known: Known = { ...workspace, project, nodes: new Map() };
  yield node(project, { title: basename(root) });
  yield* featureParts(known, features);
  yield* laneParts(known);
  yield* commitParts(known);
  yield* sessionParts(known);
  yield* noteParts(known);
}

function* featureParts(known: Known, features: readonly Feature[]): Generator<GraphPart> {
  const { project, nodes } = known;
  const nameOf = (name: string): NodeName => ['Feature', `${project[1]}:${name}`];
  for (const { name, description, files, smoke } of sorted(features, (it) => it.name)) {
    nodes.set(`feature:${name}`, nameOf(name));
    const smokeTests = smoke.map(({ command }) => command);
    yield node(nameOf(name), { title: name, text: description, patterns: files, smokeTests });
    yield link('PART_OF', nameOf(name), project);
  }
  for (const { name, dependsOn } of features) {
    for (const other of dependsOn) yield* linkTo(known, 'NEEDS', nameOf(name), `feature:${other}`);
  }
}

function* laneParts({ store, projectId, project }: Known): Generator<GraphPart> {
  for (const run of runStore(store).all(projectId)) {
    const { id, name, goal, intent, createdAt } = run;
    yield node(['Run', id], { title: name, text: goal, state: intent, at: createdAt });
    yield link('PART_OF', ['Run', id], project);
    for (const lane of laneStore(store).ofRun(id)) {
      const { key, spec, state, branch, headSha } = lane;
      const values = { title: key, text: spec.desc, state, branch, commit: headSha };
      yield node(['Lane', lane.id], values);
      yield link('PART_OF', ['Lane', lane.id], ['Run', id]);
    }
    for (const { laneId, needsLaneId } of laneStore(store).depsOfRun(id)) {
      yield link('NEEDS', ['Lane', laneId], ['Lane', needsLaneId]);
    }
  }
}

function* commitParts(known: Known): Generator<GraphPart> {
  const { store, projectId, nodes } = known;
  for (const { oid, at, files, title } of codeStore(store).commits(projectId)) {
    const name: NodeName = ['Commit', oid];
    nodes.set(`commit:${oid}`, name);
    yield node(name, { title, at });
    yield* fileLinks(known, 'CHANGED', name, files);
  }
}

function* sessionParts(known: Known): Generator<GraphPart> {
  const { store, projectId, project, nodes } = known;
  for (const row of observationStore(store).sessions(projectId, -1).reverse()) {
    const name: NodeName = ['Session', summaryId(row)];
    nodes.set(`session:${row.session}`, name);
    const { agent, session, began, last } = row;
    yield node(name, { agent, session, at: new Date(began), until: new Date(last) });
    yield link('PART_OF', name, project);
    yield* eventParts(known, row, name);
  }
}

function* eventParts(
  known: Known,
  { agent, session }: RecordedSessionRow,
  of: NodeName,
): Generator<GraphPart> {
  let before: NodeName | undefined;
  for (const it of observationStore(known.store).ofSession(agent, session)) {
    if (it.projectId !== known.projectId) continue;
    const { at, kind, name: title, category, text, rules, files, outcome, outputBytes } = it;
    const name: NodeName = ['Event', `${of[1]}:${it.id}`];
    yield node(name, { at, kind, title, category, text, rules, files, outcome, outputBytes });
    yield before === undefined ? link('FIRST', of, name) : link('NEXT', before, name);
    yield* fileLinks(known, 'TOUCHED', name, files);
    before = name;
  }
}

function* noteParts(known: Known): Generator<GraphPart> {
  const { store, projectId, project, nodes } = known;
  const items = sorted(recallStore(store).list(projectId), ({ uid }) => uid);
  for (const { uid } of items) nodes.set(uid, ['Note', uid]);
  for (const it of items) {
    const { kind, status, title, body, conditions, files, commands, source, agent, at } = it;
    const values = { kind, status, title, text: body, conditions, files, commands, source };
    yield node(['Note', it.uid], { ...values, agent, at, checked: it.checkedAt, why: it.why });
  }
  for (const { uid, projectId: of, files, links, session } of items) {
    const name: NodeName = ['Note', uid];
    if (of !== null) yield link('PART_OF', name, project);
    yield* fileLinks(known, 'ABOUT', name, files);
    for (const it of links) yield* linkTo(known, 'LINKS', name, it);
    if (session !== null) yield* linkTo(known, 'CAME_FROM', name, `session:${session}`);
  }
}

function* fileLinks(
  { nodes, project }: Known,
  kind: string,
  from: NodeName,
  files: readonly string[],
): Generator<GraphPart> {
  for (const path of new Set(files.map(redact))) {
    const key = `file:${path}`;
    const known = nodes.get(key);
    const name = known ?? (['File', `${project[1]}:${path}`] as const);
    if (known === undefined) yield node(name, { path });
    nodes.set(key, name);
    yield link(kind, from, name);
  }
}

/** A link, unless its node is missing. */
function* linkTo(
  { nodes }: Known,
  kind: string,
  from: NodeName,
  target: string,
): Generator<GraphPart> {
  const to = nodes.get(target);
  if (to !== undefined) yield link(kind, from, to);
}

const link = (kind: string, from: NodeName, to: NodeName): GraphLink => ({ link: kind, from, to });

type Raw = Value | Date | null;

/** A node without its empty fields; documents may be written by hand, and older rows had other rules. */
function node(name: NodeName, raw: Readonly<Record<string, Raw>>): GraphNode {
  const values = Object.entries(raw).flatMap(([key, value]) => {
    const found = clean(value);
    return found === undefined ? [] : [[key, found]];
  });
  return { name, values: Object.fromEntries(values) };
}

function clean(value: Raw): Value | undefined {
  if (value === null || value === '') return undefined;
  if (value instanceof Date) return value.toISOString();
  if (typeof value === 'number') return value;
  if (typeof value === 'string') return redact(value);
  return value.length === 0 ? undefined : value.map(redact);
}

const sorted = <T>(items: readonly T[], by: (it: T) => string): T[] =>
  items.toSorted((a, b) => (by(a) < by(b) ? -1 : 1));
