import { describe, expect, test } from 'vitest';
import { type DeliveryFilter, passes } from '#shared/core/webhooks/filter.ts';

const EVENT = {
  id: 'a1',
  source: '/connections/main/timesheets',
  type: 'workforce.timesheet.approved',
  subject: '910001_1',
  connection: 'main',
  sequence: 3,
  data: { organisationId: '16_1', departmentId: '261_1', late: ['close'] },
};

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
