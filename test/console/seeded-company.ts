import { SendMessageBatchCommand } from '@aws-sdk/client-sqs';
import config from '#config';
import { type ConsoleContext, createConsoleContext } from '#console/server/context.ts';
import { type Company, createCompany } from '#local/source/company/company.ts';
import { createDeliveryStore } from '#shared/adapters/dynamo/deliveries/delivery-store.ts';
import { createDynamoStore } from '#shared/adapters/dynamo/store.ts';
import type { PollRequest } from '#shared/config/requests/poll-request.ts';
import { parseNotifierConfig } from '#shared/config/schema/notifier-config.ts';
import { toIso } from '#shared/core/dates.ts';
import type { Delivery } from '#shared/flow/deliveries.ts';
import type { Target } from '#shared/operator/target.ts';
import { startEmbeddedDynamo } from '#test/support/embedded-dynamo.ts';
import { PollHarness } from '#test/support/poll-harness.ts';
import { showCompany } from '#test/support/show-company.ts';

/** 07:45 on a Friday in Auckland, which is summer time. */
const MORNING = Date.parse('2026-11-19T18:45:00Z');
const TIME_ZONE = 'Pacific/Auckland';
const WINDOW = { backDays: 14, forwardDays: 5 };
const CALENDARS = [{ name: 'Weekly', closesAt: 'Fri 10:00' }];
const MINUTE_MS = 60_000;
const DAY_MS = 86_400_000;
const WEBHOOK = 'webhook/payroll-system';
const FEEDS: PollRequest['feeds'] = [
  { name: 'pay-periods', silent: false },
  { name: 'timesheets', silent: false },
  { name: 'employees', silent: true },
  { name: 'departments', silent: true },
];

/** The sample company of a seed in virtual time, as the notifier saw it, for the console to look at. */
export interface SeededCompany {
  readonly company: Company;
  readonly harness: PollHarness;
  readonly target: Target;
  readonly context: ConsoleContext;
  /** What was sent again, by queue and in its order. */
  readonly sent: readonly SentAgain[];
  /** Lives for so many minutes, with a poll every `everyMinutes`. */
  live(minutes: number, everyMinutes?: number): Promise<void>;
  /** The webhook of the config took none of the attempts to send it an event. */
  giveUp(eventId: string): Promise<void>;
  /** One poll of all as things are, without the company living on. */
  look(): Promise<void>;
  stop(): Promise<void>;
}

/** Starts it with its baseline. The data are in an embedded DynamoDB. */
export async function startSeededCompany(size = 30): Promise<SeededCompany> {
  const dynamo = await startEmbeddedDynamo();
  const table = {
    client: dynamo.client,
    tableName: dynamo.tableName,
    sleep: () => Promise.resolve(),
    random: () => 0.5,
  };
  const company = createCompany({ seed: 1, size, timeZone: TIME_ZONE, startsAt: MORNING });
  const harness = new PollHarness({
    connection: { timeZone: TIME_ZONE, window: WINDOW, calendars: CALENDARS },
    startAt: toIso(MORNING),
    store: createDynamoStore(table),
    feeds: FEEDS,
  });
  const sent: SentAgain[] = [];
  const target = { ...createTarget(harness, table), ...createQueues(sent) };
  const showChanges = showCompany(company, harness);
  const poll = async (all = false) => {
    showChanges();
    await harness.pollNow({ all });
  };
  await poll();
  const deliveryStore = createDeliveryStore(table);
  let delivered = 0;
  const deliver = async () => {
    const wanted = harness.published.filter(({ type }) => WANTED.includes(type.replace('workforce.', '')));
    for (const [place, event] of wanted.entries()) {
      if (place >= delivered) await deliverEvent(event, { deliveryStore, sent: place + 1 });
    }
    delivered = wanted.length;
  };
  return {
    company,
    harness,
    target,
    sent,
    context: createConsoleContext(target),
    giveUp: (eventId) => saveGivenUp({ eventId, destination: WEBHOOK, at: harness.now }, deliveryStore),
    look: async () => {
      await poll(true);
      await deliver();
    },
    live: async (minutes, everyMinutes = 2) => {
      const end = harness.now + minutes * MINUTE_MS;
      while (harness.now < end) {
        harness.now += everyMinutes * MINUTE_MS;
        company.advanceTo(harness.now);
        await poll();
      }
      await deliver();
    },
    stop: () => dynamo.stop(),
  };
}

