import { PROCESSING_FINISHED } from '#shared/alerts/alert.ts';
import type { SliceHead } from '#shared/core/snapshot/snapshot.ts';
import { CollectStage, only } from '#test/shared/alerts/flow/collect-stage.ts';
import { buildEvents, STAMP } from '#test/shared/core/events/sample-events.ts';
import { createChange, hint, leafRow, slice, timesheet } from '#test/support/builders.ts';

/** A pay period of a week, over and with all its timesheets processed, and who wants to know. */

export const PAYROLL = { kind: 'slack', name: 'payroll', secretName: 's' } as const;
export const OFFICE = { kind: 'email', name: 'office', addresses: ['office@acme.example'] } as const;
const RULES = [{ types: [PROCESSING_FINISHED] }];
export const WEEK = ['02', '03', '04', '05', '06', '07', '08'].map((day) => `2026-03-${day}`);
/** The period covers the dates of the week, and the timesheet stands on its Thursday. */
export const PERIOD = hint();
/** Midnight after its last day, in the connection's zone. */
export const END = Date.parse('2026-03-08T11:00:00.000Z');

export function createStage(alerting: object = {}): CollectStage {
  const stage = new CollectStage({ channels: [PAYROLL], rules: RULES, ...alerting });
  stage.heads = week();
  stage.now = END;
  return stage;
}

/** Two processed timesheets in the week, and dates without any. */
export function week(): SliceHead[] {
  return WEEK.map((date, index) => createDateHead(date, index === 1 || index === 3 ? [STAMP] : []));
}

/** The head of a date with one timesheet for each stamp. */
export function createDateHead(date: string, stamps: readonly (string | null)[]): SliceHead {
  const rows = stamps.map((stamp, index) =>
    leafRow(timesheet({ id: `${date}_${index}`, date, processed: stamp })),
  );
  return slice({ slice: date, rows }).head;
}

export function processed(date = '2026-03-05') {
  return only(buildEvents(createChange(timesheet({ date }), timesheet({ date, processed: STAMP }))));
}
