/** A graph of what needs what, drawn when its code is loaded; on a phone, and until then, a list. */
import type { ComponentChildren } from 'preact';
import { useEffect, useMemo, useRef, useState } from 'preact/hooks';
import { isPhone } from '../base/media.ts';
import type { placeGraph } from './graph-layout.ts';
import { onDemand } from './loaded.ts';

export interface GraphNode {
  readonly id: string;
  readonly title: string;
  /** A second line, in words. */
  readonly about: string;
  readonly href: string;
  /** What a key copies of it. */
  readonly command?: string | undefined;
  readonly glyph: ComponentChildren;
  /** What else is to be seen of it, such as its states elsewhere. */
  readonly marks?: readonly { readonly word: string; readonly glyph: ComponentChildren }[];
}

interface GraphProps {
  readonly label: string;
  readonly nodes: readonly GraphNode[];
  /** Each from what is needed to what needs it. */
  readonly edges: readonly (readonly [from: string, to: string])[];
  readonly selected: string | null;
}

/** From so many nodes on each is one line. */
const DENSE_FROM = 25;
const ROOMY = { nodeWidth: 176, nodeHeight: 48, gapX: 56, gapY: 24 };
const DENSE = { nodeWidth: 160, nodeHeight: 28, gapX: 40, gapY: 8 };
const useLayout = onDemand(() => import('./graph-layout.ts'));

export function Graph(props: GraphProps) {
  const frame = useRef<HTMLDivElement>(null);
  const width = useWidth(frame);
  const place = useLayout()?.placeGraph ?? null;
  return (
    <div ref={frame} class="graph-frame">
      {isPhone.value || place === null || width === 0 ? (
        <GraphList {...props} />
      ) : (
        <Drawing {...props} place={place} width={width} />
      )}
    </div>
  );
}

function Drawing({
  label,
  nodes,
  edges,
  selected,
  place,
  width,
}: GraphProps & { place: typeof placeGraph; width: number }) {
  const node = nodes.length < DENSE_FROM ? ROOMY : DENSE;
  // Layout costs more than drawing: it is done again only if the shape has changed.
  const shape = JSON.stringify([nodes.map(({ id }) => id), edges, width]);
  const placed = useMemo(() => {
    const ids = nodes.map(({ id }) => id);
    const known = edges.filter((edge) => edge.every((it) => ids.includes(it)));
    return place(ids, known, { ...node, width });
  }, [shape, place]);
  const region = useRef<HTMLElement>(null);
  useEffect(() => {
    const at = selected === null ? undefined : placed.nodes.get(selected);
    if (at !== undefined && region.current !== null) reveal(region.current, at, node);
  }, [selected, placed, node]);
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls has to be reached by the keyboard
    <section ref={region} class="scroll" aria-label={label} tabIndex={0}>
      {/* biome-ignore lint/a11y/noSvgWithoutTitle: its links and the region around it have names */}
      <svg
        class="graph"
        width={placed.width}
        height={placed.height}
        viewBox={`0 0 ${placed.width} ${placed.height}`}
      >
        <defs>
          <marker
            id="arrow"
            viewBox="0 0 7 8"
            refX="0"
            refY="4"
            markerWidth="7"
            markerHeight="8"
            markerUnits="userSpaceOnUse"
            orient="auto"
          >
            <path class="head" d="M0 0L7 4L0 8Z" />
          </marker>
        </defs>
        {placed.edges.map(({ from, to, path }) => (
          <path
            key={`${from} ${to}`}
            class={from === selected || to === selected ? 'edge near' : 'edge'}
            d={path}
            marker-end="url(#arrow)"
          />
        ))}
        {inReadingOrder(nodes, placed).map(([it, at]) => (
          <NodeBox key={it.id} {...it} {...at} size={node} isSelected={it.id === selected} />
        ))}
      </svg>
    </section>
  );
}

