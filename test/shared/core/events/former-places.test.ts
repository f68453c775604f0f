import { describe, expect, test } from 'vitest';
import { findFormerPlaces, type PlacedData } from '#shared/core/events/former-places.ts';

const NOWHERE = { organisationId: null, departmentId: null };

describe('the places that a timesheet left with an event', () => {
  test.each<[string, PlacedData, object]>([
    ['none, when it stayed', { departmentId: '1', organisationId: '2', previous: {} }, NOWHERE],
    ['none, when it is new', { departmentId: '1', organisationId: '2', previous: null }, NOWHERE],
    ['none, without members that say it', {}, NOWHERE],
    [
      'those that the event names',
      { departmentId: '1', previousDepartmentId: '3', organisationId: '2', previousOrganisationId: '4' },
      { organisationId: '4', departmentId: '3' },
    ],
    [
      'those of `previous`, in an older event',
      { departmentId: '1', organisationId: '2', previous: { departmentId: '3', organisationWorkedId: '4' } },
      { organisationId: '4', departmentId: '3' },
    ],
    [
      'those that the event names, before those of `previous`',
      {
        previousDepartmentId: '3',
        previousOrganisationId: '4',
        previous: { departmentId: '5', organisationWorkedId: '6' },
      },
      { organisationId: '4', departmentId: '3' },
    ],
    ['none that it is still in', { departmentId: '1', previous: { departmentId: '1' } }, NOWHERE],
    ['none, when it was in none', { departmentId: '1', previous: { departmentId: null } }, NOWHERE],
    [
      'also when it is in none now',
      { departmentId: null, previousDepartmentId: '3' },
      { ...NOWHERE, departmentId: '3' },
    ],
  ])('are %s', (_, data, expected) => {
    expect(findFormerPlaces(data)).toEqual(expected);
  });
});
