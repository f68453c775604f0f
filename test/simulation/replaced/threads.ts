import { describe, vi } from 'vitest';
import type * as ComposeModule from '#shared/threads/compose-threads.ts';
import type * as ThreadModule from '#shared/threads/thread.ts';
import type * as HeadModule from '#shared/threads/thread-head.ts';
import type * as NewsModule from '#shared/threads/thread-news.ts';
import { testPlantedFaults } from '../planted-faults.ts';

/** Mistakes in what goes into which thread of a channel, and in what its head says. */
const PLANTED = {
  shared: 'puts all pay periods into one thread',
  single: 'begins a thread for each message',
  digest: 'tells of several pay periods in one message',
  reminders: 'keeps reminders out of the thread of their period',
  first: 'leaves the head as it was first',
  stale: 'shows in a head what was told before the latest',
  changes: 'does not show what changed after closing',
  others: 'shows in a head what changed after another closing',
  posted: 'does not note what it posted',
} as const;

const planted = vi.hoisted(() => ({ name: '' }));
const is = (name: string) => planted.name === name;

vi.mock('#shared/threads/compose-threads.ts', async (original) => {
  const right = await original<typeof ComposeModule>();
  const composeFor: typeof right.composeFor = (channel, alerts, sentAt) => {
    if (is(PLANTED.digest)) return right.composeFor({ name: channel.name }, alerts, sentAt);
    return right.composeFor(channel, alerts, sentAt).map((composed) => {
      const { message } = composed;
      if (message === null) return composed;
      const { heads, thread, ...alone } = message;
      if (is(PLANTED.changes))
        return { ...composed, message: { ...alone, ...(thread === undefined ? {} : { thread }) } };
      const isReminder = alone.title.includes(' closes ');
      return is(PLANTED.reminders) && isReminder ? { ...composed, message: alone } : composed;
    });
  };
  return { ...right, composeFor };
});

vi.mock('#shared/threads/thread-news.ts', async (original) => {
  const right = await original<typeof NewsModule>();
  const toTopic: typeof right.toTopic = (kind, connection, subject) =>
    right.toTopic(kind, connection, is(PLANTED.shared) && kind === 'period' ? 'all' : subject);
  return { ...right, toTopic };
});

vi.mock('#shared/threads/thread.ts', async (original) => {
  const right = await original<typeof ThreadModule>();
  const continues: typeof right.continues = (...given) => !is(PLANTED.single) && right.continues(...given);
  const advanceThread: typeof right.advanceThread = (thread, message, news) => {
    const advanced = right.advanceThread(thread, message, news);
    return is(PLANTED.first) ? { ...advanced, isStale: false } : advanced;
  };
  const notePosted: typeof right.notePosted = (thread, id) =>
    is(PLANTED.posted) ? thread : right.notePosted(thread, id);
  const startThread: typeof right.startThread = (...given) => {
    const thread = right.startThread(...given);
    return is(PLANTED.posted) ? { ...thread, posted: [] } : thread;
  };
  return { ...right, continues, advanceThread, notePosted, startThread };
});

vi.mock('#shared/threads/thread-head.ts', async (original) => {
  const right = await original<typeof HeadModule>();
  const buildThreadHead: typeof right.buildThreadHead = (thread) => {
    const [first] = thread.before;
    if (is(PLANTED.stale) && first !== undefined)
      return right.buildThreadHead({ ...thread, before: [], latest: first });
    const head = right.buildThreadHead(thread);
    if (!is(PLANTED.others)) return head;
    return { ...head, lines: [...head.lines, 'Since then: a timesheet of another period'] };
  };
  return { ...right, buildThreadHead };
});

describe('a channel with threads that', () => {
  testPlantedFaults(
    '%s is caught',
    Object.values(PLANTED).map((name) => ({ name })),
    planted,
  );
});