/** From left to right, then down: as the keys go from one to the next. */
function inReadingOrder(nodes: readonly GraphNode[], placed: ReturnType<typeof placeGraph>) {
  return nodes
    .flatMap((node) => {
      const at = placed.nodes.get(node.id);
      return at === undefined ? [] : [[node, at] as const];
    })
    .toSorted(([, one], [, other]) => one.y - other.y || one.x - other.x);
}

/** Scrolls the drawing, and not the page around it. */
function reveal(region: HTMLElement, { x, y }: { x: number; y: number }, size: typeof ROOMY): void {
  const { scrollLeft, scrollTop, clientWidth, clientHeight } = region;
  const isSeen =
    x >= scrollLeft &&
    x + size.nodeWidth <= scrollLeft + clientWidth &&
    y >= scrollTop &&
    y + size.nodeHeight <= scrollTop + clientHeight;
  if (!isSeen) region.scrollTo(x - clientWidth / 3, y - clientHeight / 2);
}

interface BoxProps extends GraphNode {
  readonly x: number;
  readonly y: number;
  readonly size: typeof ROOMY;
  readonly isSelected: boolean;
}

function NodeBox(props: BoxProps) {
  const { title, about, href, command, glyph, marks = [], x, y, size, isSelected } = props;
  const { nodeWidth: width, nodeHeight: height } = size;
  const isDense = size === DENSE;
  const room = isDense ? 14 : 15;
  const shown = cut(title, room);
  const middle = height / 2 - 8;
  return (
    <a
      href={href}
      data-row=""
      data-follow=""
      data-command={command}
      aria-current={isSelected ? 'true' : undefined}
    >
      <g transform={`translate(${x} ${y})`}>
        {(isDense || shown !== title) && <title>{`${title}: ${about}`}</title>}
        <rect class="node" width={width} height={height} rx={4} />
        <svg x={12} y={middle} width={16} height={16} aria-hidden="true">
          {glyph}
        </svg>
        <text x={40} y={isDense ? 18 : 21}>
          {shown}
        </text>{' '}
        {!isDense && (
          <text class="about" x={40} y={37}>
            {cut(about, marks.length > 0 ? 20 : 24)}
          </text>
        )}
        {!isDense &&
          marks.map((mark, at) => (
            <svg
              key={mark.word}
              x={width - 24 - 20 * (marks.length - 1 - at)}
              y={middle}
              width={16}
              height={16}
            >
              <title>{mark.word}</title>
              {mark.glyph}
            </svg>
          ))}
      </g>
    </a>
  );
}

function GraphList({ label, nodes, edges, selected }: GraphProps) {
  return (
    <ul class="graph-list" aria-label={label}>
      {nodes.map(({ id, title, about, href, command, glyph, marks = [] }) => {
        const needs = edges.filter(([, to]) => to === id).map(([from]) => from);
        return (
          <li key={id}>
            <a
              href={href}
              data-row=""
              data-command={command}
              aria-current={id === selected ? 'true' : undefined}
            >
              {glyph}
              <b class="mono">{title}</b>
              <span class="meta about">{about}</span>
              {needs.length > 0 && <span class="meta needs">needs {needs.join(', ')}</span>}
              {marks.map(({ word }) => (
                <span key={word} class="meta needs">
                  {word}
                </span>
              ))}
            </a>
          </li>
        );
      })}
    </ul>
  );
}

/** SVG does not cut a text that is too long; both ends of a name say which it is. */
function cut(text: string, most: number): string {
  if (text.length <= most) return text;
  const tail = Math.floor(most / 3);
  return `${text.slice(0, most - tail - 1)}…${text.slice(-tail)}`;
}

function useWidth(element: { readonly current: HTMLElement | null }): number {
  const [width, setWidth] = useState(0);
  useEffect(() => {
    if (!element.current) return;
    const observer = new ResizeObserver(([entry]) =>
      setWidth(Math.floor(entry?.contentRect.width ?? 0)),
    );
    observer.observe(element.current);
    return () => observer.disconnect();
  }, [element]);
  return width;
}
