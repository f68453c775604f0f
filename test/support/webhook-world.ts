import { Webhook as Verifier } from 'standardwebhooks';
import { createEndpointTokens } from '#shared/adapters/credential/endpoint-tokens.ts';
import { createWebhookSigner } from '#shared/adapters/webhook/signer.ts';
import { SENT_AGAIN_ATTRIBUTE } from '#shared/config/names.ts';
import { type Webhook, webhookSchema } from '#shared/config/schema/webhook.ts';
import { NotifierError } from '#shared/core/errors.ts';
import { computeEventId, toTraceParent } from '#shared/core/events/envelope.ts';
import type { OutcomeLine } from '#shared/flow/system.ts';
import { deliverWebhooks } from '#shared/systems/flow/deliver-webhooks.ts';
import type { AcceptanceNotes } from '#shared/systems/flow/note-acceptance.ts';
import type {
  OutgoingWebhookRequest,
  WebhookAnswer,
  WebhookPorts,
} from '#shared/systems/flow/webhook-run.ts';
import { createMemoryDeliveryStore } from './memory-delivery-store.ts';
import { createMemoryWebhookStateStore } from './memory-webhook-state-store.ts';
import { Faults } from './webhook-faults.ts';

export const START = Date.parse('2026-03-04T22:00:00Z');
export const CURRENT_SECRET = `whsec_${Buffer.alloc(24, 1).toString('base64')}`;
export const NEXT_SECRET = `whsec_${Buffer.alloc(24, 2).toString('base64')}`;

const FEED = { connection: 'main', feed: 'timesheets' } as const;
const BATCH = 10;
const TIME_LIMIT_MS = 60_000;
const VISIBILITY_MS = 360_000;
const RETENTION_DAYS = 90;
/** A hundred events that are refused for 14 days take about 160,000. */
const MAX_ROUNDS = 1_000_000;
/** How long an endpoint takes to answer, except for a timeout. */
const ANSWER_MS = 20;

interface QueuedMessage {
  readonly id: string;
  readonly body: string;
  readonly attributes: Readonly<Record<string, string>>;
  visibleAt: number;
}

/** A request that reached an endpoint, with its answer. */
interface Arrival {
  readonly at: number;
  readonly eventId: string;
  readonly request: OutgoingWebhookRequest;
  readonly answer: WebhookAnswer;
}

/** The answer of an endpoint: a status, with `Retry-After` or without; or the reason why there is no answer. */
type Answer = number | { readonly status: number; readonly retryAfterMs: number } | string;
type Endpoint = (request: OutgoingWebhookRequest, now: number) => Answer;

/**
 * A webhook with its queues, table and endpoint, in virtual time that moves when nothing is due. It invokes the function
 * like Lambda: with up to ten messages, and again with those that failed.
 */
