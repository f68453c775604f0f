import { addDays } from '#shared/core/dates.ts';
import type { Timesheet } from '../schemas.ts';

/** Inclusive dates; without `to`, no upper bound. */
export interface Dates {
  readonly from: string;
  readonly to?: string | undefined;
}

/** Timesheets by id and by date. Lists are ordered by date, and on a date newest first. */
export class TimesheetStore {
  readonly #byId = new Map<string, Timesheet>();
  readonly #byDate = new Map<string, Map<string, Timesheet>>();
  #first = '9999-12-31';
  #last = '0000-01-01';

  get(id: string): Timesheet | undefined {
    return this.#byId.get(id);
  }

  /** Stores a new timesheet or a new state of one, which moves when its date changed. */
  put(timesheet: Timesheet): void {
    const known = this.#byId.get(timesheet.id);
    if (known !== undefined && known.date !== timesheet.date) this.remove(known.id);
    this.#byId.set(timesheet.id, timesheet);
    const day = this.#byDate.get(timesheet.date) ?? new Map<string, Timesheet>();
    this.#byDate.set(timesheet.date, day.set(timesheet.id, timesheet));
    if (timesheet.date < this.#first) this.#first = timesheet.date;
    if (timesheet.date > this.#last) this.#last = timesheet.date;
  }

  remove(id: string): void {
    const known = this.#byId.get(id);
    if (known === undefined) return;
    this.#byId.delete(id);
    this.#byDate.get(known.date)?.delete(id);
  }

  between({ from, to }: Dates): Timesheet[] {
    const found: Timesheet[] = [];
    const last = to === undefined || to > this.#last ? this.#last : to;
    for (let date = from < this.#first ? this.#first : from; date <= last; date = addDays(date, 1)) {
      const day = this.#byDate.get(date);
      if (day !== undefined) found.push(...[...day.values()].reverse());
    }
    return found;
  }

  all(): Timesheet[] {
    return this.between({ from: this.#first });
  }
}
