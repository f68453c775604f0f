import type { SNSClient } from '@aws-sdk/client-sns';
import { type Message, ReceiveMessageCommand, type SQSClient } from '@aws-sdk/client-sqs';
import { deleteMessages, queueUrl } from '#local/aws/functions/queue-messages.ts';
import { applyQueue, applySubscription } from '#local/aws/template/apply.ts';
import type { Deployment } from '#local/aws/template/deployment.ts';
import { localArn } from '#local/aws/template/local-account.ts';
import { subscribeMailboxes } from '#local/receivers/mail.ts';
import { type Receivers, startReceivers } from '#local/receivers/server.ts';
import type { DeployedConfig } from '#shared/config/deployed-config.ts';
import { EVENT_TOPIC_NAMES } from '#shared/config/names.ts';
import { toEventQueueName } from '#shared/config/part-names.ts';

/** What arrived, by place, such as `queue workforce-notifier-payroll`, `slack #payroll` or `webhook payroll-system`. */
export type Arrivals = ReadonlyMap<string, readonly string[]>;

/** A queue of a subscriber that the stack does not know: it gets every event. */
const EVERYTHING_QUEUE = 'gets-everything';
export const EVERYTHING = `queue ${EVERYTHING_QUEUE}`;

/** In place of Slack and of the receivers of webhooks, which check signatures by this secret. */
export interface Receiving {
  readonly receivers: Receivers;
  /** What came since the last call. */
  take(): Arrivals;
}

export async function startReceiving(secret: string): Promise<Receiving> {
  let shown = new Map<string, string[]>();
  const receivers = await startReceivers({
    signingSecret: secret,
    received: { has: () => false, add: () => {}, close: () => {} },
    show: async (receipt) => {
      const [place, text] =
        receipt.kind === 'message'
          ? [receipt.channel, receipt.lines.map((line) => line.text).join('\n')]
          : [`webhook ${receipt.webhook}`, `${receipt.did} ${receipt.type} ${receipt.which}`];
      shown.set(place, [...(shown.get(place) ?? []), text]);
    },
  });
  return {
    receivers,
    take: () => {
      const taken = shown;
      shown = new Map();
      return taken;
    },
  };
}

interface Messaging {
  readonly sns: SNSClient;
  readonly sqs: SQSClient;
}

/** What decides where messages arrive: the mailboxes of the template, and the queues of the config. */
interface Destinations {
  readonly mailboxes: Deployment['mailboxes'];
  readonly config: Pick<DeployedConfig, 'stackName' | 'queues'>;
}

/** Subscribes a queue to every event, and queues in place of mailboxes. Returns how to take what came to all queues. */
export async function openQueues(
  aws: Messaging,
  { mailboxes, config: { stackName, queues } }: Destinations,
): Promise<() => Promise<Arrivals>> {
  await applyQueue(aws.sqs, EVERYTHING_QUEUE, {});
  for (const topic of EVENT_TOPIC_NAMES) {
    await applySubscription(aws.sns, {
      topicArn: localArn('sns', `${stackName}-${topic}`),
      queueArn: localArn('sqs', EVERYTHING_QUEUE),
      attributes: { RawMessageDelivery: 'true' },
    });
  }
  const mails = await subscribeMailboxes(aws, mailboxes);
  const places = [
    ...[EVERYTHING_QUEUE, ...queues.map(({ name }) => toEventQueueName(stackName, name))].map(
      (name) => [`queue ${name}`, name] as const,
    ),
    ...mails.map(({ addresses, queueName }) => [`mail ${addresses.join(' ')}`, queueName] as const),
  ];
  return async () => {
    const arrivals = new Map<string, string[]>();
    for (const [place, queueName] of places) arrivals.set(place, await drainQueue(aws.sqs, queueName));
    return arrivals;
  };
}

const MAX_RECEIVED = 10;

/** The bodies of everything that waits in a queue, deleted from it; of a mail, its subject and its text. */
async function drainQueue(sqs: SQSClient, queueName: string): Promise<string[]> {
  const bodies: string[] = [];
  for (;;) {
    const messages = await receive(sqs, queueName, MAX_RECEIVED);
    if (messages.length === 0) return bodies;
    bodies.push(...messages.map(({ Body = '' }) => readBody(Body)));
    await deleteMessages(sqs, queueName, messages);
  }
}

export async function receive(sqs: SQSClient, queueName: string, most: number): Promise<readonly Message[]> {
  const all = { MessageAttributeNames: ['All'], MessageSystemAttributeNames: ['All' as const] };
  const request = { QueueUrl: queueUrl(queueName), MaxNumberOfMessages: most, ...all };
  return (await sqs.send(new ReceiveMessageCommand(request))).Messages ?? [];
}

function readBody(body: string): string {
  const { Type, Subject, Message: text } = JSON.parse(body) as Readonly<Record<string, string>>;
  return Type === 'Notification' ? `${Subject}\n${text}` : body;
}

/** Adds what came later. */
export function joinArrivals(earlier: Arrivals, later: Arrivals): Arrivals {
  const joined = new Map(earlier);
  for (const [place, texts] of later) joined.set(place, [...(joined.get(place) ?? []), ...texts]);
  return joined;
}

/**
 * Compares what arrived in two runs, place by place, whatever the order: at least once means that what arrives twice
 * counts once. Returns a text for the report. Throws with the first difference of each place.
 */
export function compareArrivals(got: Arrivals, wanted: Arrivals, instants: readonly number[]): string {
  const places = [...new Set([...got.keys(), ...wanted.keys()])].sort();
  const differences = places.flatMap((place) => {
    const [arrived, expected] = [got, wanted].map(
      (arrivals) => new Set((arrivals.get(place) ?? []).map((text) => describeText(text, instants))),
    ) as [Set<string>, Set<string>];
    const lost = [...expected].filter((text) => !arrived.has(text));
    const invented = [...arrived].filter((text) => !expected.has(text));
    if (lost.length + invented.length === 0) return [];
    const counts = `${lost.length} of ${expected.size} lost, ${invented.length} invented`;
    return `${place}: ${counts}\n  lost     ${lost[0]}\n  invented ${invented[0]}`;
  });
  if (differences.length > 0) throw new Error(differences.join('\n'));
  return places.map((place) => `${new Set(got.get(place)).size} in ${place}`).join(', ');
}

/** So long a notifier may take until the company is moved on. */
export const MAX_ROUND_MS = 600_000;
const INSTANT = /\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z/g;
const TIME_OF_DAY = /\b\d?\d:\d\d\b/g;
/** Computed of the epoch of a record, which is such an instant. */
const EVENT_ID = /\b[0-9a-f]{16,32}\b/g;

/**
 * What a text says, without what follows from when exactly each of two notifiers looked: an instant within a round is its
 * beginning. The lines of a message have no order.
 */
function describeText(text: string, instants: readonly number[]): string {
  if (!text.startsWith('{')) return text.replaceAll(TIME_OF_DAY, '-').split('\n').sort().join('\n');
  return text.replaceAll(EVENT_ID, '-').replaceAll(INSTANT, (instant) => {
    const at = Date.parse(instant);
    const began = instants.findLast((each) => each <= at && at < each + MAX_ROUND_MS);
    return began === undefined ? instant : new Date(began).toISOString();
  });
}
