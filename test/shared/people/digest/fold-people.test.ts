import { expect, test } from 'vitest';
import { foldPeople } from '#shared/people/digest/digest.ts';

const detail = (text: string, isInner = false) => ({ text, isInner });

test('people stand on the line of their department', () => {
  const details = [
    detail('Kitchen: 2 of 40 not approved, 15.5 h'),
    detail('Ana Lee: Thu 12 Nov 8 h', true),
    detail('Ben Fox: Fri 13 Nov 7.5 h', true),
    detail('Bar: 1 of 20 not approved, 4 h'),
    detail('Cleo Diaz: Fri 13 Nov 4 h', true),
  ];
  expect(foldPeople(details)).toEqual([
    detail(
      'Kitchen: 2 of 40 not approved, 15.5 h (Ana Lee: Thu 12 Nov 8 h; Ben Fox: Fri 13 Nov 7.5 h)',
      true,
    ),
    detail('Bar: 1 of 20 not approved, 4 h (Cleo Diaz: Fri 13 Nov 4 h)', true),
  ]);
});

test('up to six of them; a department without people stays as it is', () => {
  const people = Array.from({ length: 8 }, (_, at) => detail(`P${at}`, true));
  expect(foldPeople([detail('Kitchen: many'), detail('Bar: 8'), ...people]).map(({ text }) => text)).toEqual([
    'Kitchen: many',
    'Bar: 8 (P0; P1; P2; P3; P4; P5 and 2 more)',
  ]);
});
