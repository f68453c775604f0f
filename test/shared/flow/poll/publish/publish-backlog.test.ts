import { describe, expect, test } from 'vitest';
import { PublishState } from '#shared/core/commit/outbox.ts';
import { type OutboxBatch, publishBatches, publishOutbox } from '#shared/flow/poll/commit-and-publish.ts';
import { eventText, Outbox, Topics } from '#test/shared/flow/poll/outbox.ts';

/** Batches of one event each, of as many records. */
const singles = (count: number) => Array.from({ length: count }, (_, n) => [eventText(`r${n}`)]);

describe('a backlog', () => {
  test('is cleared as it goes out: what was published before a stop is not published again', async () => {
    const outbox = new Outbox();
    const topics = new Topics();
    await outbox.commit(...singles(500));
    const broken = {
      publish: (texts: readonly string[]) => {
        if (topics.sent.length >= 200) throw new Error('the function was killed');
        return topics.publish(texts);
      },
    };

    await expect(
      publishOutbox(await outbox.entries(), outbox.feed, { store: outbox.store, publisher: broken }),
    ).rejects.toThrow('killed');
    const left = await outbox.pointers();
    await publishOutbox(await outbox.entries(), outbox.feed, { store: outbox.store, publisher: topics });

    expect(left).toHaveLength(500 - 250);
    expect(topics.sent).toHaveLength(500);
    expect(new Set(topics.sent).size).toBe(500);
    expect(await outbox.pointers()).toEqual([]);
  });

  test('stops when time is over; what is left waits, is counted, and is not read', async () => {
    const outbox = new Outbox();
    const topics = new Topics();
    await outbox.commit(...singles(500));

    const outcome = await publishOutbox(await outbox.entries(), outbox.feed, {
      store: outbox.store,
      publisher: topics,
      hasTime: () => topics.calls < 3,
    });

    expect(outcome).toMatchObject({ published: 70, waiting: 430 });
    expect(outbox.reads).toBe(70);
    expect(topics.sent).toEqual(singles(70).map((_, n) => `r${n}/1`));
  });

  test('what is committed while some of it is unread waits behind it', async () => {
    const outbox = new Outbox();
    const topics = new Topics();
    const memory = new PublishState();
    const ports = { store: outbox.store, publisher: topics, memory };
    await outbox.commit(...singles(30));
    await publishOutbox(await outbox.entries(), outbox.feed, { ...ports, hasTime: () => topics.calls < 1 });
    const texts = [eventText('r29', 2), eventText('new')];

    const own = await publishBatches([{ pointer: 'own/1', entries: [], texts }], outbox.feed, ports);

    expect(own).toMatchObject({ published: 0, waiting: 2 });
    expect(topics.sent).toHaveLength(10);
  });

  test('needs few writes: one clearing for up to 100 batches', async () => {
    const outbox = new Outbox();
    await outbox.commit(...singles(1_000));

    await publishOutbox(await outbox.entries(), outbox.feed, {
      store: outbox.store,
      publisher: new Topics(),
    });

    expect(outbox.clears).toBeLessThanOrEqual(4 + 10);
  });
});

