import { afterAll, afterEach, beforeAll, beforeEach, expect, test, vi } from 'vitest';
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

test('it erases, also while the source lists timesheets of the employee, with --force alone', async () => {
  now = NOW;
  const before = await readTableTexts(dynamo);
  await expect(forget(WHOM, target())).rejects.toMatchObject({
    code: 'still_listed',
    message: expect.stringMatching(/on 1 date of the window, 2026-03-05 to 2026-03-05.*--force/),
  });
  expect(await readTableTexts(dynamo)).toEqual(before);
  await forget({ ...WHOM, force: true }, target());
  expect(await findTraces()).toEqual([]);
  expect(printed[0]).toBe(`forgot employee ${CANARY}: 3 timesheets, 3 other items of the table`);

  printed = [];
  now = LATER;
  await forget(WHOM, target());
  expect(printed[0]).toBe(`nothing is stored of employee ${CANARY}`);
});

test('it refuses while the source lists the employee, where that list is polled', async () => {
  await expect(forget(WHOM, target(['main'], { poll: { directory: true } }))).rejects.toMatchObject({
    code: 'still_listed',
    message: expect.stringContaining('lists this employee,'),
  });
});

test('all of a connection is deleted that is not in the config any more, and was not polled just now', async () => {
  now = NOW;
  await expect(forget({ connection: 'main', ...YES }, target(['second']))).rejects.toMatchObject({
    code: 'connection_in_use',
    message: expect.stringContaining('within the last hour'),
  });
  now = LATER;
  await forget({ connection: 'main', ...YES }, target(['second']));
  expect(printed).toEqual([expect.stringMatching(/^deleted \d+ items of connection main$/)]);
  expect([...(await readTableTexts(dynamo)).keys()].filter((key) => key.startsWith('main#'))).toEqual([]);
});

test.each([
  [WHOM, ['main', 'second'], 'options_wrong', 'it is one of main, second'],
  [{ ...WHOM, connection: 'third' }, ['main', 'second'], 'connection_unknown', 'third'],
  [{ employee: CANARY }, ['main'], 'not_confirmed', 'nothing was erased: '],
  [{ connection: 'main', ...YES }, ['main'], 'connection_in_use', 'is in the config'],
  [YES, ['main'], 'options_wrong', 'name whom to forget'],
])('%j with the connections %j is refused, and nothing is erased', async (flags, names, code, message) => {
  const before = await readTableTexts(dynamo);
  await expect(forget(flags, target(names))).rejects.toMatchObject({
    ...{ code, message: expect.stringContaining(message) },
  });
  expect(await readTableTexts(dynamo)).toEqual(before);
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
