import type { WorkforceNotifierProps } from '#infra/notifier-stack.ts';
import type { NotifierConfigInput } from '#shared/config/schema/notifier-config.ts';
import { PAYING_EVENT_TYPES } from '#shared/config/schema/unheard-follow-ups.ts';
import { EVENT_TYPES, type EventType } from '#shared/core/event-types.ts';
import { buildArn } from '../account.ts';
import { TIME_ZONE } from './companies.ts';

/** The stack of the config that uses everything. */
export const EVERYTHING_STACK = 'everything';
export const CONNECTIONS = ['main', 'north', 'south'] as const;
/** Names of all companies. One of another connection is found by the name that it had. */
export const COMPANIES = [...CONNECTIONS, 'west'];
/** A queue that is there before the stack. */
export const FOUND_QUEUE = 'payroll-inbox';

/** When the channel `board` gets its daily summary. */
export const SUMMARY_AT = '08:00';
/** Those of the sample company. One reminder of each falls between two rounds of the first day. */
const CALENDARS = [
  { name: 'Weekly', closesAt: '+2d 10:30', remindBefore: ['2h'] },
  { name: 'Fortnightly', closesAt: '+2d 12:30', remindBefore: ['1h'] },
];

/** Where the companies and the receiver listen, which is known only when they run. */
export interface Addresses {
  readonly baseUrl: (connection: string) => string;
  readonly webhook: (name: string) => string;
}

type Connection = NotifierConfigInput['connections'][number];
type Webhook = NonNullable<NotifierConfigInput['webhooks']>[number];

const PEOPLE: NonNullable<NotifierConfigInput['people']> = {
  names: ['employees', 'departments'],
  channels: [
    {
      name: 'payroll',
      kind: 'slack',
      secretName: secretOf('slack'),
      channelId: 'C0123456789',
    },
    {
      name: 'night-watch',
      kind: 'slack',
      secretName: secretOf('slack-night'),
      quietHours: { from: '18:00', to: '07:00', weekends: true },
      tells: ['closings', 'late-changes', 'missing-clockings'],
    },
    {
      name: 'board',
      kind: 'teams',
      // A parameter, as all of them may be.
      secretName: `ssm:/secrets/${secretOf('teams')}`,
      tells: ['closings'],
      calendars: ['Weekly'],
      dailySummary: { at: SUMMARY_AT },
    },
    {
      name: 'office',
      kind: 'email',
      addresses: ['payroll@acme.example', 'accounts@acme.example'],
      tells: ['approvals', 'closings', 'late-changes', 'missing-clockings'],
    },
  ],
};

/** What a gate wants to know. */
export const CLOCKING_TYPES: EventType[] = EVENT_TYPES.filter((type) => type.includes('.clock'));

/** What a stack is given beside its config. */
export type StackChoices = Omit<WorkforceNotifierProps, 'config'>;

/** Of that config. */
export const EVERYTHING_PROPS: StackChoices = {
  encryption: 'customer-managed',
  network: { subnetIds: ['subnet-0a1b2c3d'], securityGroupIds: ['sg-0a1b2c3d'] },
};

/** A config that uses everything. */
export function buildEverything(addresses: Addresses): NotifierConfigInput {
  const connection = (name: string): Connection => buildConnection(name, addresses);
  const webhook = (name: string): Webhook => buildWebhook(name, addresses);
  return {
    stackName: EVERYTHING_STACK,
    connections: [
      { ...connection('main'), absences: { clockInMinutes: 10, clockOutHours: 1 }, calendars: CALENDARS },
      { ...connection('north'), retentionDays: 30 },
      { ...connection('south'), window: { backDays: 20, forwardDays: 7 } },
    ],
    poll: { directory: true, memoryMb: 640 },
    alarms: { email: 'operations@acme.example' },
    people: PEOPLE,
    webhooks: [
      {
        ...webhook('payroll-system'),
        topics: ['timesheets', 'pay-periods'],
        filter: { type: PAYING_EVENT_TYPES },
      },
      { ...webhook('archive'), topics: ['timesheets', 'pay-periods'] },
      { ...webhook('gate'), topics: ['timesheets'], filter: { connection: ['north'], type: CLOCKING_TYPES } },
    ],
    queues: [
      {
        name: 'planning',
        topics: ['timesheets', 'directory'],
        filter: { connection: ['main', 'south'] },
      },
      { name: 'payroll', topics: ['timesheets', 'pay-periods'], queueArn: buildArn('sqs', FOUND_QUEUE) },
    ],
  };
}

/** Names of queues of the config in which events arrive. */
export const EVERYTHING_QUEUES = [`${EVERYTHING_STACK}-planning`, FOUND_QUEUE];

export function secretOf(name: string): string {
  return `${EVERYTHING_STACK}/${name}`;
}

export function buildConnection(name: string, { baseUrl }: Addresses): Connection {
  const pace = { maxPerSecond: 1_000 };
  return { name, baseUrl: baseUrl(name), timeZone: TIME_ZONE, secretName: secretOf(name), requests: pace };
}

/** Loopback and http are allowed in so many words, as for any receiver inside a network. */
export function buildWebhook(name: string, { webhook }: Addresses): Webhook {
  const allow = { http: true, privateAddresses: true };
  return {
    name,
    url: webhook(name),
    secretName: secretOf(`webhooks-${name}`),
    topics: ['timesheets'],
    allow,
  };
}
