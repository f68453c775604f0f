import { createHash } from 'node:crypto';
import { addDays, listDates } from '#shared/core/dates.ts';
import { WINDOW } from '../fortnight/model/run-model.ts';
import { DAY_MS, dateOf } from '../fortnight/trace/calendar.ts';
import {
  type DateChanges,
  readChange,
  readRecordId,
  recordId,
  type Trace,
  type TraceChange,
} from '../fortnight/trace/trace.ts';
import { buildListPage } from '../list-page.ts';

/** A timesheet on a page. */
export interface ListedRecord {
  readonly id: string;
  /** Of its id and contents. */
  readonly hash: string;
  /** Number of its changes so far. */
  readonly version: number;
}

/** The list of the window at the source. Each call must be for the same or a later instant. */
export class ListedWindow {
  readonly #trace: Trace;
  readonly #dates = new Map<string, ListedDate>();

  constructor(trace: Trace) {
    this.#trace = trace;
  }

  datesAt(at: number): string[] {
    const today = dateOf(Math.floor(at / DAY_MS));
    return listDates({ from: addDays(today, -WINDOW.backDays), to: addDays(today, WINDOW.forwardDays) });
  }

  page(dates: readonly string[], { page, pageSize, at }: { page: number; pageSize: number; at: number }) {
    const lists = dates.map((date) => this.#listDate(date).at(at));
    return buildListPage(lists, { page, pageSize });
  }

  /** A record at the latest instant; undefined when it is gone. */
  find(id: string): ListedRecord | undefined {
    const { date, record } = readRecordId(id);
    return this.#dates.get(date)?.find(record);
  }

  #listDate(date: string): ListedDate {
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

/** A revoked approval or reverted processing leaves the timesheet as it was before. */
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