describe('a topic that takes nothing', () => {
  test('lets no event of a record pass an earlier one of the same batch that another topic did not take', async () => {
    const outbox = new Outbox();
    const topics = new Topics();
    const memory = new PublishState();
    const ports = { store: outbox.store, publisher: topics, memory };
    await outbox.commit(['a', 'b', 'c'].map((record) => eventText(record)));
    await outbox.commit([eventText('r', 1, 'timesheet.clocked_in'), eventText('r', 2)]);
    topics.fails = () => true;
    for (const entry of await outbox.entries())
      await publishBatches([{ pointer: entry.pointer, entries: [entry] }], outbox.feed, ports);
    topics.fails = () => false;
    await publishOutbox(await outbox.entries(), outbox.feed, {
      ...ports,
      memory: new PublishState(memory.held),
    });

    expect(topics.sent.filter((id) => id.startsWith('r'))).toEqual(['r/1', 'r/2']);
  });

  const sixOfEach = [
    ...Array.from({ length: 6 }, (_, n) => [
      eventText(`c${n}`, 1, 'timesheet.clocked_in'),
      eventText(`c${n}`, 2),
    ]),
    ...Array.from({ length: 6 }, (_, n) => [eventText(`t${n}`)]),
  ];

  test('delays its own events and later ones of the same records, and nothing else', async () => {
    const { outbox, topics, poll } = watched();
    topics.fails = (text) => text.includes('clocked_in');
    await outbox.commit(...sixOfEach);

    const outcome = await poll();

    expect(outcome).toMatchObject({ published: 6, waiting: 12 });
    expect(topics.sent).toEqual(['t0/1', 't1/1', 't2/1', 't3/1', 't4/1', 't5/1']);
    topics.fails = () => false;
    expect(await poll()).toMatchObject({ published: 12, waiting: 0 });
    expect(topics.sent.slice(6)).toEqual([0, 1, 2, 3, 4, 5].flatMap((n) => [`c${n}/1`, `c${n}/2`]));
    expect(await outbox.pointers()).toEqual([]);
  });

  test('does not make the other events of its batches go out again and again', async () => {
    const { outbox, topics, poll } = watched();
    topics.fails = (text) => text.includes('clocked_in');
    await outbox.commit([eventText('a', 1, 'timesheet.clocked_in'), eventText('b')]);

    for (let n = 0; n < 5; n += 1) await poll();

    expect(topics.sent).toEqual(['b/1']);
    topics.fails = () => false;
    await poll();
    expect(topics.sent).toEqual(['b/1', 'a/1']);
  });

  test('is tried with a few batches in each poll; the many that only wait are not read', async () => {
    const { outbox, topics, poll } = watched();
    topics.fails = () => true;
    await outbox.commit(...singles(150));
    await poll();
    outbox.reads = 0;
    topics.calls = 0;

    const outcome = await poll();

    expect(outcome).toMatchObject({ published: 0, waiting: 150 });
    expect(outbox.reads).toBe(10);
    expect(topics.calls).toBe(1);
  });

  test('costs a poll at most some hundred readings, however much waits', async () => {
    const { outbox, topics, poll } = watched();
    topics.fails = () => true;
    await outbox.commit(...singles(3_000));

    const outcome = await poll();

    expect(outcome.waiting).toBe(3_000);
    expect(outbox.reads).toBeLessThan(320);
  });

  test('with more events than a feed remembers, the rest waits unread and in order', async () => {
    const { outbox, topics, poll } = watched();
    topics.fails = (text) => text.includes('clocked_in');
    const clockings = Array.from({ length: 2_500 }, (_, n) => eventText(`c${n}`, 1, 'timesheet.clocked_in'));
    await outbox.commit(clockings.slice(0, 1_990), clockings.slice(1_990), ...singles(12));

    const outcome = await poll();

    expect(outcome).toMatchObject({ published: 8, waiting: 2_500 + 4 });
    topics.fails = () => false;
    await poll();
    expect(topics.sent).toHaveLength(2_512);
    expect(await outbox.pointers()).toEqual([]);
  });

  test('is not what one record that fails makes of it', async () => {
    const { outbox, topics, poll } = watched();
    topics.fails = (text) => text.includes('"poison"');
    await outbox.commit([eventText('poison')]);
    const memory = new PublishState();
    const ports = { store: outbox.store, publisher: topics, memory };
    await publishOutbox(await outbox.entries(), outbox.feed, ports);

    const texts = [eventText('poison', 2), eventText('fine')];
    await publishBatches(
      [{ pointer: '2026-03-06T00:00:00.000Z/x/1/1', entries: [], texts }],
      outbox.feed,
      ports,
    );

    expect(topics.sent).toEqual(['fine/1']);
    expect(await poll()).toMatchObject({ waiting: 1 });
  });
});

