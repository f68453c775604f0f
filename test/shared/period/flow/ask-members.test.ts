import { describe, expect, test } from 'vitest';
import { SourceError, type SourceErrorCode } from '#shared/core/errors.ts';
import type { PollRun } from '#shared/flow/poll/poll-run.ts';
import type { SourceApi } from '#shared/flow/poll/ports.ts';
import { askMembers } from '#shared/period/flow/find-members.ts';

const EMPLOYEES = Array.from({ length: 20 }, (_, index) => `${2_001 + index}_7`);

describe('the members of a pay period', () => {
  test('are asked for employee by employee', async () => {
    const asked: string[] = [];
    const members = await ask(['2001_7', '2002_7'], async (employee, period) => {
      asked.push(`${employee} ${period}`);
      return employee === '2001_7' ? ['1_7', '2_7'] : [];
    });
    expect(asked).toEqual(['2001_7 3_7', '2002_7 3_7']);
    expect(members).toMatchObject({
      timesheets: new Set(['1_7', '2_7']),
      unknownEmployees: new Set(),
    });
  });

  test('are unknown for an employee without an answer alone', async () => {
    const members = await ask(EMPLOYEES, async (employee) => {
      if (employee === '2003_7') throw failure('source_forbidden');
      return [employee];
    });
    expect(members?.unknownEmployees).toEqual(new Set(['2003_7']));
    expect(members?.timesheets.size).toBe(19);
  });

  test.each<[SourceErrorCode, number]>([
    ['source_throttled', 8],
    ['source_forbidden', 15],
  ])('are not known at all when the source answers nobody: %s after %i requests', async (code, requests) => {
    let sent = 0;
    const members = await ask(EMPLOYEES, async () => {
      sent += 1;
      throw failure(code);
    });
    expect(members).toBeNull();
    expect(sent).toBeLessThanOrEqual(requests);
  });

  test('that there was no time for are unknown', async () => {
    let now = 0;
    const members = await ask(
      EMPLOYEES,
      async (employee) => {
        now += 10;
        return [employee];
      },
      () => now,
    );
    expect(members?.timesheets.size).toBeGreaterThan(8);
    expect(members?.unknownEmployees.size).toBe(20 - (members?.timesheets.size ?? 0));
    expect(members?.unknownEmployees.size).toBeGreaterThan(0);
  });

  test('are at most a thousand employees of one closing', async () => {
    const many = Array.from({ length: 1_200 }, (_, index) => `${index}_7`);
    expect((await ask(many, async () => []))?.unknownEmployees.size).toBe(200);
  });

  test('are not asked for where the source cannot answer', async () => {
    expect(await ask(EMPLOYEES, undefined)).toBeNull();
  });

  test('do not hide a mistake of ours', async () => {
    await expect(
      ask(EMPLOYEES, async () => {
        throw new TypeError('a mistake');
      }),
    ).rejects.toThrow('a mistake');
  });
});

async function ask(
  employees: readonly string[],
  listMembers: SourceApi['listMembers'],
  now: () => number = () => 0,
) {
  const source = listMembers === undefined ? {} : { listMembers };
  const hasTimeLeft = () => now() < 100;
  const run = { ports: { source, clock: { now } }, hasTimeLeft } as unknown as PollRun;
  return await askMembers('3_7', employees, run);
}

function failure(code: SourceErrorCode): SourceError {
  return new SourceError(code, 'on purpose');
}
