/**
 * A long list of rows of unequal height of which only those near the window are in the document.
 *
 * Up to `PLAIN_ROWS` all rows are drawn: the browser's own search and a screen reader then find them.
 */
import {
  elementScroll,
  observeElementOffset,
  observeElementRect,
  observeWindowOffset,
  observeWindowRect,
  Virtualizer,
  type VirtualizerOptions,
  windowScroll,
} from '@tanstack/virtual-core';
import type { ComponentChildren, RefObject } from 'preact';
import { useLayoutEffect, useReducer, useRef, useState } from 'preact/hooks';

const PLAIN_ROWS = 150;

interface Rows {
  readonly count: number;
  /** The height in pixels that a row is taken to have until it was drawn. */
  readonly estimate: (index: number) => number;
  readonly keyOf: (index: number) => string;
  readonly children: (index: number) => ComponentChildren;
  readonly class?: string;
  readonly rowClass?: (index: number) => string;
  /** Says that the rows are items of a list; what they are is said elsewhere if it is absent. */
  readonly listLabel?: string;
  /** Given if the rows scroll inside an element; they scroll with the page otherwise. */
  readonly scroller?: RefObject<HTMLElement | null>;
  /** Stays at the end when rows are added, unless the reader has scrolled away from it. */
  readonly follow?: boolean;
  /** The row to bring into view; its change moves the list. */
  readonly reveal?: number | undefined;
}

export function VirtualList(props: Rows) {
  return props.count <= PLAIN_ROWS ? <PlainRows {...props} /> : <WindowOfRows {...props} />;
}

function PlainRows({ scroller, follow, ...props }: Rows) {
  const { count } = props;
  const wasAtEnd = useRef(true);
  useLayoutEffect(() => {
    const element = scroller?.current;
    if (!follow || !element) return;
    if (wasAtEnd.current) element.scrollTop = element.scrollHeight;
    const look = () => {
      wasAtEnd.current = element.scrollHeight - element.scrollTop - element.clientHeight < 24;
    };
    element.addEventListener('scroll', look, { passive: true });
    return () => element.removeEventListener('scroll', look);
  }, [count, follow, scroller]);
  return (
    <div class={props.class} {...listRole(props)}>
      {Array.from({ length: count }, (_, index) => (
        <Row key={props.keyOf(index)} index={index} {...props} />
      ))}
    </div>
  );
}

function WindowOfRows(props: Rows) {
  const outer = useRef<HTMLDivElement>(null);
  const virtual = useVirtualizer(props, outer);
  const items = virtual.getVirtualItems();
  const { scrollMargin } = virtual.options;
  const { reveal, follow, count } = props;
  useLayoutEffect(() => {
    if (follow) virtual.scrollToIndex(count - 1, { align: 'end' });
  }, [virtual]);
  useLayoutEffect(() => {
    if (reveal !== undefined) virtual.scrollToIndex(reveal, { align: 'auto' });
  }, [reveal, virtual]);
  return (
    <div ref={outer} class={props.class} style={{ height: `${virtual.getTotalSize()}px` }}>
      <div
        {...listRole(props)}
        style={{ transform: `translateY(${(items[0]?.start ?? 0) - scrollMargin}px)` }}
      >
        {items.map(({ index, key }) => (
          <Row key={key} index={index} {...props} measure={virtual.measureElement} />
        ))}
      </div>
    </div>
  );
}

function Row({
  index,
  count,
  children,
  rowClass,
  listLabel,
  measure,
}: Rows & { index: number; measure?: (element: HTMLElement | null) => void }) {
  const place =
    listLabel === undefined
      ? {}
      : { role: 'listitem' as const, 'aria-posinset': index + 1, 'aria-setsize': count };
  return (
    <div class={rowClass?.(index)} data-index={index} ref={measure ?? null} {...place}>
      {children(index)}
    </div>
  );
}

const listRole = ({ listLabel }: Rows) =>
  listLabel === undefined ? {} : { role: 'list' as const, 'aria-label': listLabel };

/** Binds the virtualizer, which knows no framework, to the life of a component. */
function useVirtualizer(rows: Rows, outer: RefObject<HTMLElement | null>) {
  const [, draw] = useReducer((n: number) => n + 1, 0);
  const top = useTopOnPage(outer, rows.scroller === undefined);
  const common = {
    count: rows.count,
    estimateSize: rows.estimate,
    getItemKey: rows.keyOf,
    overscan: 12,
    onChange: () => draw(undefined),
    ...(rows.follow ? { anchorTo: 'end' as const, followOnAppend: true } : {}),
  };
  const options = (
    rows.scroller === undefined
      ? {
          ...common,
          getScrollElement: () => window,
          observeElementRect: observeWindowRect,
          observeElementOffset: observeWindowOffset,
          scrollToFn: windowScroll,
          initialOffset: () => window.scrollY,
          scrollMargin: top,
        }
      : {
          ...common,
          getScrollElement: () => rows.scroller?.current ?? null,
          observeElementRect,
          observeElementOffset,
          scrollToFn: elementScroll,
        }
  ) as VirtualizerOptions<Element | Window, HTMLElement>;
  const [virtual] = useState(() => new Virtualizer(options));
  virtual.setOptions(options);
  useLayoutEffect(() => virtual._didMount(), [virtual]);
  useLayoutEffect(() => virtual._willUpdate());
  return virtual;
}

/** Follows how far below the top of the page an element begins, which changes with what is above it. */
function useTopOnPage(element: RefObject<HTMLElement | null>, follows: boolean): number {
  const [top, setTop] = useState(0);
  useLayoutEffect(() => {
    if (!follows) return;
    const look = () =>
      setTop(Math.round((element.current?.getBoundingClientRect().top ?? 0) + window.scrollY));
    look();
    const observer = new ResizeObserver(look);
    observer.observe(document.body);
    return () => observer.disconnect();
  }, [element, follows]);
  return top;
}
