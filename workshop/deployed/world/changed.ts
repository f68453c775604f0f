import type { NotifierConfigInput } from '#shared/config/schema/notifier-config.ts';
import { buildArn } from '../account.ts';
import {
  type Addresses,
  buildConnection,
  buildEverything,
  buildWebhook,
  CLOCKING_TYPES,
  EVERYTHING_STACK,
  FOUND_QUEUE,
  secretOf,
} from './everything.ts';

export const CHANGED_QUEUES = [`${EVERYTHING_STACK}-audit`, FOUND_QUEUE];

/**
 * The config that uses everything, with a connection, a webhook, a channel and a queue added, removed and renamed
 * each. `main`, `payroll-system`, the channels `payroll` and `office`, and the queue that was found stay; missing
 * clockings, deadlines and daily summaries are not asked for any more.
 */
export function buildChanged(addresses: Addresses): NotifierConfigInput {
  const before = buildEverything(addresses);
  const { channels = [], ...ofPeople } = before.people ?? {};
  const { webhooks = [] } = before;
  const webhook = (name: string) => buildWebhook(name, addresses);
  return {
    ...before,
    connections: [
      buildConnection('main', addresses),
      // `north` is called `nord`, `south` is gone, `west` is new.
      { ...buildConnection('nord', addresses), secretName: secretOf('north') },
      buildConnection('west', addresses),
    ],
    people: {
      ...ofPeople,
      channels: [
        ...channels
          .filter(({ name }) => name !== 'night-watch')
          .map(({ dailySummary, ...channel }) => channel),
        { name: 'night-desk', kind: 'slack', secretName: secretOf('slack-night') },
      ],
    },
    webhooks: [
      ...webhooks.filter(({ name }) => name === 'payroll-system'),
      // `archive` renamed and without its order, in which an event of an older record would wait three minutes; `gate`
      // removed, `door` added.
      {
        ...webhook('vault'),
        secretName: secretOf('webhooks-archive'),
        topics: ['timesheets', 'pay-periods'],
      },
      {
        ...webhook('door'),
        secretName: secretOf('webhooks-gate'),
        topics: ['timesheets'],
        filter: { type: CLOCKING_TYPES },
      },
    ],
    queues: [
      // `planning` removed, `audit` added.
      { name: 'audit', topics: ['operations', 'timesheets'] },
      { name: 'payroll', topics: ['timesheets', 'pay-periods'], queueArn: buildArn('sqs', FOUND_QUEUE) },
    ],
  };
}
