import type { Operation } from '#shared/core/records/operation.ts';
import { SAMPLE_PROGRESS } from './sample-progress.ts';

/** An operation, and when it was detected (RFC 3339). */
export interface SampleOperation {
  readonly at: string;
  readonly operation: Operation;
}

/** One operation of every type of the feed of timesheets, in order of time. */
export const SAMPLE_OPERATIONS: readonly SampleOperation[] = [
  {
    at: '2026-11-08T18:58:03.220Z',
    operation: {
      type: 'baseline.completed',
      subject: null,
      data: {
        from: '2026-10-10',
        to: '2026-11-23',
        records: 2_410,
        startedAt: '2026-11-08T18:58:00.000Z',
        completedAt: '2026-11-08T18:58:03.220Z',
      },
    },
  },
  {
    at: '2026-11-13T02:09:00.090Z',
    operation: {
      type: 'source.unreachable',
      subject: null,
      data: { failingSince: '2026-11-13T02:05:00.044Z', failedPolls: 5, reason: 'source_failed' },
    },
  },
  {
    at: '2026-11-13T02:31:02.613Z',
    operation: {
      type: 'source.recovered',
      subject: null,
      data: { unreachableSince: '2026-11-13T02:05:00.044Z', failedPolls: 26 },
    },
  },
  {
    at: '2026-11-13T03:12:00.782Z',
    operation: {
      type: 'record.quarantined',
      subject: '910002_4711',
      data: { recordId: '910002_4711', issues: ['hoursToPay'] },
    },
  },
  {
    at: '2026-11-13T05:47:00.318Z',
    operation: {
      type: 'record.readable',
      subject: '910002_4711',
      data: { recordId: '910002_4711', since: '2026-11-13T03:12:00.782Z' },
    },
  },
  {
    at: '2026-11-14T00:20:01.006Z',
    operation: {
      type: 'slice.shrunk',
      subject: '2026-11-13',
      data: { slice: '2026-11-13', missing: 41, known: 55 },
    },
  },
  {
    at: '2026-11-14T01:05:00.470Z',
    operation: {
      type: 'slice.whole',
      subject: '2026-11-13',
      data: { slice: '2026-11-13', since: '2026-11-14T00:20:01.006Z' },
    },
  },
  {
    at: '2026-11-14T04:45:00.338Z',
    operation: { type: 'poll.stalled', subject: null, data: { completedAt: '2026-11-14T04:14:00.571Z' } },
  },
  {
    at: '2026-11-14T05:20:00.291Z',
    operation: { type: 'poll.resumed', subject: null, data: { stalledSince: '2026-11-14T04:45:00.338Z' } },
  },
  ...SAMPLE_PROGRESS,
];
