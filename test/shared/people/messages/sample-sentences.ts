import type { Account } from '#shared/core/periods/account-data.ts';
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

/** The closing of the sample period, with or without what it comes to: without members, all of it to pay. */
export function closing(account: Partial<Account> | null, values: Partial<SampleRecord> = {}): object {
  const [event] = history(payPeriod(), payPeriod({ closed: '2026-03-05', ...values }));
  if (event === undefined) throw new Error('nothing was published');
  return withData(event, { account: account === null ? null : { ...TO_PAY, ...account } });
}

const ALL = { people: 31, timesheets: 154, hours: 1_204.25 };
/** All of it is ready. */
export const TO_PAY: Account = {
  ...{ state: 'closed', since: '2026-03-05T01:01:00.000Z', closesAt: null, verdict: 'pay' },
  ...{ through: '2026-03-08', asOf: '2026-03-05T01:00:00.000Z' },
  ...{ ...ALL, ready: ALL, notReady: { people: 0, timesheets: 0, hours: 0 }, unprocessed: 154 },
  ...{ departments: 0, byDepartment: [], leftOver: [], changes: null },
  ...{ source: null, difference: null, reserves: [] },
};
/** Some of it is not. */
export const NOT_YET = {
  verdict: 'not_yet',
  ready: { people: 30, timesheets: 142, hours: 1_114.25 },
  notReady: { people: 9, timesheets: 12, hours: 90 },
} as const;
