/** Places the nodes of a graph in layers from left to right; loaded when a graph is opened. */
import { Graph, layout } from '@dagrejs/dagre';

export interface Placed {
  readonly width: number;
  readonly height: number;
  readonly nodes: ReadonlyMap<string, Point>;
  readonly edges: readonly { readonly from: string; readonly to: string; readonly path: string }[];
}

interface Point {
  readonly x: number;
  readonly y: number;
}

export interface Sizes {
  readonly nodeWidth: number;
  readonly nodeHeight: number;
  readonly gapX: number;
  readonly gapY: number;
  /** The width that is there; nodes without an edge fill lines of it below the rest. */
  readonly width: number;
}

const ARROW = 7;

export function placeGraph(
  ids: readonly string[],
  edges: readonly (readonly [from: string, to: string])[],
  sizes: Sizes,
): Placed {
  const linked = new Set(edges.flat());
  const graph = new Graph();
  graph.setGraph({
    rankdir: 'LR',
    nodesep: sizes.gapY,
    ranksep: sizes.gapX,
    marginx: 2,
    marginy: 2,
  });
  graph.setDefaultEdgeLabel(() => ({}));
  for (const id of ids.filter((it) => linked.has(it))) {
    graph.setNode(id, { width: sizes.nodeWidth, height: sizes.nodeHeight });
  }
  for (const [from, to] of edges) graph.setEdge(from, to);
  if (linked.size > 0) layout(graph);

  const lines = graph.edges().map(({ v, w }) => {
    const points: Point[] = graph.edge(v, w).points ?? [];
    return { from: v, to: w, points };
  });
  // The layout counts the nodes alone: an edge around them may run outside of what it calls its size.
  const points = lines.flatMap((it) => it.points);
  const above = Math.max(0, ...points.map(({ y }) => 2 - y));
  const corner = (id: string): Point => {
    const { x = 0, y = 0 } = graph.node(id);
    return { x: x - sizes.nodeWidth / 2, y: above + y - sizes.nodeHeight / 2 };
  };
  /** The middle of the left or right side of a node, where lines end and begin. */
  const side = (id: string, right: number): Point => {
    const { x, y } = corner(id);
    return { x: x + right, y: y + sizes.nodeHeight / 2 };
  };
  const lowered = ({ x, y }: Point): Point => ({ x, y: y + above });
  const nodes = new Map([...linked].map((id) => [id, corner(id)]));
  const size = {
    width: linked.size > 0 ? (graph.graph().width ?? 0) : 0,
    height:
      above +
      Math.max(
        0,
        linked.size > 0 ? (graph.graph().height ?? 0) : 0,
        ...points.map(({ y }) => y + 2),
      ),
  };
  const below = rowsOf(
    ids.filter((it) => !linked.has(it)),
    sizes,
    linked.size > 0 ? size.height + sizes.gapY : 2,
  );
  for (const [id, point] of below.nodes) nodes.set(id, point);
  return {
    width: Math.max(size.width, below.width),
    height: Math.max(size.height, below.height),
    nodes,
    edges: lines.map(({ from, to, points }) => ({
      from,
      to,
      path: curve([side(from, sizes.nodeWidth), ...points.slice(1, -1).map(lowered), side(to, 0)]),
    })),
  };
}

function rowsOf(
  ids: readonly string[],
  { nodeWidth, nodeHeight, gapY, width }: Sizes,
  top: number,
) {
  const gap = Math.min(gapY, 16);
  const columns = Math.max(1, Math.floor((width - 4 + gap) / (nodeWidth + gap)));
  const nodes = ids.map((id, index): [string, Point] => [
    id,
    {
      x: 2 + (index % columns) * (nodeWidth + gap),
      y: top + Math.floor(index / columns) * (nodeHeight + gap),
    },
  ]);
  const last = nodes.at(-1)?.[1];
  return {
    nodes,
    width: ids.length === 0 ? 0 : 4 + Math.min(ids.length, columns) * (nodeWidth + gap) - gap,
    height: last ? last.y + nodeHeight + 2 : 0,
  };
}

/** A line through the points that is level at each of them, and stops where the head of its arrow begins. */
function curve(points: readonly Point[]): string {
  const [first, ...rest] = points;
  const last = rest.pop();
  if (!first || !last) return '';
  // The one point between neighbours is in the middle of the way: there is nothing to go around.
  const stops = [...(rest.length > 1 ? rest : []), { x: last.x - ARROW, y: last.y }];
  const parts = stops.map((to, index) => {
    const from = stops[index - 1] ?? first;
    const middle = (from.x + to.x) / 2;
    return `C${at({ x: middle, y: from.y })} ${at({ x: middle, y: to.y })} ${at(to)}`;
  });
  return `M${at(first)}${parts.join('')}`;
}

const at = ({ x, y }: Point): string => `${x.toFixed(1)} ${y.toFixed(1)}`;
