import { expect, test } from 'vitest';
import { type DeliveryFilter, isFor } from '#shared/systems/filter.ts';
import { EVENT } from './sample-event.ts';

const LEFT = { previousDepartmentId: '261_2', previousOrganisationId: '16_2' };
const PREVIOUS = { previous: { departmentId: '261_2', organisationWorkedId: '16_2' } };
const NOWHERE = { departmentId: null, previous: { departmentId: null } };

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
])('an event passes %j: %s', (filter, expected) => {
  expect(passes({}, filter)).toBe(expected);
});

test.each<[object, DeliveryFilter, boolean]>([
  ...[LEFT, PREVIOUS].flatMap((data): [object, DeliveryFilter, boolean][] => [
    [data, { departmentId: ['261_2'] }, true],
    [data, { departmentId: ['261_1'] }, true],
    [data, { departmentId: ['261_3'] }, false],
    [data, { organisationId: ['16_2'], departmentId: ['261_1'] }, true],
    [data, { organisationId: ['16_2'], departmentId: ['261_3'] }, false],
    [data, { organisationId: ['16_3'] }, false],
  ]),
  // Without a department, an organisation, or whether it is late.
  [NOWHERE, { departmentId: [''] }, false],
  [NOWHERE, { departmentId: ['261_1'] }, false],
  [{ organisationId: undefined }, { organisationId: ['16_1'] }, false],
  [{ late: undefined }, { late: false }, false],
  [{ late: undefined }, {}, true],
  [{ late: [] }, { late: false }, true],
  [{ late: [] }, { late: true }, false],
])('an event with %j passes %j: %s', (data, filter, expected) => {
  expect(passes({ data: { ...EVENT.data, ...data } }, filter)).toBe(expected);
});

test.each<[string[], DeliveryFilter, boolean]>([
  [['timesheets'], { type: ['workforce.timesheet.approved'], late: true }, true],
  [['timesheets'], {}, true],
  [['pay-periods', 'operations'], {}, false],
  [['timesheets'], { departmentId: ['261_2'] }, false],
  [['timesheets'], { connection: ['other'] }, false],
])('a snapshot is for those who want changes of its record: %j %j: %s', (topics, filter, expected) => {
  const { late: _, ...data } = EVENT.data;
  const snapshot = { ...EVENT, type: 'workforce.timesheet.snapshot', sequence: 0, data };
  expect(isFor(snapshot, { topics, filter })).toBe(expected);
});

test('an event of a topic that is not wanted passes nothing, one of an unknown type passes for its topic', () => {
  expect(isFor(EVENT, { topics: ['directory', 'pay-periods'], filter: {} })).toBe(false);
  const unknown = { type: 'workforce.timesheet.praised' };
  expect(passes(unknown, {})).toBe(true);
  expect(passes(unknown, { type: ['workforce.timesheet.approved'] })).toBe(false);
});

/** Whether the event of the topic `timesheets`, so changed, is for somebody who subscribes to that one. */
function passes(change: object, filter: DeliveryFilter): boolean {
  return isFor({ ...EVENT, ...change }, { topics: ['timesheets'], filter });
}