export class WebhookWorld {
  now = START;
  readonly arrivals: Arrival[] = [];
  readonly dead: { readonly body: string; readonly at: number }[] = [];
  readonly published: { readonly type: string; readonly subject: string; readonly text: string }[] = [];
  readonly lines: OutcomeLine[] = [];
  readonly deliveryStore = createMemoryDeliveryStore();
  readonly stateStore = createMemoryWebhookStateStore();
  readonly faults = new Faults();
  /** What its process knows of acceptances; a new one is another process. */
  acceptances: AcceptanceNotes | null = null;
  invocations = 0;
  webhook: Webhook;
  endpoint: Endpoint = () => 204;
  /** Text of the secret; null while it cannot be read. */
  secret: string | null = CURRENT_SECRET;
  /** Every read of the secret, and whether it bypassed the cache. */
  readonly reads: boolean[] = [];
  #queue: QueuedMessage[] = [];
  #sent = 0;
  #keptSecret: string | null = null;
  /** Of one process. */
  readonly #signer = createWebhookSigner({
    secretName: 'acme/hook',
    readSecret: async (ask) => this.#readSecret(ask),
    tokens: createEndpointTokens({
      secretName: 'acme/hook',
      client: { post: async () => toWebhookAnswer('connection_failed') },
      now: () => this.now,
    }),
  });

  constructor(settings: Partial<Record<keyof Webhook, unknown>> = {}) {
    this.webhook = webhookSchema.parse({
      name: 'payroll',
      url: 'https://payroll.acme.example/hook',
      secretName: 'acme/hook',
      topics: ['timesheets'],
      ...settings,
    });
  }

  /** Sends a message to the queue, as a topic does. */
  publish(text: string, { sentAgain = false } = {}): void {
    const attributes: Record<string, string> = sentAgain ? { [SENT_AGAIN_ATTRIBUTE]: 'true' } : {};
    this.#add(text, { visibleAt: this.now, attributes });
  }

  /** Bodies in the queue. */
  get waiting(): readonly string[] {
    return this.#queue.map(({ body }) => body);
  }

  /** Ids of the events that the endpoint accepted, in the order of their arrival. */
  get taken(): readonly string[] {
    return this.arrivals.filter(isTaken).map(({ eventId: id }) => id);
  }

  /** Runs until the queue is empty, or until an instant. */
  async run(until = Number.POSITIVE_INFINITY): Promise<void> {
    for (let rounds = 0; this.#queue.length > 0; rounds += 1) {
      if (rounds > MAX_ROUNDS) throw new Error('the queue never becomes empty');
      const next = Math.min(...this.#queue.map(({ visibleAt }) => visibleAt));
      if (next > until) break;
      this.now = Math.max(this.now, next);
      await this.invoke();
    }
    if (until !== Number.POSITIVE_INFINITY) this.now = Math.max(this.now, until);
  }

  /** One invocation with the messages that are visible now. */
  async invoke(): Promise<void> {
    this.invocations += 1;
    const messages = this.#queue.filter(({ visibleAt }) => visibleAt <= this.now).slice(0, BATCH);
    for (const message of messages) message.visibleAt = this.now + VISIBILITY_MS;
    const batch = {
      messages,
      webhook: this.webhook,
      deadline: this.now + TIME_LIMIT_MS,
      retentionDays: RETENTION_DAYS,
    };
    const failed = await deliverWebhooks(batch, this.ports()).then(
      (result) => new Set(result.failed),
      () => null,
    );
    // A function that died or threw returned nothing: all messages come back.
    if (this.faults.revive() || failed === null) return;
    this.#queue = this.#queue.filter((each) => !messages.includes(each) || failed.has(each.id));
  }

  /** Empties the cache of the secret. */
  forgetSecret(): void {
    this.#keptSecret = null;
  }

  ports(): WebhookPorts {
    const { faults } = this;
    return {
      client: { post: (request) => faults.answer('client.post', () => this.#post(request)) },
      signer: faults.wrap('signer', this.#signer),
      queue: faults.wrap('queue', {
        sendLater: async (body: string, delaySeconds: number) => {
          if (!(delaySeconds >= 0 && delaySeconds <= 900)) throw new Error(`a delay of ${delaySeconds} s`);
          this.#add(body, { visibleAt: this.now + delaySeconds * 1_000, attributes: {} });
        },
        giveUp: async (body: string) => {
          this.dead.push({ body, at: this.now });
        },
      }),
      deliveryStore: faults.wrap('deliveryStore', this.deliveryStore),
      stateStore: faults.wrap('stateStore', this.stateStore),
      publisher: {
        publish: (_topic, texts) => faults.publish('publisher.publish', texts, (each) => this.#publish(each)),
      },
      ...(this.acceptances === null ? {} : { acceptances: this.acceptances }),
      clock: { now: () => this.now },
      random: () => 0,
      telemetry: { report: (line) => this.lines.push(line) },
    };
  }

  #add(body: string, rest: Pick<QueuedMessage, 'visibleAt' | 'attributes'>): void {
    this.#sent += 1;
    this.#queue.push({ id: `message-${this.#sent}`, body, ...rest });
  }

  async #post(request: OutgoingWebhookRequest): Promise<WebhookAnswer> {
    const { id } = JSON.parse(request.body);
    const given = this.endpoint(request, this.now);
    const answer = toWebhookAnswer(given);
    this.arrivals.push({ at: this.now, eventId: id, request, answer });
    this.now += answer.durationMs;
    return answer;
  }

  async #readSecret({ fresh }: { readonly fresh: boolean }): Promise<string> {
    this.reads.push(fresh);
    if (fresh || this.#keptSecret === null) this.#keptSecret = this.secret;
    if (this.#keptSecret !== null) return this.#keptSecret;
    throw new NotifierError('secret_unreadable', 'the secret "acme/hook" cannot be read');
  }

  #publish(texts: readonly string[]): void {
    for (const text of texts) {
      const { type, subject } = JSON.parse(text);
      this.published.push({ type, subject, text });
    }
  }
}

/** Since when its records are followed. */
const EPOCH = '2026-03-01T00:00:00.000Z';

/** The text of an event of a timesheet. */
export function eventText(record: string, sequence: number, change: object = {}): string {
  const id = idOf(record, sequence);
  return JSON.stringify({
    specversion: '1.0',
    id,
    source: '/connections/main/timesheets',
    type: 'workforce.timesheet.changed',
    subject: record,
    connection: 'main',
    epoch: EPOCH,
    sequence,
    traceparent: toTraceParent(id),
    data: { organisationId: '16_1', departmentId: '261_1', late: [], current: { name: 'Zoë \u{1f600}' } },
    ...change,
  });
}

export function idOf(record: string, sequence: number, epoch: string = EPOCH): string {
  return computeEventId(FEED, record, { epoch, sequence });
}

/** An endpoint that verifies signatures with one secret, in virtual time. */
export function createVerifyingEndpoint(secret: string): Endpoint {
  return (request) => {
    // `verify` would compare with the real clock; other tests check the age of a message.
    const { headers, body } = request;
    const at = new Date(Number(headers['webhook-timestamp']) * 1_000);
    const expected = new Verifier(secret).sign(headers['webhook-id'] ?? '', at, body);
    return headers['webhook-signature']?.split(' ').includes(expected) === true ? 204 : 401;
  };
}

function isTaken({ answer }: Arrival): boolean {
  return answer.outcome === 'answered' && answer.status >= 200 && answer.status < 300;
}

function toWebhookAnswer(given: Answer): WebhookAnswer {
  if (typeof given === 'string')
    return { outcome: 'unanswered', reason: given, durationMs: given === 'timeout' ? 15_000 : ANSWER_MS };
  const { status, retryAfterMs } = typeof given === 'number' ? { status: given, retryAfterMs: null } : given;
  return { outcome: 'answered', status, retryAfterMs, durationMs: ANSWER_MS };
}
