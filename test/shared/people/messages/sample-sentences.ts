import type { CloseManifest } from '#shared/core/periods/close-manifest.ts';
import { type Names, NO_NAMES } from '#shared/people/names/names.ts';
import { buildHeading } from '#shared/people/words/headings.ts';
import { describableEventSchema, toSentence } from '#shared/people/words/sentences.ts';
import { type Event, history } from '#test/shared/core/events/history.ts';
import { clocking, payPeriod, type SampleRecord, timesheet } from '#test/support/builders.ts';

export const APPROVED = { approvedHours: '2026-03-05T00:30:00.000Z' };
export const PROCESSED = { ...APPROVED, processed: '2026-03-05T00:40:00.000Z' };
/** A name of every kind. */
export const ALL_NAMES: Names = {
  employees: new Map([
    ['2001_7', 'Ana Lee'],
    ['2002_7', 'Ben Fox'],
  ]),
  departments: new Map([['501_7', 'Kitchen']]),
  managers: new Map([['501_7', '2002_7']]),
};

/** What is told of a timesheet that was in one state and is then in another, sentence by sentence. */
export function describeChange(before: object, after: object, names: Names = NO_NAMES): string[] {
  return history(timesheet({ ...before }), timesheet({ ...after })).map((event) => say(event, { names }));
}

/** The same without who and when, which is the same in all of them. */
export function describeChangeBriefly(before: object, after: object, names: Names = NO_NAMES): string[] {
  return describeChange(before, after, names).map((line) =>
    line.replace(/^Timesheet 1001_7 of employee 2001_7 on Thu 5 Mar/, '~'),
  );
}

export function say(event: object, audience: { names?: Names; timeZone?: string } = {}): string {
  const { names = NO_NAMES, timeZone = 'Pacific/Auckland' } = audience;
  return toSentence(describableEventSchema.parse(event), { timeZone, names });
}

/** What a mail's subject says of an event, where it does not say the sentence. */
export function heading(event: object): string | undefined {
  return buildHeading(describableEventSchema.parse(event), {
    timeZone: 'Pacific/Auckland',
    names: NO_NAMES,
  });
}

/** An event with other data. */
export function withData(event: Event, data: object): object {
  return { ...event, data: { ...event.data, ...data } };
}

export function clockedAt(localTime: string | null): object {
  return clocking({ localTime });
}

/** The closing of the sample period, with or without what was counted. */
export function closing(manifest: Partial<CloseManifest> | null, values: Partial<SampleRecord> = {}): object {
  const [event] = history(payPeriod(), payPeriod({ closed: '2026-03-05', ...values }));
  if (event === undefined) throw new Error('nothing was published');
  if (manifest === null) return event;
  return withData(event, { closeManifest: { ...MANIFEST, ...manifest } });
}

const MANIFEST: CloseManifest = {
  complete: true,
  missing: null,
  asOf: '2026-03-05T01:00:00.000Z',
  timesheets: 154,
  employees: 31,
  approved: 154,
  unapproved: 0,
  processed: 154,
  unprocessed: 0,
  hoursToPay: 1_204.25,
  sharesDatesWith: [],
  leftovers: [],
};
