import type { SampleOperation } from './sample-operations.ts';

/** The operations about how polling keeps up, in order of time. */
export const SAMPLE_PROGRESS: readonly SampleOperation[] = [
  {
    at: '2026-11-14T19:20:00.415Z',
    operation: {
      type: 'slice.unreadable',
      subject: '2026-11-02',
      data: {
        slice: '2026-11-02',
        since: '2026-11-14T19:17:00.502Z',
        attempts: 3,
        reason: 'source_failed',
        nextTryAt: '2026-11-14T19:24:00.415Z',
      },
    },
  },
  {
    at: '2026-11-14T20:04:00.731Z',
    operation: {
      type: 'slice.readable',
      subject: '2026-11-02',
      data: { slice: '2026-11-02', since: '2026-11-14T19:17:00.502Z', attempts: 6 },
    },
  },
  {
    at: '2026-11-14T20:31:01.160Z',
    operation: {
      type: 'feed.lagging',
      subject: null,
      data: {
        since: '2026-11-14T20:26:00.284Z',
        worst: [
          { class: 'active', dates: ['2026-11-09', '2026-11-10'], lateSeconds: 460 },
          { class: 'settled', dates: ['2026-10-12'], lateSeconds: 10_800 },
        ],
      },
    },
  },
  {
    at: '2026-11-14T21:15:00.902Z',
    operation: { type: 'feed.caught_up', subject: null, data: { since: '2026-11-14T20:26:00.284Z' } },
  },
  {
    at: '2026-11-15T00:19:00.367Z',
    operation: {
      type: 'slice.mass_change',
      subject: '2026-11-13',
      data: {
        slice: '2026-11-13',
        field: 'approvedHours',
        direction: 'lost',
        records: 41,
        known: 55,
        firstSeenAt: '2026-11-15T00:17:00.811Z',
        confirmedAt: '2026-11-15T00:19:00.367Z',
      },
    },
  },
  {
    at: '2026-11-15T01:40:00.559Z',
    operation: {
      type: 'source.form_changed',
      subject: null,
      data: {
        since: '2026-11-15T01:40:00.559Z',
        fields: [{ field: 'hoursToPay', kinds: ['string'] }],
        bad: 277,
        records: 277,
      },
    },
  },
  {
    at: '2026-11-15T02:55:00.193Z',
    operation: { type: 'source.form_restored', subject: null, data: { since: '2026-11-15T01:40:00.559Z' } },
  },
  {
    at: '2026-11-15T03:12:00.640Z',
    operation: {
      type: 'publish.failed',
      subject: null,
      data: {
        reason: 'refused',
        events: 2,
        eventIds: ['5b0c7d0c2c5f4b0ea3a6b6e8a2c9d4f1', '9e1f4a7b3d2c4c8f8b5a6d7e0f1c2b3a'],
        records: ['910001_4711'],
        committedAt: '2026-11-15T03:11:00.028Z',
      },
    },
  },
];
