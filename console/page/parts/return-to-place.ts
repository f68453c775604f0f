import type { RefObject } from 'preact';
import { useEffect } from 'preact/hooks';
import { readVisit } from '../data/location.ts';

/** A screen that is not as high as it was by then stays where it is. */
const MAX_WAIT_MS = 5_000;

/** How far a visit was scrolled when it was left, in CSS pixels. */
const left = new Map<string, number>();

/** Scrolls a screen to where its visit was left, as soon as it is high enough again. */
export function useReturnToPlace(scroller: RefObject<HTMLElement | null>, view: string): void {
  useEffect(() => {
    const element = scroller.current;
    // A list in which rows come above the others finds its place by its rows.
    if (element === null || view === 'live') return;
    const wanted = left.get(readVisit()) ?? 0;
    const growth = new ResizeObserver(() => {
      if (element.scrollHeight - element.clientHeight < wanted) return;
      element.scrollTop = wanted;
      growth.disconnect();
    });
    if (wanted > 0 && element.firstElementChild !== null) growth.observe(element.firstElementChild);
    const stop = () => growth.disconnect();
    const timer = window.setTimeout(stop, MAX_WAIT_MS);
    const note = () => left.set(readVisit(), element.scrollTop);
    element.addEventListener('scroll', note, { passive: true });
    element.addEventListener('wheel', stop, { passive: true });
    element.addEventListener('touchmove', stop, { passive: true });
    return () => {
      stop();
      window.clearTimeout(timer);
      element.removeEventListener('scroll', note);
      element.removeEventListener('wheel', stop);
      element.removeEventListener('touchmove', stop);
    };
  }, [view]);
}
