import type { ComponentChildren, RefObject } from 'preact';
import { useEffect, useLayoutEffect, useRef, useState } from 'preact/hooks';

/** Rows beyond what is seen, so that fast scrolling shows no gaps. */
const SPARE_ROWS = 12;
/** Rows from the end at which more are asked for. */
const END_ROWS = 60;

interface VirtualListProps<Item extends { readonly key: string }> {
  readonly label: string;
  readonly items: readonly Item[];
  /** All rows are as high, in CSS pixels. */
  readonly rowHeight: number;
  readonly draw: (item: Item) => ComponentChildren;
  /** Called when the end comes into sight. */
  readonly onEnd: () => void;
}

interface Stretch {
  readonly from: number;
  readonly to: number;
}

/** A long list of which only the rows in sight are in the document. */
export function VirtualList<Item extends { readonly key: string }>(props: VirtualListProps<Item>) {
  const { items, rowHeight, draw, label } = props;
  const list = useRef<HTMLOListElement>(null);
  const { from, to } = useStretch(list, props);
  return (
    <ol class="rows" ref={list} aria-label={label} style={{ height: `${items.length * rowHeight}px` }}>
      {items.slice(from, to).map((item, index) => (
        <li
          key={item.key}
          class="row"
          aria-setsize={items.length}
          aria-posinset={from + index + 1}
          style={{ transform: `translateY(${(from + index) * rowHeight}px)`, height: `${rowHeight}px` }}
        >
          {draw(item)}
        </li>
      ))}
    </ol>
  );
}

/** Which rows are in sight, with some to spare. What is in sight stays there when rows come above it. */
function useStretch(
  list: RefObject<HTMLOListElement | null>,
  {
    items,
    rowHeight,
    onEnd,
  }: Pick<VirtualListProps<{ readonly key: string }>, 'items' | 'rowHeight' | 'onEnd'>,
): Stretch {
  const [stretch, setStretch] = useState<Stretch>({ from: 0, to: 40 });
  const held = useRef<{ key: string; offset: number } | null>(null);
  const measure = (isScrolled: boolean) => {
    const { scroller, top } = findScroller(list.current);
    if (scroller === null) return;
    const hidden = Math.max(0, scroller.scrollTop - top);
    const first = Math.floor(hidden / rowHeight);
    const from = Math.max(0, first - SPARE_ROWS);
    const to = Math.ceil((hidden + scroller.clientHeight) / rowHeight) + SPARE_ROWS;
    setStretch((known) => (known.from === from && known.to === to ? known : { from, to }));
    const anchor = hidden > rowHeight / 2 ? items[first] : undefined;
    held.current = anchor === undefined ? null : { key: anchor.key, offset: hidden - first * rowHeight };
    // Without scrolling only what fills the window is asked for: a story may hold thousands of lines.
    if (to + (isScrolled ? END_ROWS : -SPARE_ROWS) > items.length) onEnd();
  };
  useLayoutEffect(() => {
    const { scroller, top } = findScroller(list.current);
    const anchor = held.current;
    if (scroller !== null && anchor !== null) {
      const index = items.findIndex(({ key }) => key === anchor.key);
      const wanted = top + index * rowHeight + anchor.offset;
      if (index >= 0 && Math.abs(scroller.scrollTop - wanted) >= 1) scroller.scrollTop = wanted;
    }
    measure(false);
  }, [items, rowHeight]);
  useEffect(() => {
    const { scroller } = findScroller(list.current);
    const onScroll = () => measure(true);
    scroller?.addEventListener('scroll', onScroll, { passive: true });
    window.addEventListener('resize', onScroll);
    return () => {
      scroller?.removeEventListener('scroll', onScroll);
      window.removeEventListener('resize', onScroll);
    };
  }, [items, rowHeight]);
  return stretch;
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
