import { beforeAll, describe, expect, test } from 'vitest';
import type { NameStore } from '#shared/people/flow/refresh-names.ts';
import { NAMED_KINDS, NO_NAMES } from '#shared/people/names/names.ts';

/** When the tests begin. */
export const MORNING = Date.parse('2026-11-16T03:00:00Z');
export const DAY_MS = 86_400_000;

/** The contract of every name store. `now`: milliseconds since 1970. */
export function describeNameStore(name: string, make: (now: () => number) => Promise<NameStore>): void {
  describe(`${name} as a name store`, () => {
    let store: NameStore;
    let now = MORNING;
    beforeAll(async () => {
      store = await make(() => now);
    });

    test('is empty before names are saved', async () => {
      expect(await store.load(freshConnection(), NAMED_KINDS)).toEqual(NO_NAMES);
    });

    test('returns saved names of the requested kinds', async () => {
      const connection = freshConnection();
      await store.save(connection, 'employees', new Map([['2001_1', 'Ana Lee']]));
      await store.save(connection, 'departments', new Map([['501_1', 'Kitchen "<&>" 厨房 👩‍🍳']]));

      expect(await store.load(connection, ['departments'])).toEqual({
        ...NO_NAMES,
        departments: new Map([['501_1', 'Kitchen "<&>" 厨房 👩‍🍳']]),
      });
      expect(await store.load(connection, NAMED_KINDS)).toEqual({
        ...NO_NAMES,
        employees: new Map([['2001_1', 'Ana Lee']]),
        departments: new Map([['501_1', 'Kitchen "<&>" 厨房 👩‍🍳']]),
      });
      expect(await store.load(connection, [])).toEqual(NO_NAMES);
    });

    test('knows of which kinds nothing was saved, also none, or of which it has expired', async () => {
      const connection = freshConnection();
      await store.save(connection, 'employees', new Map([['2001_1', 'Ana Lee']]));
      await store.save(connection, 'activities', new Map());
      expect(await store.listMissing(connection, ['employees', 'departments', 'activities'])).toEqual([
        'departments',
      ]);
      expect(await store.load(connection, NAMED_KINDS)).toMatchObject({ activities: new Map() });
      now += 14 * DAY_MS;
      expect(await store.listMissing(connection, ['employees'])).toEqual(['employees']);
      now = MORNING;
    });

    test('keeps connections apart', async () => {
      const [one, other] = [freshConnection(), freshConnection()];
      await store.save(one, 'activities', new Map([['9_1', 'Cooking']]));

      expect(await store.load(other, ['activities'])).toEqual(NO_NAMES);
    });

    test('replaces all names of a kind, so that removed people are forgotten', async () => {
      const connection = freshConnection();
      await store.save(
        connection,
        'employees',
        new Map([
          ['1_1', 'Ana'],
          ['2_1', 'Bo'],
        ]),
      );
      await store.load(connection, ['employees']);
      await store.save(
        connection,
        'employees',
        new Map([
          ['2_1', 'Bob'],
          ['3_1', 'Cy'],
        ]),
      );

      expect((await store.load(connection, ['employees'])).employees).toEqual(
        new Map([
          ['2_1', 'Bob'],
          ['3_1', 'Cy'],
        ]),
      );

      await store.save(connection, 'employees', new Map());

      expect(await store.load(connection, NAMED_KINDS)).toEqual(NO_NAMES);
    });

    test('does not change with the map that was saved', async () => {
      const connection = freshConnection();
      const names = new Map([['1_1', 'Ana']]);
      await store.save(connection, 'organisations', names);
      names.set('1_1', 'Somebody else');

      expect((await store.load(connection, ['organisations'])).organisations).toEqual(
        new Map([['1_1', 'Ana']]),
      );
    });

    test('keeps all names of one of two concurrent saves', async () => {
      const connection = freshConnection();
      await store.save(connection, 'employees', people(10, 'before'));
      const both = [people(3_000, 'Ana'), people(4_000, 'Bo')];

      await Promise.all(both.map((names) => store.save(connection, 'employees', names)));

      const { employees } = await store.load(connection, ['employees']);
      expect(both).toContainEqual(employees);
    });

    test('holds 50,000 employees', async () => {
      const connection = freshConnection();
      const names = people(50_000, 'Employee Number');
      await store.save(connection, 'employees', names);

      expect((await store.load(connection, ['employees'])).employees).toEqual(names);
    });

    test('forgets names that were not saved again for two weeks, until they are', async () => {
      const connection = freshConnection();
      const names = people(3, 'Ana');
      await store.save(connection, 'employees', names);
      now += 14 * DAY_MS;

      expect(await store.load(connection, NAMED_KINDS)).toEqual(NO_NAMES);

      await store.save(connection, 'employees', names);

      expect((await store.load(connection, NAMED_KINDS)).employees).toEqual(names);
    });

    test('keeps names that are saved daily, whether they change or not', async () => {
      const connection = freshConnection();
      for (let day = 1; day <= 30; day += 1) {
        const activities = people(2, `Activity of day ${day}`);
        await store.save(connection, 'employees', people(3, 'Ana'));
        await store.save(connection, 'activities', activities);
        now += DAY_MS;

        expect(await store.load(connection, NAMED_KINDS)).toEqual({
          ...NO_NAMES,
          employees: people(3, 'Ana'),
          activities,
        });
      }
    });

    test.each([1, 2, 3, 4, 5, 6, 7])(
      'keeps names for ten days without a refresh, also after %i days on which nothing changed',
      async (days) => {
        const connection = freshConnection();
        for (let day = 1; day <= days; day += 1) {
          now += DAY_MS;
          await store.save(connection, 'employees', people(3, 'Ana'));
        }
        now += 10 * DAY_MS - 1;

        expect((await store.load(connection, ['employees'])).employees).toEqual(people(3, 'Ana'));
      },
    );
  });
}

let connections = 0;

/** A connection that no other test uses. */
export function freshConnection(): string {
  connections += 1;
  return `acme-${process.pid}-${connections}`;
}

export function people(count: number, name: string): Map<string, string> {
  return new Map(Array.from({ length: count }, (_, index) => [`${index}_4711`, `${name} ${index}`]));
}
