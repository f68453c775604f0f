import type { ComponentChildren, RefObject } from 'preact';
import { useEffect, useLayoutEffect, useMemo, useRef, useState } from 'preact/hooks';
import { createRowPlaces, type RowPlaces } from './row-places.ts';

/** In CSS pixels, until a row is drawn: one line, or two of a narrow window. */
const WIDE_ROW = 38;
const NARROW_ROW = 74;
const NARROW_LIST = 700;
/** Rows beyond what is seen, so that fast scrolling shows no gaps. */
const SPARE_ROWS = 12;
/** Rows from the end at which more are asked for. */
const END_ROWS = 60;

interface VirtualListProps<Item extends { readonly key: string }> {
  readonly label: string;
  /** A list of the same visit begins where the reader left it. */
  readonly visit: string;
  readonly items: readonly Item[];
  readonly draw: (item: Item) => ComponentChildren;
  /** Called when the end comes into sight. */
  readonly onEnd: () => void;
}

interface Stretch {
  readonly from: number;
  readonly to: number;
}

/** A long list of which only the rows in sight are in the document. Each is as high as what is in it. */
export function VirtualList<Item extends { readonly key: string }>(props: VirtualListProps<Item>) {
  const { items, draw, label } = props;
  const list = useRef<HTMLOListElement>(null);
  const { places, from, to } = useStretch(list, props);
  return (
    <ol class="rows" ref={list} aria-label={label} style={{ height: `${places.height}px` }}>
      {items.slice(from, to).map((item, index) => (
        <li
          key={item.key}
          class="row"
          aria-setsize={items.length}
          aria-posinset={from + index + 1}
          style={{ transform: `translateY(${places.findTop(from + index)}px)` }}
        >
          {draw(item)}
        </li>
      ))}
    </ol>
  );
}

type StretchProps = Pick<VirtualListProps<{ readonly key: string }>, 'items' | 'onEnd' | 'visit'>;

/** What the reader looks at: it stays there while rows come above it, or turn out to be higher. */
interface Held {
  readonly key: string;
  /** Of the window's edge in the row. */
  readonly offset: number;
  /** Null until the list is scrolled there. */
  readonly scrollTop: number | null;
}

/** What the reader last scrolled to, by visit. */
const left = new Map<string, Held | null>();

/** Where the rows are, and which are in sight, with some to spare. */
function useStretch(
  list: RefObject<HTMLOListElement | null>,
  { items, onEnd, visit }: StretchProps,
): Stretch & { readonly places: RowPlaces } {
  const width = useWidth(list);
  const places = useMemo(() => createRowPlaces(width > NARROW_LIST ? WIDE_ROW : NARROW_ROW), [width]);
  useMemo(() => places.list(items), [places, items]);
  const [stretch, setStretch] = useState<Stretch>({ from: 0, to: 40 });
  const [, drawAgain] = useState({});
  const held = useRef<Held | null>(returnTo(visit));
  const findStretch = (isScrolled: boolean) => {
    const { scroller, top } = findScroller(list.current);
    if (scroller === null) return;
    const { scrollTop, clientHeight } = scroller;
    const hidden = Math.max(0, scrollTop - top);
    const first = places.findRow(hidden);
    const from = Math.max(0, first - SPARE_ROWS);
    const to = places.findRow(hidden + clientHeight) + 1 + SPARE_ROWS;
    setStretch((known) => (known.from === from && known.to === to ? known : { from, to }));
    const anchor = hidden > WIDE_ROW / 2 ? items[first] : undefined;
    const offset = hidden - places.findTop(first);
    held.current = anchor === undefined ? null : { key: anchor.key, offset, scrollTop };
    if (isScrolled) left.set(visit, held.current);
    // Without scrolling only what fills the window is asked for: a group may hold thousands of lines.
    if (to + (isScrolled ? END_ROWS : -SPARE_ROWS) > items.length) onEnd();
  };
  useLayoutEffect(() => {
    if (measureRows(list.current, { places, from: stretch.from })) {
      drawAgain({});
      return;
    }
    holdStill(list.current, { places, items, held: held.current });
    findStretch(false);
  });
  useEffect(() => {
    const { scroller } = findScroller(list.current);
    const onScroll = () => findStretch(true);
    scroller?.addEventListener('scroll', onScroll, { passive: true });
    window.addEventListener('resize', onScroll);
    return () => {
      scroller?.removeEventListener('scroll', onScroll);
      window.removeEventListener('resize', onScroll);
    };
  }, [items, places, visit]);
  return { places, ...stretch };
}

function returnTo(visit: string): Held | null {
  const held = left.get(visit);
  return held == null ? null : { ...held, scrollTop: null };
}

/** Of what it scrolls in: rows are as high as their sentences are long. */
function useWidth(list: RefObject<HTMLOListElement | null>): number {
  const [width, setWidth] = useState(window.innerWidth);
  useEffect(() => {
    const { scroller } = findScroller(list.current);
    if (scroller === null) return;
    const follow = new ResizeObserver(() => setWidth(scroller.offsetWidth));
    follow.observe(scroller);
    return () => follow.disconnect();
  }, []);
  return width;
}

/** Measures the rows that are drawn. Gives whether one is not as high as it was taken for. */
function measureRows(
  list: HTMLElement | null,
  { places, from }: { readonly places: RowPlaces; readonly from: number },
): boolean {
  const heights = [...(list?.children ?? [])].map((row) => row.getBoundingClientRect().height);
  return places.measure(from, heights);
}

interface Holding {
  readonly places: RowPlaces;
  readonly items: readonly { readonly key: string }[];
  readonly held: Held | null;
}

/** Scrolls to where the held row is now, unless the reader has scrolled meanwhile. */
function holdStill(list: HTMLElement | null, { places, items, held }: Holding): void {
  const { scroller, top } = findScroller(list);
  if (scroller === null || held === null) return;
  if (held.scrollTop !== null && scroller.scrollTop !== held.scrollTop) return;
  const index = items.findIndex(({ key }) => key === held.key);
  const wanted = top + places.findTop(index) + held.offset;
  if (index >= 0 && Math.abs(scroller.scrollTop - wanted) >= 1) scroller.scrollTop = wanted;
}

function findScroller(list: HTMLElement | null): {
  readonly scroller: HTMLElement | null;
  readonly top: number;
} {
  const scroller = list?.closest<HTMLElement>('main') ?? null;
  if (list === null || scroller === null) return { scroller: null, top: 0 };
  const top = list.getBoundingClientRect().top - scroller.getBoundingClientRect().top + scroller.scrollTop;
  return { scroller, top };
}
