import { describe, expect, test } from 'vitest';
import { readStartRequest } from '#shared/config/requests/replay-request.ts';
import { EVERYTHING, type Resource, synthesize } from './synthesized.ts';

const SCHEDULE = 'Replay/Schedules/start';
const WITHOUT_START = {
  ...EVERYTHING,
  subscriptions: [{ name: 'payroll', topics: ['timesheets' as const] }],
};
const [WEBHOOK] = EVERYTHING.webhooks ?? [];

describe('a receiver that starts with a snapshot', () => {
  test('is in the request of a schedule, with what it subscribes to', () => {
    const { at } = synthesize({
      ...EVERYTHING,
      subscriptions: [
        { name: 'payroll', topics: ['timesheets'], startWith: 'snapshot' },
        { name: 'other', topics: ['timesheets'] },
      ],
      webhooks: WEBHOOK === undefined ? [] : [{ ...WEBHOOK, startWith: { snapshot: 3 } }],
    });
    const request = readStartRequest(
      JSON.parse(inputOf(at(SCHEDULE)).replaceAll(/<[^>]*>/g, 'https://queue')),
    );
    expect(request.connections).toEqual(['main']);
    expect(request.receivers.map(({ name, generation }) => [name, generation])).toEqual([
      ['subscription-payroll', 1],
      ['webhook-system', 3],
    ]);
    expect(request.receivers[0]?.interest).toEqual({ topics: ['timesheets'], filter: {} });
  });

  test('is subscribed before the schedule knows it', () => {
    const { at, ofType } = synthesize(EVERYTHING);
    const own = ofType('AWS::SNS::Subscription')
      .map(({ path }) => path)
      .filter((path) => path.startsWith('Subscription-payroll/'));
    expect(own.length).toBeGreaterThan(0);
    expect(at(SCHEDULE).dependsOn).toEqual(expect.arrayContaining(own));
  });

  test('is what a schedule and its permissions are made for, and only then', () => {
    const { resources, at } = synthesize(WITHOUT_START);
    const own = resources.filter(({ path }) => /^Replay\/Schedules/.test(path));
    expect(own).toEqual([]);
    expect(JSON.stringify(at('Replay/Role').properties)).not.toContain('NoteStarts');
  });
});

function inputOf({ properties }: Resource): string {
  return (properties.Target as { readonly Input: string }).Input;
}