/** The timesheet that most was told about. */
export function findTold({ published }: Pick<PollHarness, 'published'>): string {
  const bySubject = Map.groupBy(
    published.filter(({ data }) => 'timesheetId' in data),
    ({ subject = '' }) => subject,
  );
  const [first] = [...bySubject].sort(([, a], [, b]) => b.length - a.length);
  return first?.[0] ?? '';
}

function createTarget(
  harness: PollHarness,
  { client, tableName }: { readonly client: Target['dynamoDb']; readonly tableName: string },
): Target {
  const missing = (path: string): never => {
    throw new Error(`the sample has no ${path}`);
  };
  return {
    title: 'the data folder .data',
    config: parseNotifierConfig({ ...config, connections: [harness.connection] }),
    connections: [harness.connection],
    tableName,
    dynamoDb: client,
    sqs: {} as Target['sqs'],
    sns: {} as Target['sns'],
    system: {
      now: () => harness.now,
      sleep: () => Promise.resolve(),
      random: () => 0.5,
      uniqueId: () => 'id',
    },
    speed: 1,
    redirects: true,
    placeOptions: ['--data', '.data'],
    parts: new Map(),
    part: missing,
    readSecret: missing,
    close: () => Promise.resolve(),
  };
}

interface SentAgain {
  readonly queue: string;
  readonly text: string;
}

/** Queues that take what is sent; none of them has a dead letter. */
function createQueues(sent: SentAgain[]): Pick<Target, 'sqs' | 'part'> {
  const send = async (command: unknown) => {
    if (!(command instanceof SendMessageBatchCommand)) return {};
    const { QueueUrl: queue = '', Entries = [] } = command.input;
    sent.push(...Entries.map(({ MessageBody: text = '' }) => ({ queue, text })));
    return {};
  };
  return { sqs: { send } as unknown as Target['sqs'], part: (name) => name };
}

type Published = PollHarness['published'][number];

const WANTED = [
  'timesheet.approved',
  'timesheet.approval_revoked',
  'timesheet.changed',
  'timesheet.removed',
  'pay_period.closed',
  'pay_period.reopened',
];
/** Of the events: every so manyth is answered with 503 first, or until it is given up. */
const RETRIED_EVERY = 9;
const FAILED_EVERY = 23;

/** What the webhook of the config would have answered. */
async function deliverEvent(
  { id, time }: Published,
  {
    deliveryStore,
    sent,
  }: { readonly deliveryStore: ReturnType<typeof createDeliveryStore>; readonly sent: number },
): Promise<void> {
  const at = Date.parse(time) + 4_000;
  const common = { eventId: id, destination: WEBHOOK, at };
  const expiresAt = at + 90 * DAY_MS;
  if (sent % FAILED_EVERY === 0) {
    await saveGivenUp(common, deliveryStore);
  } else if (sent % RETRIED_EVERY === 0) {
    const nextAt = at + 30 * MINUTE_MS;
    const answers = ['503', 'timeout'];
    await deliveryStore.save(
      { ...common, outcome: 'waiting', attempts: 2, detail: 'timeout', answers, nextAt },
      expiresAt,
    );
  } else {
    await deliveryStore.save({ ...common, outcome: 'delivered', attempts: 1, detail: null }, expiresAt);
  }
}

async function saveGivenUp(
  delivery: Pick<Delivery, 'eventId' | 'destination' | 'at'>,
  deliveryStore: ReturnType<typeof createDeliveryStore>,
): Promise<void> {
  const answers = ['503', '503', 'timeout', '503'];
  const given = { ...delivery, outcome: 'failed', attempts: 4, detail: '503', answers } as const;
  await deliveryStore.save(given, delivery.at + 90 * DAY_MS);
}
