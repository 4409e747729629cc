/** Which lanes need which others. */
import type { JSX } from 'preact';
import { addressOf } from '../base/route.ts';
import { Graph } from '../parts/graph.tsx';
import { shownState } from '../parts/lane-state.ts';
import { Nothing } from '../parts/layout.tsx';
import { Glyph, wordOf } from '../parts/state.tsx';
import type { LaneTile } from '../types.ts';

export function Needed({ lanes }: { lanes: readonly LaneTile[] }): JSX.Element {
  const edges = lanes.flatMap(({ key, spec }) => spec.needs.map((it) => [it, key] as const));
  const nodes = lanes.map((lane) => ({
    id: lane.key,
    title: lane.key,
    about: wordOf(shownState(lane)),
    href: addressOf('lanes', lane.key),
    command: lane.help[0],
    glyph: <Glyph state={shownState(lane)} />,
  }));
  return (
    <>
      {edges.length === 0 && <Nothing>No lane of this run needs another one.</Nothing>}
      <Graph label="An arrow leads to what needs it" nodes={nodes} edges={edges} selected={null} />
    </>
  );
}
