import { describe, expect, test } from 'vitest';
import type { Breadth } from '../breadth/breadth.ts';
import { Faults } from '../faults.ts';
import { Journal, type PollEntry } from '../journal.ts';
import { Random } from '../random.ts';
import { fakePublisher } from './fake-publisher.ts';

const EVENT = JSON.stringify({
  id: '1',
  type: 'workforce.timesheet.created',
  source: '/connections/acme/timesheets',
  subject: '3_1',
  data: {},
});
const BREADTH: Breadth = {
  form: null,
  takenFact: null,
  refusedShare: 1,
  retentionDays: null,
  widenedAt: null,
  absences: null,
  repeatForSeconds: 0,
  delivered: false,
  reminders: null,
  watermark: false,
  company: null,
  habits: { rewrites: false, doubled: null, limited: false, clockStep: null },
};

describe('the publisher of the simulation', () => {
  test('never delivers what it refuses for good, not even where its answer is lost', async () => {
    const faults = drawFaults();
    const journal = new Journal();
    const publisher = fakePublisher(
      { journal, refusals: [], breadth: BREADTH },
      {
        poll: 0,
        entry: { troubles: new Set() } as PollEntry,
        life: { pause: async () => {}, crash: () => new Promise<never>(() => {}) },
        faults,
        now: () => 0,
        time: () => 0,
      },
    );
    for (let call = 0; call < 100; call += 1) await publisher.publish([EVENT]);
    expect(faults.counts.get('publish_answer_lost')).toBeGreaterThan(0);
    expect(journal.lost).not.toEqual([]);
    expect(journal.publications).toEqual([]);
  });
});

/** Faults under which answers are lost and polls do not crash. */
function drawFaults(): Faults {
  for (let seed = 1; ; seed += 1) {
    const faults = new Faults(new Random(seed));
    const canCrash = faults.has('crash_before:publish') || faults.has('crash_after:publish');
    if (faults.has('publish_answer_lost') && !canCrash) return faults;
  }
}