describe('what can never be published', () => {
  test('because its events are gone is put aside, and later ones pass', async () => {
    const { outbox, topics, poll } = watched();
    const [gone, kept] = await outbox.commit([eventText('a')], [eventText('a', 2)]);
    outbox.missing.add(gone ?? '');

    const outcome = await poll();

    expect(topics.sent).toEqual(['a/2']);
    expect(outcome.cleared.map(({ pointer }) => pointer)).toEqual([kept]);
    expect(outcome.failed).toEqual([
      {
        reason: 'expired',
        committedAt: Date.parse('2026-03-05T12:00:00.000Z'),
        events: 0,
        eventIds: [],
        entries: [expect.objectContaining({ pointer: gone })],
      },
    ]);
    expect(await outbox.pointers()).toEqual([gone]);
  });

  test('because SNS refuses it is named, and later events of the record pass', async () => {
    const { outbox, topics, poll } = watched();
    topics.refuses = (text) => text.includes('"a/1"');
    const [pointer] = await outbox.commit([eventText('a'), eventText('a', 2), eventText('b')]);

    const outcome = await poll();

    expect(topics.sent).toEqual(['a/2', 'b/1']);
    expect(outcome).toMatchObject({ published: 2, waiting: 0, cleared: [] });
    expect(outcome.failed).toEqual([
      expect.objectContaining({ reason: 'refused', events: 1, eventIds: ['a/1'] }),
    ]);
    expect(outcome.failed[0]?.entries.map((entry) => entry.pointer)).toEqual([pointer]);
  });

  test('does not take its batch away from those that wait', async () => {
    const { outbox, topics, poll } = watched();
    topics.refuses = (text) => text.includes('"a/1"');
    topics.fails = (text) => text.includes('"b/1"');
    const pointers = await outbox.commit([eventText('a'), eventText('b')]);

    const outcome = await poll();

    expect(outcome.failed).toEqual([expect.objectContaining({ eventIds: ['a/1'], entries: [] })]);
    expect(await outbox.pointers()).toEqual(pointers);
    topics.fails = () => false;
    expect(await poll()).toMatchObject({ published: 1, failed: [] });
    expect(await outbox.pointers()).toEqual([]);
  });

  test('another failure of the store ends the publishing', async () => {
    const outbox = new Outbox();
    await outbox.commit([eventText('a')]);
    const store = { ...outbox.store, readEvents: () => Promise.reject(new Error('no table')) };

    await expect(
      publishOutbox(await outbox.entries(), outbox.feed, { store, publisher: new Topics() }),
    ).rejects.toThrow('no table');
  });
});

describe('operational events', () => {
  test('go out while a topic takes nothing of more events of records than a feed remembers', async () => {
    const { topics, ports } = open();
    topics.fails = (text) => text.includes('timesheet.');
    const created = Array.from({ length: 2_500 }, (_, n) => eventText(`c${n}`));

    const records = await publishBatches([ofRecords('a', created)], feed, ports);
    const operations = await publishBatches([operational('b', 1)], feed, ports);
    const clockings = [eventText('new', 1, 'timesheet.clocked_in')];
    topics.fails = () => false;
    const later = await publishBatches([ofRecords('c', clockings)], feed, ports);

    expect(records).toMatchObject({ published: 0, waiting: 2_500 });
    expect(operations).toMatchObject({ published: 1, waiting: 0 });
    expect(later).toMatchObject({ published: 0, waiting: 1 });
    expect(topics.sent).toEqual(['operation-1']);
  });

  test('go out first, so that no backlog of records takes their time', async () => {
    const { topics, ports } = open();
    const backlog = singles(30).map((texts, n) => ofRecords(`a${n}`, texts));
    const hasTime = () => topics.calls < 1;

    const outcome = await publishBatches([...backlog, operational('b', 1)], feed, { ...ports, hasTime });
    const own = await publishBatches([operational('c', 2)], feed, ports);

    expect(outcome).toMatchObject({ published: 10, waiting: 21 });
    expect(own).toMatchObject({ published: 1, waiting: 0 });
    expect(topics.sent.filter((id) => id.startsWith('operation'))).toEqual(['operation-1', 'operation-2']);
    expect(topics.sent[0]).toBe('operation-1');
  });

  test('wait behind those of their feed that were not read, and delay no record', async () => {
    const { topics, ports } = open();

    await publishBatches([operational('a', 1)], feed, { ...ports, hasTime: () => false });
    const own = await publishBatches([operational('b', 2), ofRecords('b', [eventText('r')])], feed, ports);

    expect(own).toMatchObject({ published: 1, waiting: 1 });
    expect(topics.sent).toEqual(['r/1']);
  });

  const { feed, store } = new Outbox();
  const open = () => {
    const topics = new Topics();
    return { topics, ports: { store, publisher: topics, memory: new PublishState() } };
  };
  const ofRecords = (pointer: string, texts: readonly string[]): OutboxBatch => ({
    pointer,
    entries: [{ slice: '2026-03-05', pointer }],
    texts,
  });
  const operational = (pointer: string, sequence: number): OutboxBatch => {
    const { subject, ...text } = JSON.parse(eventText('', sequence, 'trouble.began'));
    const texts = [JSON.stringify({ ...text, id: `operation-${sequence}` })];
    return { pointer, entries: [{ slice: null, pointer }], texts };
  };
});

/** A feed whose polls remember, as its state does, what is left of batches. */
function watched() {
  const outbox = new Outbox();
  const topics = new Topics();
  let held = {};
  const poll = async () => {
    const memory = new PublishState(held);
    const ports = { store: outbox.store, publisher: topics, memory };
    const outcome = await publishOutbox(await outbox.entries(), outbox.feed, ports);
    held = JSON.parse(JSON.stringify(memory.held));
    return outcome;
  };
  return { outbox, topics, poll };
}
