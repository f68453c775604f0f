import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test, vi } from 'vitest';
import { forget } from '#cli/commands/forget.ts';
import { createDynamoStore } from '#shared/adapters/dynamo/store.ts';
import { parseNotifierConfig } from '#shared/config/schema/notifier-config.ts';
import type { Store } from '#shared/flow/poll/ports.ts';
import type { Target } from '#shared/operator/target.ts';
import { CANARY, NAME, seedPerson } from '#test/shared/systems/flow/forget-seeds.ts';
import { DAY_MS, NOW, TIME_ZONE } from '#test/support/builders.ts';
import {
  type EmbeddedDynamo,
  readItems,
  restoreItems,
  startEmbeddedDynamo,
} from '#test/support/embedded-dynamo.ts';
import { readTableTexts } from '#test/support/table-texts.ts';

const YES = { yes: true } as const;
const WHOM = { employee: CANARY, name: NAME, ...YES };
const TRACE = new RegExp(`${CANARY}|canary`, 'i');
/** The dates of the timesheets have left the window. */
const LATER = NOW + 20 * DAY_MS;

let dynamo: EmbeddedDynamo;
let store: Store;
let items: Awaited<ReturnType<typeof readItems>>;
let printed: string[];
let now: number;

beforeAll(async () => {
  dynamo = await startEmbeddedDynamo();
  store = createDynamoStore({ ...dynamo, sleep: async () => {}, random: () => 0 });
  await seedPerson(store);
  items = await readItems(dynamo);
});
beforeEach(async () => {
  [printed, now] = [[], LATER];
  vi.spyOn(console, 'log').mockImplementation((text: string) => void printed.push(text));
  await restoreItems(dynamo, items);
});
afterEach(() => {
  vi.restoreAllMocks();
});
afterAll(() => dynamo.stop());

describe('forget --employee', () => {
  test('erases, and says what it did and what it cannot reach', async () => {
    expect(await findTraces()).not.toEqual([]);
    await forget(WHOM, target());

    expect(await findTraces()).toEqual([]);
    expect(printed.slice(0, 2)).toEqual([
      expect.stringMatching(`^forgot employee ${CANARY}: 3 timesheets, \\d+ other items of the table$`),
      'the next poll publishes employee.forgotten for each timesheet',
    ]);
    for (const place of ['queues', 'webhooks', 'Slack', 'backups', 'logs'])
      expect(printed.slice(2).join('\n')).toContain(place);

    printed = [];
    await forget(WHOM, target());
    expect(printed[0]).toBe(`nothing is stored of employee ${CANARY}`);
  });

  test('refuses while the source lists timesheets of the employee, and changes nothing', async () => {
    now = NOW;
    const before = await readTableTexts(dynamo);
    await expect(forget(WHOM, target())).rejects.toMatchObject({
      code: 'still_listed',
      message: expect.stringMatching(/on 1 date of the window, 2026-03-05 to 2026-03-05.*--force/),
    });
    expect(await readTableTexts(dynamo)).toEqual(before);

    await forget({ ...WHOM, force: true }, target());
    expect(await findTraces()).toEqual([]);
  });

  test('refuses while the source lists the employee, where that list is polled', async () => {
    await expect(forget(WHOM, target(['main'], { poll: { directory: true } }))).rejects.toMatchObject({
      code: 'still_listed',
      message: expect.stringContaining('lists this employee,'),
    });
  });

  test('asks before it erases', async () => {
    await expect(forget({ employee: CANARY }, target())).rejects.toMatchObject({
      code: 'not_confirmed',
      message: expect.stringMatching(/^nothing was erased: .*add --yes$/),
    });
    expect(await findTraces()).not.toEqual([]);
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
  test('deletes all that is stored of one that is not in the config any more', async () => {
    await forget({ connection: 'main', ...YES }, target(['second']));

    expect(printed).toEqual([expect.stringMatching(/^deleted \d+ items of connection main$/)]);
    expect([...(await readTableTexts(dynamo)).keys()].filter((key) => key.startsWith('main#'))).toEqual([]);
  });

  test('refuses one that is in the config, or was polled just now', async () => {
    const before = await readTableTexts(dynamo);
    await expect(forget({ connection: 'main', ...YES }, target())).rejects.toMatchObject({
      code: 'connection_in_use',
      message: expect.stringContaining('is in the config'),
    });
    now = NOW;
    await expect(forget({ connection: 'main', ...YES }, target(['second']))).rejects.toMatchObject({
      code: 'connection_in_use',
      message: expect.stringContaining('within the last hour'),
    });
    expect(await readTableTexts(dynamo)).toEqual(before);
  });
});

/** Keys of the items in which something of the person is found. */
async function findTraces(): Promise<string[]> {
  const texts = await readTableTexts(dynamo);
  return [...texts].filter(([key, text]) => TRACE.test(key) || TRACE.test(text)).map(([key]) => key);
}

/** The stack of the table, with these connections in its config. */
function target(names: readonly string[] = ['main'], settings: object = {}): Target {
  const connection = { baseUrl: 'https://acme.workforce.example', timeZone: TIME_ZONE, secretName: 'main' };
  const config = parseNotifierConfig({
    connections: names.map((name) => ({ ...connection, name, window: { backDays: 7, forwardDays: 1 } })),
    ...settings,
  });
  return {
    config,
    connections: config.connections,
    tableName: dynamo.tableName,
    dynamoDb: dynamo.client,
    system: { now: () => now + 0.5, sleep: async () => {}, random: () => 0 },
  } as unknown as Target;
}
