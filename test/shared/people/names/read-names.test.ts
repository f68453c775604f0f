import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { NAMED_KINDS } from '#shared/people/names/names.ts';
import { readDisplayNames, toDisplayName } from '#shared/people/names/read-names.ts';
import { CODE_POINT } from '#test/support/code-point.ts';

describe('names of a list', () => {
  test('are first and last names of employees', () => {
    const records = [
      { id: '2001_1', firstNames: 'Ana Maria', lastName: 'Lee', payRollCode: '', address: {} },
      { id: '2002_1', firstNames: '', lastName: 'Bo' },
      { id: '2003_1', firstNames: 'Cy', lastName: '' },
    ];

    expect(readDisplayNames('employees', records)).toEqual({
      names: new Map([
        ['2001_1', 'Ana Maria Lee'],
        ['2002_1', 'Bo'],
        ['2003_1', 'Cy'],
      ]),
      skipped: 0,
    });
  });

  test('are the managers of departments, of which some have none', () => {
    const records = [
      { id: '501_1', name: 'Kitchen', manager: '2001_1' },
      { id: '502_1', name: 'Bar', manager: '' },
      { id: '505_1', name: 'Store', manager: 'N/A' },
      { id: '503_1', name: 'Hall' },
      { id: '504_1', name: 'Spa', manager: { id: '2001_1' } },
    ];
    expect(readDisplayNames('managers', records)).toEqual({
      names: new Map([['501_1', '2001_1']]),
      skipped: 1,
    });
  });

  test.each(NAMED_KINDS.filter((kind) => !['employees', 'managers'].includes(kind)))(
    'are the names of %s',
    (kind) => {
      expect(readDisplayNames(kind, [{ id: '501_1', name: 'Kitchen', costCentreCode: 'K' }])).toEqual({
        names: new Map([['501_1', 'Kitchen']]),
        skipped: 0,
      });
    },
  );

  test.each<[string, unknown]>([
    ['no object', null],
    ['a text', 'Kitchen'],
    ['no id', { name: 'Kitchen' }],
    ['an empty id', { id: '', name: 'Kitchen' }],
    ['an endless id', { id: '1'.repeat(101), name: 'Kitchen' }],
    ['a number as id', { id: 7, name: 'Kitchen' }],
    ['no name', { id: '501_1' }],
    ['a name that is none', { id: '501_1', name: { en: 'Kitchen' } }],
    ['an empty name', { id: '501_1', name: ' \n' }],
  ])('leave out and count a record with %s; the others stand', (_name, bad) => {
    const good = { id: '502_1', name: 'Bar' };

    expect(readDisplayNames('departments', [bad, good])).toEqual({
      names: new Map([['502_1', 'Bar']]),
      skipped: 1,
    });
  });
});

describe('a display name', () => {
  test.each([
    ['  Ana \t\n Lee ', 'Ana Lee'],
    ['Ana\u202eeeL\u2028Lee\u0000', 'Ana eeL Lee'],
    ['<!channel> & "co"', '<!channel> & "co"'],
    ['Zoë 厨房 👩‍🍳', 'Zoë 厨房 👩‍🍳'],
    ['x'.repeat(200), 'x'.repeat(80)],
    ['👍'.repeat(81), '👍'.repeat(80)],
    [`${'x'.repeat(79)} yz`, 'x'.repeat(79)],
    ['broken \ud83d half', 'broken \ufffd half'],
  ])('of %j is %j', (text, expected) => {
    expect(toDisplayName(text)).toBe(expected);
  });

  test('is one line of at most 80 characters, whatever it is made of, and stays as it is when made again', () => {
    fc.assert(
      fc.property(fc.string({ unit: CODE_POINT, maxLength: 300 }), (text) => {
        const name = toDisplayName(text);
        expect([...name].length).toBeLessThanOrEqual(80);
        expect(name).not.toMatch(/[\p{Cc}\p{Zl}\p{Zp}\u202a-\u202e\u2066-\u2069]/u);
        expect(toDisplayName(name)).toBe(name);
      }),
    );
  });
});
