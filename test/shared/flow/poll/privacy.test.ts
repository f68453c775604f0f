import { expect, test } from 'vitest';
import { toRefusalError } from '#shared/adapters/workforce-api/http/failures.ts';
import { connectionSchema } from '#shared/config/schema/connection.ts';
import { walkPages } from '#shared/core/fetch/pages.ts';
import { GUARDS } from '#shared/core/guards.ts';
import type { SourceApi } from '#shared/flow/poll/ports.ts';
import { poll } from '#shared/flow/poll.ts';
import type { OutcomeLine } from '#shared/flow/system.ts';
import { createMemorySnapshotStore } from '#test/support/memory-snapshot-store.ts';

const NOW = Date.parse('2026-03-05T01:00:00Z');
const feed = { connection: 'main', feed: 'timesheets' } as const;

test.each([400, 401, 403, 404, 429, 500])(
  'what the source says with %i gets into no report, line, event or state of a poll',
  async (status) => {
    const asked = {
      purpose: 'read',
      place: 'https://a.example/timesheets',
      secretName: 's',
      secrets: [],
    } as const;
    const error = toRefusalError(status, '{"error":"no bank account of Jane Doe, 12 Elm St"}', asked);
    const kept: unknown[] = [];
    const store = createMemorySnapshotStore();
    const connection = connectionSchema.parse({
      name: 'main',
      baseUrl: 'https://a.example',
      timeZone: 'UTC',
      secretName: 's',
      window: { backDays: 1, forwardDays: 1 },
    });
    const source: SourceApi = {
      counts: () => ({ requests: 1, throttled: 0 }),
      lookUp: () => Promise.reject(error),
      pages: () => walkPages(() => Promise.reject(error)),
    };

    const guards = { ...GUARDS, unreachableAfterPolls: 1 };
    for (const runId of ['one', 'two']) {
      const report = await poll(
        { feed: 'timesheets', request: { connection, scope: 'due' }, runId, deadline: NOW + 60_000, guards },
        {
          store,
          source,
          clock: { now: () => NOW },
          telemetry: { report: (line: OutcomeLine) => void kept.push(line) },
          publisher: {
            publish: async (texts) => {
              kept.push(...texts);
              return { published: texts.length, unpublished: [], requests: 1 };
            },
          },
        },
      );
      kept.push(report);
    }
    kept.push(await store.loadFeedState(feed));

    expect(error.said).toContain('Jane Doe');
    expect(JSON.stringify(kept)).toContain(`(${status}) at https://a.example/timesheets`);
    expect(JSON.stringify(kept)).not.toContain('Jane Doe');
  },
);
