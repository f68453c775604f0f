import { describe, expect, test } from 'vitest';
import { buildSampleEvent } from '#cli/sample-events/sample-events.ts';
import { SHORT_EVENT_TYPES } from '#shared/core/event-types.ts';
import {
  type BusEntry,
  exceedsRequest,
  MAX_REQUEST_BYTES,
  splitIntoRequests,
  toBusEntry,
} from '#shared/event-bus/bus-entry.ts';

const ENTRY: BusEntry = {
  eventId: 'e-1',
  source: '/connections/main/timesheets',
  detailType: 'workforce.timesheet.approved',
  time: '2026-11-22T00:00:00.000Z',
  detail: '',
  resources: [],
};
/** Of an entry without its detail: source, type and 14 for the time. */
const OVERHEAD = 28 + 28 + 14;

describe('an entry', () => {
  test.each(SHORT_EVENT_TYPES)('of %s has its type, source and time, and its bytes as detail', (type) => {
    const text = buildSampleEvent(type);
    const { id, source, time } = JSON.parse(text);
    expect(toBusEntry(text, {})).toEqual({
      eventId: id,
      source,
      time,
      detailType: `workforce.${type}`,
      detail: text,
      resources: [],
    });
  });

  test('of a type that is newer than this version is made as well', () => {
    const text = JSON.stringify({ id: 'e', source: '/s', type: 'workforce.new', time: ENTRY.time });
    expect(toBusEntry(text, {})).toMatchObject({ detailType: 'workforce.new', detail: text });
  });

  test.each([
    [{ replayed: 'true' }, ['replayed']],
    [{ example: 'true' }, ['example']],
    [{ replayed: 'false', type: 'workforce.timesheet.approved' }, []],
  ])('of a message with %j has the resources %j', (attributes, resources) => {
    expect(toBusEntry(buildSampleEvent('timesheet.approved'), attributes)).toMatchObject({ resources });
  });

  test.each(['', 'no JSON', '{}', '[]', 'null', JSON.stringify({ ...ENTRY, id: 'e', type: 't', time: 'x' })])(
    'is not made of %j',
    (body) => {
      expect(toBusEntry(body, {})).toBeNull();
    },
  );
});

describe('requests', () => {
  const entries = (count: number, detail: string) =>
    Array.from({ length: count }, () => ({ entry: { ...ENTRY, detail } }));
  const sizes = (count: number, detail: string) =>
    splitIntoRequests(entries(count, detail)).map(({ length }) => length);

  test('have ten entries at most', () => {
    expect(sizes(23, '{}')).toEqual([10, 10, 3]);
    expect(sizes(0, '{}')).toEqual([]);
  });

  test('are smaller than 256 KB, counted in bytes of UTF-8', () => {
    const half = MAX_REQUEST_BYTES / 2 - OVERHEAD;
    expect(sizes(2, 'x'.repeat(half))).toEqual([1, 1]);
    expect(sizes(2, 'x'.repeat(half - 1))).toEqual([2]);
    expect(sizes(2, 'é'.repeat(half / 2))).toEqual([1, 1]);
    expect(sizes(2, 'é'.repeat(half / 2 - 1))).toEqual([2]);
  });

  test('that are too large have one entry alone, and nothing else is held up', () => {
    const large = { entry: { ...ENTRY, detail: 'x'.repeat(MAX_REQUEST_BYTES) } };
    const [small] = entries(1, '{}');
    if (small === undefined) throw new Error('no entry');
    expect(splitIntoRequests([small, large, small, small]).map(({ length }) => length)).toEqual([1, 1, 2]);
  });

  test.each([
    [-1, false],
    [0, true],
  ])('take no entry of 256 KB: %d bytes more, %s', (more, exceeds) => {
    const detail = 'x'.repeat(MAX_REQUEST_BYTES - OVERHEAD + more);
    expect(exceedsRequest({ ...ENTRY, detail })).toBe(exceeds);
  });
});
