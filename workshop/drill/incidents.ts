import { createDynamoDbClient } from '#local/aws/engines/clients.ts';
import type { EngineFault } from '#local/aws/engines/door.ts';
import type { ReceiverKind } from '#local/receivers/server.ts';
import { createWebhookStateStore } from '#shared/adapters/dynamo/deliveries/webhook-state-store.ts';
import type { AlarmId } from '#shared/config/alarms.ts';
import { ENVIRONMENT } from '#shared/config/names.ts';
import { addDays } from '#shared/core/dates.ts';
import type { Broken } from './breakage.ts';
import type { EngineRequest } from './fault-proxy.ts';
import { listDeadLetters, purge, redrive } from './queues.ts';
import type { DrillStage } from './stage.ts';

/** Something that breaks. */
export interface Incident {
  readonly name: string;
  readonly title: string;
  /** Headings of the runbook whose alarms must sound. Empty: none must, because nothing is needed. */
  readonly sounds: readonly AlarmId[];
  /** Simulated minutes that it lasts at least. */
  readonly minutes: number;
  /** Simulated minutes after which it should have recovered, where that takes longer than usual: the wait of a retry. */
  readonly recoveryMinutes?: number;
  /** Whether people of the company correct hours meanwhile, of which other people get messages. */
  readonly corrections?: boolean;
  /** It breaks a receiver of this kind, and is left out where the config has none. */
  readonly needs?: ReceiverKind;
  readonly broken: (stage: DrillStage) => Broken;
  /** What an operator does afterwards by the runbook; says what it was. */
  readonly repair?: (stage: DrillStage) => Promise<string | null>;
}

const RETRY_AFTER_SECONDS = '20';
const GONE = 410;
const FORBIDDEN = 403;
const THROTTLED_OF = 10;

const sourceStatus = (status: number, headers: Record<string, string> = {}): Broken => ({
  source: [{ times: 'always', action: { kind: 'status', status, headers } }],
});

export const INCIDENTS: readonly Incident[] = [
  {
    name: 'source-down',
    title: 'the source answers 503 to everything',
    sounds: ['poll-silent'],
    minutes: 1,
    broken: () => sourceStatus(503),
  },
  {
    name: 'source-throttles',
    title: `the source answers 429 to everything, Retry-After: ${RETRY_AFTER_SECONDS}`,
    sounds: ['poll-silent'],
    minutes: 1,
    broken: () => sourceStatus(429, { 'retry-after': RETRY_AFTER_SECONDS }),
  },
  {
    name: 'source-refuses',
    title: 'the source refuses the token with 401',
    sounds: ['poll-silent'],
    minutes: 1,
    broken: () => sourceStatus(401),
  },
  {
    name: 'one-date',
    title: 'the source fails with 500 when it lists yesterday',
    sounds: ['slice-unreadable'],
    minutes: 1,
    broken: ({ company }) => ({
      source: [
        {
          operation: 'listTimesheets',
          date: addDays(company.today(), -1),
          times: 'always',
          action: { kind: 'status', status: 500 },
        },
      ],
    }),
  },
  {
    name: 'table-throttles',
    title: `the table throttles one write of ${THROTTLED_OF}`,
    sounds: [],
    minutes: 12,
    broken: () => ({ table: createThrottling() }),
  },
  {
    name: 'table-refuses',
    title: 'the table refuses every write',
    sounds: ['poll-dead-letters'],
    minutes: 1,
    broken: () => ({ table: (request) => (isWrite(request) ? REFUSED : null) }),
    repair: purgeRequests,
  },
  {
    name: 'topic-refuses',
    title: 'the topic clockings refuses every event',
    sounds: ['events-waiting'],
    minutes: 1,
    broken: ({ machine }) => {
      const topic = machine.polling.topicArns.find((arn) => arn.endsWith('clockings')) ?? '';
      return { messaging: ({ body }) => (body.includes(encodeURIComponent(topic)) ? REFUSED : null) };
    },
  },
  {
    name: 'slack-down',
    title: 'Slack answers 500',
    sounds: ['slack-late'],
    minutes: 1,
    corrections: true,
    needs: 'slack',
    broken: () => ({ receivers: { slack: 500 } }),
  },
  {
    name: 'endpoint-pauses',
    title: 'the endpoint of a webhook answers 503 for some minutes',
    sounds: [],
    minutes: 12,
    needs: 'webhooks',
    broken: () => ({ receivers: { webhooks: 503 } }),
  },
  {
    name: 'endpoint-down',
    title: 'the endpoint of a webhook answers 503',
    sounds: ['webhook-failing'],
    minutes: 1,
    recoveryMinutes: 180,
    needs: 'webhooks',
    broken: () => ({ receivers: { webhooks: 503 } }),
  },
  {
    name: 'endpoint-gone',
    title: 'the endpoint of a webhook answers 410 Gone',
    sounds: ['webhook-dead-letters'],
    minutes: 1,
    needs: 'webhooks',
    broken: () => ({ receivers: { webhooks: GONE } }),
    repair: enableWebhooks,
  },
  {
    name: 'bus-refuses',
    title: 'the event bus denies access',
    sounds: ['bus-errors'],
    minutes: 1,
    needs: 'event-bus',
    broken: () => ({ receivers: { 'event-bus': FORBIDDEN } }),
  },
];

const THROTTLED: EngineFault = {
  status: 400,
  code: 'com.amazonaws.dynamodb.v20120810#ProvisionedThroughputExceededException',
  message: 'The level of configured provisioned throughput was exceeded.',
};
const REFUSED: EngineFault = { status: 403, code: 'AccessDeniedException', message: 'not authorized' };

function isWrite({ operation }: EngineRequest): boolean {
  return /Write|Put|Update|Delete/.test(operation);
}

/** The SDK tries again after a real pause, which is long in the time of a drill: so only some. */
function createThrottling(): (request: EngineRequest) => EngineFault | null {
  let writes = 0;
  return (request) => {
    if (!isWrite(request)) return null;
    writes += 1;
    return writes % THROTTLED_OF === 0 ? THROTTLED : null;
  };
}

/** A later run has done the same, so there is nothing to redrive; the queues would keep their alarms for a day. */
async function purgeRequests({ machine: { aws } }: DrillStage): Promise<string> {
  const scheduled = new Set(aws.deployment.schedules.map(({ functionName }) => functionName));
  for (const { queueName } of await listDeadLetters(aws)) {
    if (scheduled.has(queueName.replace(/-dead-letters$/, ''))) await purge(aws, queueName);
  }
  return 'purges the dead requests of scheduled functions, as docs/runbook.md#poll-dead-letters says';
}

/** What `enable-webhook` does, and then a redrive. */
async function enableWebhooks({ machine }: DrillStage): Promise<string> {
  const { aws, webhooks } = machine;
  const client = createDynamoDbClient(aws.endpoints);
  const tableName =
    aws.deployment.functions.map(({ environment }) => environment[ENVIRONMENT.tableName]).find(Boolean) ?? '';
  const table = { client, tableName, sleep: async () => {}, random: () => 0 };
  const store = createWebhookStateStore(table);
  let moved = 0;
  for (const { name } of webhooks) {
    await store.saveDisabled(name, null);
    const queue = aws.deployment.triggers.find(({ queueName }) => queueName.endsWith(`-webhook-${name}`));
    if (queue !== undefined) moved += await redrive(aws, queue.queueName);
  }
  client.destroy();
  return `enables the webhook and redrives ${moved} events, as docs/runbook.md#webhook-dead-letters says`;
}
