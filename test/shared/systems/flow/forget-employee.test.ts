import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { type Folded, fold, isRecordEvent, parseEvent, type RecordEvent } from 'workforce-change-notifier';
import { timesheet } from '#test/support/builders.ts';
import { crashable } from '#test/support/crashable.ts';
import { AWAY_DAYS, CANARY, ForgetWorld, KEPT, NAME, REMOVED, TRACE } from './forget-world.ts';

/** Items in which the person is found before: each kind that can hold one. */
const KINDS = [
  /^main#timesheets#leaves/,
  /^main#timesheets#events/,
  /^main#pay-periods#events/,
  /^main#pay-periods#ledgers/,
  /^main#membership/,
  /^alerts#payroll \/ waiting/,
  /^alerts#payroll \/ sealed/,
  /^alerts#[0-9a-f]{32} \/ reverted/,
  /^main#employees \/ state/,
  /^main#employees#leaves/,
  /^main#employees#events/,
  /^main#departments#leaves/,
  /^main#departments#events/,
];
const OWN = [...KEPT, REMOVED].sort();

let lived: ForgetWorld;
let world: ForgetWorld;

beforeAll(async () => {
  lived = await ForgetWorld.live();
});
beforeEach(async () => {
  world = await lived.again();
});
afterAll(() => lived.stop());

