import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test, vi } from 'vitest';
import { forget } from '#cli/commands/forget.ts';
import { parseNotifierConfig } from '#shared/config/schema/notifier-config.ts';
import type { Target } from '#shared/operator/target.ts';
import { CANARY, ForgetWorld, NAME } from '#test/shared/systems/flow/forget-world.ts';

const YES = { yes: true } as const;
const WHOM = { employee: CANARY, name: NAME, ...YES };

let lived: ForgetWorld;
let world: ForgetWorld;
let printed: string[];

beforeAll(async () => {
  lived = await ForgetWorld.live();
});
beforeEach(async () => {
  printed = [];
  vi.spyOn(console, 'log').mockImplementation((text: string) => void printed.push(text));
  world = await lived.again();
});
afterEach(() => {
  vi.restoreAllMocks();
});
afterAll(() => lived.stop());

describe('forget --employee', () => {
  test('erases, and says what it did and what it cannot reach', async () => {
    await world.leaveDates();
    await forget(WHOM, target());

    expect(await world.findTraces()).toEqual([]);
    expect(printed[0]).toMatch(
      new RegExp(`^forgot employee ${CANARY}: 3 timesheets, \\d+ other items of the table$`),
    );
    expect(printed[1]).toBe('the next poll publishes employee.forgotten for each timesheet');
    for (const place of ['queues', 'webhooks', 'Slack', 'backups', 'logs'])
      expect(printed.slice(2).join('\n')).toContain(place);

    printed = [];
    await forget(WHOM, target());
    expect(printed[0]).toBe(`nothing is stored of employee ${CANARY}`);
    expect(printed.join('\n')).toContain('queues');
  });

  test('refuses while the source lists the employee, and changes nothing', async () => {
    const before = await world.scan();
    await expect(forget(WHOM, target())).rejects.toMatchObject({
      code: 'still_listed',
      message: expect.stringMatching(/on 2 dates of the window, 2026-03-04 to 2026-03-05.*--force/),
    });
    expect(await world.scan()).toEqual(before);

    await forget({ ...WHOM, force: true }, target());
    expect(await world.findTraces()).toEqual([]);
  });

  test('refuses while the source lists the employee or a department of his, where these lists are polled', async () => {
    await world.leaveDates();
    const polled = target(['main'], { poll: { directory: true } });
    for (const [list, what] of [
      [{ own: ['501_7'], managers: ['', ''] }, 'lists this employee,'],
      [{ managers: ['', CANARY] }, 'lists this employee as the manager of 1 department,'],
    ] as const) {
      world.list(list);
      await world.look();
      await expect(forget(WHOM, polled)).rejects.toMatchObject({
        code: 'still_listed',
        message: expect.stringContaining(what),
      });
    }
    await forget(WHOM, target());
    expect(await world.findTraces()).toEqual([]);
  });

  test('asks before it erases', async () => {
    await world.leaveDates();
    await expect(forget({ employee: CANARY }, target())).rejects.toMatchObject({
      code: 'not_confirmed',
      message: expect.stringMatching(/^nothing was erased: .*add --yes$/),
    });
    expect(await world.findTraces()).not.toEqual([]);
  });

  test('needs the name of the connection where there are several', async () => {
    await expect(forget(WHOM, target(['main', 'second']))).rejects.toMatchObject({
      code: 'options_wrong',
      message: expect.stringContaining('main, second'),
    });
    await expect(forget({ ...WHOM, connection: 'third' }, target())).rejects.toMatchObject({
      code: 'connection_unknown',
    });
    await expect(forget(YES, target())).rejects.toMatchObject({ code: 'options_wrong' });
  });
});

describe('forget --connection', () => {
  const OF_MAIN = /^main#|#main#/;

  test('deletes all that is stored of one that is not in the config any more', async () => {
    await world.leaveDates();
    world.harness.now += 3_600_000;
    await forget({ connection: 'main', ...YES }, target(['second']));

    expect(printed).toEqual([expect.stringMatching(/^deleted \d+ items of connection main$/)]);
    const left = [...(await world.scan()).keys()];
    expect(left.filter((key) => OF_MAIN.test(key))).toEqual([]);
    expect((await world.alerts.open('payroll', 100)).waiting).toEqual([]);
    expect(left.filter((key) => key.startsWith('deliveries#'))).not.toEqual([]);
  });

  test('refuses one that is in the config, or was polled just now', async () => {
    await world.leaveDates();
    const before = await world.scan();
    await expect(forget({ connection: 'main', ...YES }, target())).rejects.toMatchObject({
      code: 'connection_in_use',
      message: expect.stringContaining('is in the config'),
    });
    await expect(forget({ connection: 'main', ...YES }, target(['second']))).rejects.toMatchObject({
      code: 'connection_in_use',
      message: expect.stringContaining('within the last hour'),
    });
    expect(await world.scan()).toEqual(before);
  });
});

/** The stack of the world, with these connections in its config. */
function target(names: readonly string[] = ['main'], settings: object = {}): Target {
  const connections = names.map((name) => ({ ...world.harness.connection, name }));
  return {
    config: parseNotifierConfig({ connections, ...settings }),
    connections,
    tableName: world.dynamo.tableName,
    dynamoDb: world.dynamo.client,
    system: {
      now: () => world.harness.now + 0.5,
      sleep: async () => {},
      random: () => 0,
      uniqueId: () => crypto.randomUUID().slice(0, 24),
    },
  } as unknown as Target;
}
