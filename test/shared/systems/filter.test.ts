import { describe, expect, test } from 'vitest';
import type { DeliverableEvent } from '#shared/systems/delivery-message.ts';
import { type DeliveryFilter, isFor } from '#shared/systems/filter.ts';
import { EVENT } from './sample-event.ts';

/** Whether the event of the topic `timesheets` is for somebody who subscribes to that one. */
function passes(event: DeliverableEvent, filter: DeliveryFilter): boolean {
  return isFor(event, { topics: ['timesheets'], filter });
}

describe('an event', () => {
  test.each<[DeliveryFilter, boolean]>([
    [{}, true],
    [{ type: ['workforce.timesheet.approved'] }, true],
    [{ type: ['workforce.timesheet.created'] }, false],
    [{ type: ['workforce.timesheet.created', 'workforce.timesheet.approved'] }, true],
    [{ connection: ['main'] }, true],
    [{ connection: ['other'] }, false],
    [{ organisationId: ['16_1', '16_2'] }, true],
    [{ organisationId: ['16_2'] }, false],
    [{ departmentId: ['261_1'] }, true],
    [{ departmentId: ['261_2'] }, false],
    [{ late: true }, true],
    [{ late: false }, false],
    [{ type: ['workforce.timesheet.approved'], late: false }, false],
  ])('passes %j: %s', (filter, expected) => {
    expect(passes(EVENT, filter)).toBe(expected);
  });

  test.each<[DeliveryFilter, boolean]>([
    [{ departmentId: ['261_2'] }, true],
    [{ departmentId: ['261_1'] }, true],
    [{ departmentId: ['261_3'] }, false],
    [{ organisationId: ['16_2'], departmentId: ['261_1'] }, true],
    [{ organisationId: ['16_2'], departmentId: ['261_3'] }, false],
    [{ organisationId: ['16_3'] }, false],
  ])('that takes a timesheet from one place to another passes %j: %s', (filter, expected) => {
    const left = { previousDepartmentId: '261_2', previousOrganisationId: '16_2' };
    const previous = { departmentId: '261_2', organisationWorkedId: '16_2' };
    expect(passes({ ...EVENT, data: { ...EVENT.data, ...left } }, filter)).toBe(expected);
    expect(passes({ ...EVENT, data: { ...EVENT.data, previous } }, filter)).toBe(expected);
  });

  test('of a timesheet without a department passes no filter on departments', () => {
    const data = { departmentId: null, previous: { departmentId: null } };
    expect(passes({ ...EVENT, data }, { departmentId: [''] })).toBe(false);
  });

  test.each<[string[], DeliveryFilter, boolean]>([
    [['timesheets'], { type: ['workforce.timesheet.approved'], late: true }, true],
    [['timesheets'], {}, true],
    [['pay-periods', 'operations'], {}, false],
    [['timesheets'], { departmentId: ['261_2'] }, false],
    [['timesheets'], { connection: ['other'] }, false],
  ])(
    'that is a snapshot is for those who want changes of its record: %j %j: %s',
    (topics, filter, expected) => {
      const { late: _, ...data } = EVENT.data;
      const snapshot = { ...EVENT, type: 'workforce.timesheet.snapshot', sequence: 0, data };
      expect(isFor(snapshot, { topics, filter })).toBe(expected);
    },
  );

  test('of a topic that is not wanted passes nothing', () => {
    expect(isFor(EVENT, { topics: ['directory', 'pay-periods'], filter: {} })).toBe(false);
  });

  test('of an unknown type passes, since its topic is subscribed', () => {
    const event = { ...EVENT, type: 'workforce.timesheet.praised' };
    expect(passes(event, {})).toBe(true);
    expect(passes(event, { type: ['workforce.timesheet.approved'] })).toBe(false);
  });

  test('in time passes as such', () => {
    const event = { ...EVENT, data: { ...EVENT.data, late: [] } };

    expect(passes(event, { late: false })).toBe(true);
    expect(passes(event, { late: true })).toBe(false);
  });

  test.each([{}, { organisationId: null, departmentId: null }])(
    'without an attribute (%j) matches no value of it',
    (data) => {
      const event = { ...EVENT, data };

      expect(passes(event, { organisationId: ['16_1'] })).toBe(false);
      expect(passes(event, { departmentId: ['261_1'] })).toBe(false);
      expect(passes(event, { late: false })).toBe(false);
      expect(passes(event, {})).toBe(true);
    },
  );
});
