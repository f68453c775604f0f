import type { PacedSource } from './paced-source.ts';
import type { PageTimes } from './watched-date.ts';

export interface WalkOptions {
  readonly source: PacedSource;
  readonly now: number;
  readonly pages: number;
  /** Pages that may be requested beyond those received. */
  readonly pagesAhead: number;
  /** No page is requested from this instant on. */
  readonly askUntil: number | undefined;
}

export interface WalkOutcome {
  readonly times: PageTimes;
  readonly complete: boolean;
  readonly startedAt: number;
  readonly endedAt: number;
}

/** Walks pages: first the one that says how many there are, then as many at once as the pace allows. */
export function walk(order: WalkOptions, done: (outcome: WalkOutcome) => void): void {
  const shownAt: number[] = [];
  const endedAt: number[] = [];
  let startedAt: number | null = null;
  let asked = 0;
  let answered = 0;
  let isOver = false;
  const askMore = (now: number): void => {
    const isLate = order.askUntil !== undefined && now >= order.askUntil && asked > 0;
    const max = answered === 0 ? 1 : Math.min(order.pages, answered + order.pagesAhead);
    while (!isLate && asked < max) askPage(now);
    isOver = asked === answered && (isLate || asked === order.pages);
    if (!isOver) return;
    done({
      times: { shownAt, endedAt },
      complete: asked === order.pages,
      startedAt: startedAt ?? now,
      endedAt: now,
    });
  };
  const askPage = (now: number): void => {
    const page = asked;
    asked += 1;
    order.source.ask(now, (begunAt, at) => {
      startedAt ??= begunAt;
      answered += 1;
      shownAt[page] = (begunAt + at) / 2;
      endedAt[page] = at;
      askMore(at);
    });
  };
  askMore(order.now);
}