describe('an employee who is forgotten', () => {
  test('is in no item of the table any more, and was in all kinds of them', async () => {
    const before = await world.findTraces();
    for (const kind of KINDS) expect(before.filter((key) => kind.test(key))).not.toEqual([]);
    await world.leaveDates();

    expect(await world.forget()).toMatchObject({ timesheets: 3 });

    expect(await world.findTraces()).toEqual([]);
  });

  test('leaves ids and positions of timesheets, so that they keep their order', async () => {
    await world.leaveDates();
    const before = await positionsOf(world);
    await world.forget();

    const after = await positionsOf(world);
    expect(after.slice(0, before.length)).toEqual(before);
    // One event more for each timesheet, with the next sequence.
    const last = (id: string) => before.filter(([, subject]) => subject === id).at(-1)?.[2] ?? 0;
    expect(after.slice(before.length).map(([, id, sequence]) => [id, sequence])).toEqual(
      OWN.toSorted((a, b) => dateOf(a) - dateOf(b)).map((id) => [id, last(id) + 1]),
    );
    expect(await world.findTraces(/main#timesheets#leaves/)).not.toEqual([]);
    const kept = await world.scan();
    for (const id of OWN) expect([...kept.values()].join()).toContain(id);
  });

  test('is told with the next poll, and nothing else is', async () => {
    await world.leaveDates();
    world.harness.news();
    await world.forget();
    await world.look();

    expect(world.harness.news().toSorted()).toEqual(OWN.map((id) => `employee.forgotten ${id}`));
    await world.look();
    expect(world.harness.news()).toEqual([]);
    expect(await world.findTraces()).toEqual([]);
  });

  test('does not change what is stored and told of others', async () => {
    await world.leaveDates();
    const isOther = (text: string) => text.includes('"1001_7"') || text.includes('"1002_7"');
    const before = (await world.readLog()).filter((text) => isOther(text) && !text.includes('pay_period'));
    await world.forget();
    await world.look();
    expect((await world.readLog()).filter((text) => before.includes(text))).toEqual(before);

    world.harness.news();
    world.harness.put(timesheet({ id: '1005_7', date: world.harness.day(AWAY_DAYS) }));
    await world.look();
    world.harness.change({ hoursToPay: 3 }, ['1005_7']);
    await world.look();
    expect(world.harness.news()).toEqual(['timesheet.created 1005_7', 'timesheet.changed 1005_7']);
  });

  test('is folded by subscribers to nothing but a position, from what was published and from the log', async () => {
    await world.leaveDates();
    await world.forget();
    await world.look();

    for (const texts of [world.harness.texts, await world.readLog()]) {
      const states = foldAll(texts);
      for (const id of OWN)
        expect(states.get(id)).toMatchObject({ current: null, removed: true, missing: [] });
      expect(states.get('1001_7')).toMatchObject({ removed: false, current: { hoursToPay: 7.5 } });
      expect([...states].filter(([id]) => OWN.includes(id)).join()).not.toMatch(TRACE);
    }
  });

  test('is forgotten once: a second run changes nothing', async () => {
    await world.leaveDates();
    await world.forget();
    await world.look();
    const before = await world.scan();
    expect(await world.forget()).toEqual({ timesheets: 0, items: 0 });
    expect(await world.scan()).toEqual(before);
  });

  test('leaves statements, reminders and sealed messages to those whose they are as well', async () => {
    await world.leaveDates();
    await world.forget();
    const statement = (await world.readLog()).find((text) => text.includes('pay_period.closed')) ?? '';
    const { timesheets, leftovers } = JSON.parse(statement).data.closeManifest;
    expect([timesheets, leftovers.map(({ timesheetId }: { timesheetId: string }) => timesheetId)]).toEqual([
      4,
      ['1002_7'],
    ]);
    const { sealed, waiting } = await world.alerts.open('payroll', 100);
    expect(sealed.map(({ message }) => message?.title)).not.toEqual([]);
    expect(waiting.map(({ subject }) => subject)).toContain('1002_7');
    expect(waiting.filter(({ subject }) => OWN.includes(subject ?? ''))).toEqual([]);
  });

  test('is nobody in the events of the directory, which keep their ids and positions', async () => {
    const ofDirectory = async () =>
      (await world.readLog())
        .map((text) => JSON.parse(text))
        .filter(
          ({ source, subject }) => /employees$/.test(source) && [CANARY, '(forgotten)'].includes(subject),
        );
    await world.leaveDates();
    const before = await ofDirectory();
    expect(before.map(({ type }) => type.replace('workforce.', ''))).toEqual([
      ...['employee.joined', 'employee.moved', 'trouble.began', 'employee.moved', 'trouble.ended'],
      'employee.left',
    ]);
    await world.forget();

    const after = await ofDirectory();
    expect(after.map(({ id, epoch, sequence, time }) => ({ id, epoch, sequence, time }))).toEqual(
      before.map(({ id, epoch, sequence, time }) => ({ id, epoch, sequence, time })),
    );
    for (const event of after) {
      expect(parseEvent(JSON.stringify(event)).outcome).toBe('event');
      const { employeeId, about, ...data } = event.data;
      expect([employeeId ?? about[0], data.current ?? null]).toEqual(['(forgotten)', null]);
    }
    expect(new Set(after.map(({ type }) => type))).toEqual(
      new Set(['employee.left', 'trouble.began', 'trouble.ended'].map((type) => `workforce.${type}`)),
    );
  });

  test('who managed a department is not told to manage it, and whoever does next is', async () => {
    await world.forget();
    world.list({ managers: ['', ''] });
    world.harness.news();
    await world.look();
    // Nobody was told that the employee does not manage them any more.
    expect(world.harness.news().filter((text) => text.startsWith('department'))).toEqual(
      ['501_7', '502_7'].map((id) => `department.manager_changed ${id}`),
    );
    expect(await world.findTraces(new RegExp(`departments.*${CANARY}`))).toEqual([]);
  });

  test('who is unknown changes nothing', async () => {
    const before = await world.scan();
    expect(await world.forget({}, 'nobody_7')).toEqual({ timesheets: 0, items: 0 });
    expect(await world.scan()).toEqual(before);
  });
});

describe('an employee whom the source still lists', () => {
  test('comes back with the next poll, after the last position', async () => {
    world.list({ own: ['501_7'], managers: [NAME, CANARY] });
    await world.look();
    world.harness.news();
    expect(await world.forget()).toMatchObject({ timesheets: 3 });
    await world.look();
    await world.look();

    expect(new Set(world.harness.news())).toEqual(
      new Set([
        `employee.joined ${CANARY}`,
        ...['501_7', '502_7'].map((id) => `department.manager_changed ${id}`),
        ...OWN.map((id) => `employee.forgotten ${id}`),
        ...KEPT.map((id) => `timesheet.created ${id}`),
        `timesheet.approved ${KEPT[0]}`,
      ]),
    );
    const states = foldAll(world.harness.texts);
    for (const id of KEPT) expect(states.get(id)).toMatchObject({ removed: false, missing: [] });
    expect(await world.findTraces()).not.toEqual([]);

    await world.leaveDates();
    await world.forget();
    expect(await world.findTraces()).toEqual([]);
  });
});

describe('a run that is killed', () => {
  test.each([1, 2, 3, 4])('at its call %i is finished by the next one', async (crashesAt) => {
    await world.leaveDates();
    world.harness.news();
    const plan = { crashesAt, when: 'after', calls: 0, crashed: false } as const;
    const { store, eraser } = world.ports;
    const ports = {
      store: { ...store, commit: crashable({ commit: store.commit }, plan).commit },
      eraser: crashable(eraser, plan),
    };
    await expect(world.forget(ports)).rejects.toThrow();

    await world.forget();
    expect(await world.findTraces()).toEqual([]);
    await world.look();
    expect(world.harness.news().toSorted()).toEqual(OWN.map((id) => `employee.forgotten ${id}`));
    expect(await world.forget()).toEqual({ timesheets: 0, items: 0 });
  });
});

describe('a run that is killed among the items', () => {
  test.each([0, 3, 9, 15])('after %i of them is finished by the next one', async (items) => {
    await world.leaveDates();
    await expect(world.forget({ eraser: world.eraserUntil(items) })).rejects.toThrow();
    expect(await world.findTraces()).not.toEqual([]);

    await world.forget();
    expect(await world.findTraces()).toEqual([]);
    const before = await world.scan();
    expect(await world.forget()).toEqual({ timesheets: 0, items: 0 });
    expect(await world.scan()).toEqual(before);
  });
});

describe('leaves that no head points to', () => {
  const FEED = { connection: 'main', feed: 'timesheets' } as const;

  test('are deleted, but for those that a poll may still be writing', async () => {
    const { store } = world.harness;
    await world.leaveDates();
    const heads = await store.loadHeads(FEED, '');
    const left = heads.flatMap((head) =>
      [head.revision, head.revision + 1].map((revision) => ({
        ...{ slice: head.slice, generation: `${revision}-killed`, index: 0, tombstones: [] },
        rows: [{ id: KEPT[0] ?? '', state: [CANARY], sequence: 1, epoch: 1, seenAt: null, sent: {} }],
      })),
    );
    await store.writeGeneration(FEED, left as never);
    expect((await world.findTraces(/-killed/)).length).toBe(2 * heads.length);

    await world.forget();

    const now = new Map((await store.loadHeads(FEED, '')).map((head) => [head.slice, head.revision]));
    const kept = (await world.findTraces(/-killed/)).map((key) => /leaves#(.+) \/ (\d+)-/.exec(key) ?? []);
    expect(kept.filter(([, slice = '', revision]) => Number(revision) <= (now.get(slice) ?? 0))).toEqual([]);
    // Slices without a timesheet of the person have the revision that they had.
    expect(kept.length).toBe(heads.filter(({ slice, revision }) => now.get(slice) === revision).length);
    expect(kept.length).toBeGreaterThan(0);
  });
});

describe('a poll beside the run', () => {
  test('that moves a timesheet to a date that was read already does not keep it', async () => {
    const { store } = world.harness;
    let moved = false;
    const commit: typeof store.commit = async (step) => {
      if (!moved) {
        moved = true;
        world.harness.change({ date: '2026-03-06' }, [KEPT[0] ?? '']);
        await world.harness.poll({ scope: 'window' });
      }
      return await store.commit(step);
    };
    expect(await world.forget({ store: { ...store, commit } })).toMatchObject({ timesheets: 3 });

    expect(await world.findTraces()).toEqual([]);
    world.harness.news();
    for (const id of KEPT) world.harness.remove(id);
    await world.look();
    expect(world.harness.news()).toEqual(expect.arrayContaining(OWN.map((id) => `employee.forgotten ${id}`)));
  });

  test('that commits first is not undone, and its events are kept', async () => {
    const { store } = world.harness;
    let polled = false;
    const commit: typeof store.commit = async (step) => {
      if (!polled) {
        polled = true;
        world.harness.change({ hoursToPay: 2 }, ['1001_7']);
        await world.look();
      }
      return await store.commit(step);
    };
    world.harness.news();
    await world.forget({ store: { ...store, commit } });

    expect(world.harness.news()).toContain('timesheet.changed 1001_7');
    expect(await world.findTraces()).toEqual([]);
  });

  test('between two commits of a slice leaves each timesheet with one event', async () => {
    const { harness } = world;
    const ids = Array.from({ length: 2_000 }, (_, n) => `${5_000 + n}_7`);
    harness.put(...ids.map((id) => timesheet({ id, employeeId: CANARY })));
    await harness.poll({ scope: 'window' });
    const { store } = harness;
    const outcomes: string[] = [];
    const commit: typeof store.commit = async (step) => {
      const outcome = outcomes.length === 2 ? 'conflict' : await store.commit(step);
      outcomes.push(outcome);
      return outcome;
    };
    const { timesheets } = await world.forget({ store: { ...store, commit } });
    expect(outcomes.slice(0, 4)).toEqual(['committed', 'committed', 'conflict', 'committed']);
    expect(timesheets).toBe(ids.length + OWN.length);
    const forgotten = (await world.readLog()).filter((text) => text.includes('employee.forgotten'));
    const last = new Map(
      forgotten.map((text) => JSON.parse(text)).map(({ subject, sequence }) => [subject, sequence]),
    );
    expect(ids.map((id) => last.get(id))).toEqual(ids.map(() => 2));
  });

  test('that read before it commits nothing over it', async () => {
    const { store } = world.harness;
    world.harness.change({ hoursToPay: 7.13 }, ['1002_7', ...KEPT]);
    const { commit } = store;
    const outcomes: string[] = [];
    store.commit = async (step) => {
      store.commit = commit;
      await world.forget();
      outcomes.push(await commit(step));
      return outcomes[0] as 'conflict';
    };
    world.harness.change({ startTime: '2026-03-04T22:00:00.000Z' }, KEPT);
    await world.harness.poll({ scope: 'window' });
    expect(outcomes).toEqual(['conflict']);
  });
});

function dateOf(id: string): number {
  return id === KEPT[0] ? 0 : 1;
}

/** Id, record and sequence of the events of the log that are about timesheets. */
async function positionsOf(stored: ForgetWorld): Promise<[string, string, number][]> {
  const events = (await stored.readLog()).map((text) => JSON.parse(text));
  return events
    .filter(({ type }) => /\.timesheet\.|\.forgotten$/.test(type))
    .map(({ id, subject, sequence }) => [id, subject, sequence]);
}

function foldAll(texts: readonly string[]): Map<string, Folded> {
  const states = new Map<string, Folded>();
  for (const text of texts) {
    const parsed = parseEvent(text);
    expect(parsed.outcome).toBe('event');
    if (parsed.outcome !== 'event' || !isRecordEvent(parsed.event)) continue;
    const event: RecordEvent = parsed.event;
    const { subject = '' } = event;
    states.set(subject, fold<RecordEvent>(states.get(subject) ?? null, event).state);
  }
  return states;
}
