import { createHash } from 'node:crypto';
import { addDays, listDates } from '#shared/core/dates.ts';
import { WINDOW } from '../fortnight/model/run-model.ts';
import { DAY_MS, dateOf } from '../fortnight/trace/calendar.ts';
import {
  type DateChanges,
  readChange,
  recordId,
  type Trace,
  type TraceChange,
} from '../fortnight/trace/trace.ts';

/** A timesheet as a page shows it: the hash of its id and contents, and how many changes made it so. */
export interface ListedRecord {
  readonly id: string;
  readonly hash: string;
  readonly version: number;
}

/** The list of the window at the source, page by page, each as it stands at its instant. Time only goes on. */
export class ListedWorld {
  readonly #trace: Trace;
  readonly #dates = new Map<string, ListedDate>();

  constructor(trace: Trace) {
    this.#trace = trace;
  }

  /** Dates of the window at an instant. */
  windowAt(at: number): string[] {
    const today = dateOf(Math.floor(at / DAY_MS));
    return listDates({ from: addDays(today, -WINDOW.backDays), to: addDays(today, WINDOW.forwardDays) });
  }

  /** A page by its position, counted from 0, and how many there are by now. */
  page(dates: readonly string[], { page, pageSize, at }: { page: number; pageSize: number; at: number }) {
    const records: ListedRecord[] = [];
    let start = 0;
    const [from, to] = [page * pageSize, (page + 1) * pageSize];
    for (const date of dates) {
      const list = this.#dateOf(date).at(at);
      if (start < to && start + list.length > from)
        records.push(...list.slice(Math.max(0, from - start), to - start));
      start += list.length;
    }
    return { records, pages: Math.max(1, Math.ceil(start / pageSize)) };
  }

  /** A record as it stands now; undefined when it is gone. */
  find(id: string): ListedRecord | undefined {
    const place = Number(id.slice(0, id.indexOf('_')));
    return this.#dates.get(dateOf(Math.floor(place / 100_000)))?.find(place % 100_000);
  }

  #dateOf(date: string): ListedDate {
    const known = this.#dates.get(date);
    if (known !== undefined) return known;
    const made = new ListedDate(this.#trace.changesOfDate(date));
    this.#dates.set(date, made);
    return made;
  }
}

type Facts = Record<string, number>;

class ListedDate {
  readonly #changes: DateChanges;
  readonly #facts: (Facts | undefined)[] = [];
  readonly #records: (ListedRecord | undefined)[] = [];
  #next = 0;
  #present: ListedRecord[] | null = null;

  constructor(changes: DateChanges) {
    this.#changes = changes;
  }

  at(instant: number): readonly ListedRecord[] {
    const { at } = this.#changes;
    for (; (at[this.#next] ?? Number.POSITIVE_INFINITY) <= instant; this.#next += 1)
      this.#apply(readChange(this.#changes, this.#next));
    this.#present ??= this.#records.filter((record) => record !== undefined);
    return this.#present;
  }

  find(record: number): ListedRecord | undefined {
    return this.#records[record];
  }

  #apply(change: TraceChange): void {
    const { record, date, type } = change;
    this.#present = null;
    if (type === 'timesheet.removed') {
      this.#records[record] = undefined;
      return;
    }
    const facts = applyToFacts(this.#facts[record] ?? {}, change);
    this.#facts[record] = facts;
    const version = (this.#records[record]?.version ?? 0) + 1;
    const id = recordId(date, record);
    const hash = createHash('md5')
      .update(`${id} ${JSON.stringify(facts)}`)
      .digest('base64');
    this.#records[record] = { id, hash, version };
  }
}

/** What is taken back leaves the timesheet as it was before. */
function applyToFacts(facts: Facts, { type, at }: TraceChange): Facts {
  switch (type) {
    case 'timesheet.approval_revoked': {
      const { 'timesheet.approved': _gone, ...rest } = facts;
      return rest;
    }
    case 'timesheet.processing_reverted': {
      const { 'timesheet.processed': _gone, ...rest } = facts;
      return rest;
    }
    default:
      return { ...facts, [type]: at };
  }
}
