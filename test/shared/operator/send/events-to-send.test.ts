import { describe, expect, test } from 'vitest';
import { connectionSchema } from '#shared/config/schema/connection.ts';
import type { EventLog } from '#shared/flow/event-log.ts';
import type { LogQuery } from '#shared/operator/log-query.ts';
import { readLogged } from '#shared/operator/send/events-to-send.ts';
import { exampleEvents } from '#test/support/example-event.ts';

const START = Date.parse('2026-11-17T08:00:00.000Z');
const MINUTE_MS = 60_000;
/** The life of one timesheet, in the order of its sequence. */
const TEXTS = exampleEvents()
  .map((event) => JSON.stringify(event))
  .filter(
    (text) => text.includes('"source":"/connections/main/timesheets"') && !/baseline|snapshot/.test(text),
  )
  .map((text) => ({ text, event: JSON.parse(text) as { subject?: string; sequence: number } }))
  .filter(({ event }) => event.subject === '101550_1')
  .sort((a, b) => a.event.sequence - b.event.sequence)
  .map(({ text }) => text);
const ALL: LogQuery = {
  connection: connectionSchema.parse({
    name: 'main',
    baseUrl: 'https://workforce.example',
    timeZone: 'UTC',
    secretName: 'main',
  }),
  from: START,
  to: START + 60 * MINUTE_MS,
};

describe('events to be sent again', () => {
  test('are what was committed, byte for byte and in order', async () => {
    expect(TEXTS.length).toBeGreaterThan(10);
    expect(await read(ALL)).toEqual(TEXTS);
    expect(await read({ ...ALL, to: START + MINUTE_MS })).toEqual(TEXTS.slice(0, 1));
  });

  test('are only of the types and the record that are wanted', async () => {
    const approved = await read({ ...ALL, types: ['workforce.timesheet.approved'] });
    expect(approved.length).toBeGreaterThan(0);
    expect(approved.filter((text) => !text.includes('"workforce.timesheet.approved"'))).toEqual([]);
    expect(await read({ ...ALL, record: 'nobody' })).toEqual([]);
  });

  test('are what the receiver subscribes to', async () => {
    const clockings = await read(ALL, {
      topics: ['timesheets'],
      filter: { type: ['workforce.timesheet.clocked_in'] },
    });
    expect(clockings.length).toBeGreaterThan(0);
    expect(clockings.filter((text) => !text.includes('.clocked_in'))).toEqual([]);
  });
});

/** Of a log of timesheets with a commit a minute. */
async function read(query: LogQuery, interest?: Parameters<typeof readLogged>[2]): Promise<string[]> {
  const commits = TEXTS.map((text, index) => {
    const committedAt = START + index * MINUTE_MS;
    return { key: String(index), topic: 'timesheets' as const, committedAt, texts: [text] };
  });
  const log: EventLog = {
    async *read(_, { from, to }) {
      yield* commits.filter(({ committedAt }) => committedAt >= from && committedAt < to);
    },
  };
  const events = await Array.fromAsync(readLogged(query, log, interest));
  return events.map(({ text }) => text);
}
