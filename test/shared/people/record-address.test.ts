import { expect, test } from 'vitest';
import { urlOfTimesheet } from '#shared/people/render/rendered.ts';

const consoleUrl = 'http://127.0.0.1:4600';
const recordUrl = 'https://workforce.example.com/{timesheetId}?of={employeeId}';
const PLACE = { timesheetId: '../a?b#c', employeeId: '2_7' };

test.each([
  [{}, undefined],
  [{ consoleUrl }, 'http://127.0.0.1:4600/records/..%2Fa%3Fb%23c?connection=main'],
  [{ consoleUrl, recordUrl }, 'https://workforce.example.com/..%2Fa%3Fb%23c?of=2_7'],
])('with %j a timesheet is opened at %s: an id stays one part of an address', (addresses, expected) => {
  expect(urlOfTimesheet(PLACE, 'main', addresses)).toBe(expected);
});
