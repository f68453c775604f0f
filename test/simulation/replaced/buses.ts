import { describe, vi } from 'vitest';
import type * as AdapterModule from '#shared/adapters/event-bus/event-bus.ts';
import type * as EntryModule from '#shared/event-bus/bus-entry.ts';
import type * as DeliverModule from '#shared/event-bus/flow/deliver-to-bus.ts';
import { testPlantedFaults } from '../planted-faults.ts';

/** Mistakes on the way from a queue to a bus of EventBridge. */
const PLANTED = {
  whole: 'takes a request for taken of which entries failed',
  shifted: 'reads the answer of an entry as that of the next',
  again: 'puts a whole request again for one entry',
  early: 'lets the queue forget what the bus did not take',
  late: 'leaves in the queue what the bus took',
  buried: 'gives up what the bus is too busy for',
  named: 'puts each event under an id of its own',
  typed: 'calls every event of a timesheet a change',
  marked: 'does not say that an event is sent again',
  turned: 'puts the latest of a request first',
} as const;

const planted = vi.hoisted(() => ({ name: '' }));
const is = (name: string) => planted.name === name;

vi.mock('#shared/adapters/event-bus/event-bus.ts', async (original) => {
  const right = await original<typeof AdapterModule>();
  const createEventBus: typeof right.createEventBus = (options) => {
    const bus = right.createEventBus(options);
    return {
      put: async (entries) => {
        const answers = await bus.put(entries);
        const isTaken = answers.some(({ outcome }) => outcome === 'taken');
        if (is(PLANTED.whole) && isTaken) return answers.map(() => ({ outcome: 'taken' }));
        if (is(PLANTED.shifted)) return answers.map((answer, at) => answers[at + 1] ?? answer);
        const busy = answers.find(({ outcome }) => outcome === 'busy');
        if (is(PLANTED.again) && busy !== undefined) return answers.map(() => busy);
        if (!is(PLANTED.buried)) return answers;
        return answers.map((answer) =>
          answer.outcome === 'busy' ? { ...answer, outcome: 'refused' } : answer,
        );
      },
    };
  };
  return { ...right, createEventBus };
});

vi.mock('#shared/event-bus/flow/deliver-to-bus.ts', async (original) => {
  const right = await original<typeof DeliverModule>();
  const deliverToBus: typeof right.deliverToBus = async (batch, ports) => {
    const result = await right.deliverToBus(batch, ports);
    if (is(PLANTED.early)) return { failed: [] };
    const isFailing = result.failed.length > 0;
    return is(PLANTED.late) && isFailing ? { failed: batch.messages.map(({ id }) => id) } : result;
  };
  return { ...right, deliverToBus };
});

vi.mock('#shared/event-bus/bus-entry.ts', async (original) => {
  const right = await original<typeof EntryModule>();
  let entries = 0;
  const toBusEntry: typeof right.toBusEntry = (body, attributes) => {
    const entry = right.toBusEntry(body, is(PLANTED.marked) ? {} : attributes);
    if (entry === null) return null;
    entries += 1;
    if (is(PLANTED.named))
      return { ...entry, detail: body.replace(entry.eventId, `${entry.eventId}-${entries}`) };
    const isOfTimesheet = entry.detailType.includes('.timesheet.');
    return is(PLANTED.typed) && isOfTimesheet
      ? { ...entry, detailType: 'workforce.timesheet.changed' }
      : entry;
  };
  const splitIntoRequests: typeof right.splitIntoRequests = (items) => {
    const requests = right.splitIntoRequests(items);
    return is(PLANTED.turned) ? requests.map((request) => request.toReversed()) : requests;
  };
  return { ...right, toBusEntry, splitIntoRequests };
});

describe('a way to the bus that', () => {
  testPlantedFaults(
    '%s is caught',
    Object.values(PLANTED).map((name) => ({ name, said: /^bus: / })),
    planted,
  );
});
