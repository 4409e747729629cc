/** The result of an integration and of landing it: the verdict first. */

import type { IntegrationReport } from '../../lanes/integration/integrate.ts';
import type { LandReport } from '../../lanes/integration/land.ts';
import { shortRef } from '../../lanes/integration/repository.ts';
import { enumerated, plural } from '../../text/count.ts';
import { printableLine } from '../../text/printable.ts';
import { renderTable } from './table.ts';

const MOST = 5;

export function integrationText(report: IntegrationReport): string {
  const rows = rowsOf(report);
  return [
    verdict(report),
    ...(rows.length === 0 ? [] : [renderTable(rows)]),
    ...targetLines(report),
    ...featureLines(report),
    ...hints(report),
  ].join('\n');
}

function verdict({ integrated, stopped, target, ...report }: IntegrationReport): string {
  const names = enumerated(
    integrated.map(({ lane }) => lane),
    20,
  );
  const refused = report.culprits.length + report.conflicts.length + report.withheld.length;
  if (stopped !== undefined) return `Nothing integrated: ${printableLine(stopped, 240)}`;
  const all = integrated.length + refused;
  if (all === 0) {
    return target.state === 'merged'
      ? `Brought ${shortRef(target.ref)} into the integration`
      : 'Nothing to integrate';
  }
  if (integrated.length === 0) return `Integrated none of ${plural(all, 'lane')}`;
  const of = refused === 0 ? '' : ` of ${all}`;
  return `Integrated ${integrated.length}${of}: ${names}`;
}

function rowsOf(report: IntegrationReport): string[][] {
  return [
    ...report.culprits.map((it) => {
      const beside = it.with.length === 0 ? '' : `, merged with ${enumerated(it.with, MOST)}`;
      const failures = it.failures.length === 0 ? '' : `: ${enumerated(it.failures, MOST)}`;
      const what = `breaks \`${printableLine(it.command, 80)}\`${beside}${failures}`;
      return [`  ${it.lane}`, 'culprit', what];
    }),
    ...report.conflicts.map((it) => {
      const rivals = it.with.length === 0 ? '' : `with ${enumerated(it.with, MOST)} `;
      return [`  ${it.lane}`, 'conflict', `${rivals}in ${enumerated(it.paths, MOST)}`];
    }),
    ...report.withheld.map((it) => [`  ${it.lane}`, 'held', printableLine(it.why, 160)]),
    ...report.unfinished.map((it) => [`  ${it.lane}`, it.state, unfinishedText(it.state)]),
  ];
}

function unfinishedText(state: string): string {
  return wasRefused(state) ? 'since an earlier integration' : 'not verified';
}

const wasRefused = (state: string): boolean => state === 'conflict' || state === 'culprit';

function targetLines({ target }: IntegrationReport): string[] {
  const name = shortRef(target.ref);
  switch (target.state) {
    case 'current':
      return [];
    case 'merged':
      return [`What ${name} got meanwhile is in`];
    case 'conflict':
      return [
        `${name} has moved on and conflicts in ${enumerated(target.paths, MOST)}`,
        `hint: add a lane that merges it: \`lanehold orchestrate lane add merge-target --desc 'Merge …' --validate '…'\``,
      ];
    case 'culprit':
      return [
        `${name} has moved on, and with it the integration fails \`${printableLine(target.command, 80)}\``,
        'hint: add a lane that brings the two together',
      ];
  }
}

function featureLines({ features }: IntegrationReport): string[] {
  if (!features.known) {
    return [`What the gate would say is not known: ${printableLine(features.why, 160)}`];
  }
  if (features.held.length === 0) return [];
  return [`A push would be held: ${enumerated(features.held, MOST)} not verified for the tip`];
}

function hints(report: IntegrationReport): string[] {
  const { culprits, conflicts, integrated, features, run } = report;
  const before = report.unfinished.filter(({ state }) => wasRefused(state));
  const [broken] = [...culprits, ...conflicts, ...before];
  const held = features.known ? features.held : [];
  return [
    ...(broken === undefined
      ? []
      : [
          `hint: \`lanehold orchestrate retry ${broken.lane} --run ${run}\` lets its worker repair it`,
        ]),
    ...(integrated.length === 0 ? [] : [`hint: \`lanehold orchestrate land --run ${run}\``]),
    ...(held.length === 0 ? [] : ['hint: after landing, `lanehold feature verify --pending`']),
  ];
}

export function landText(report: LandReport): string {
  const name = shortRef(report.target);
  if (report.verdict === 'held') {
    return `Not landed: ${printableLine(report.why, 400)}\nhint: ${printableLine(report.hint, 400)}`;
  }
  const { lanes, left, closed, run } = report;
  const rest = left.map((it) => [`  ${it.lane}`, it.state]);
  return [
    `Landed ${enumerated(lanes, 20)} on ${name}`,
    ...(closed ? [`Run ${run} is closed`] : []),
    ...(rest.length === 0 ? [] : ['Left to do:', renderTable(rest)]),
  ].join('\n');
}
