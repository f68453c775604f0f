import { Webhook, WebhookVerificationError } from 'standardwebhooks';

/** Faults in handling a message. */
export type ReceivingFlaw =
  | 'accepts bad signatures'
  | 'ignores timestamps'
  | 'verifies parsed bodies'
  | 'reads the first signature only'
  | 'refuses unknown fields'
  | 'crashes on unknown types'
  | 'fails on duplicates'
  | 'takes small bodies only'
  | 'says gone instead of no'
  | 'crashes on empty bodies'
  | 'refuses what is sent again'
  | 'applies in order of arrival'
  | 'remembers ids before it verifies'
  | 'refuses earlier events'
  | 'knows no epochs'
  | 'breaks after a refusal';

export interface Message {
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
}

interface ReceivedEvent {
  readonly id: string;
  readonly type: string;
  readonly subject?: string;
  readonly epoch?: string;
  readonly sequence: number;
}

const SMALL_BYTES = 100 * 1024;
const MEMBERS = new Set([
  'specversion',
  'id',
  'source',
  'type',
  'subject',
  'time',
  'datacontenttype',
  'dataschema',
  'partitionkey',
  'traceparent',
  'connection',
  'epoch',
  'sequence',
  'data',
]);

/** A typical receiver behind an HTTP server, with the Standard Webhooks library and some flaws. */
export class Receiving {
  /** The last applied sequence by record. */
  readonly states: Record<string, number> = {};
  readonly #has: (flaw: ReceivingFlaw) => boolean;
  readonly #secrets: readonly string[];
  readonly #seen = new Set<string>();
  readonly #epochs: Record<string, string> = {};
  #refused = 0;

  constructor(secrets: readonly string[], has: (flaw: ReceivingFlaw) => boolean) {
    this.#has = has;
    this.#secrets = secrets;
  }

  /** The status for a message. */
  take(message: Message): number {
    return this.#beforeReading(message) ?? this.#unverified(message) ?? this.#read(message);
  }

  #beforeReading({ headers, body }: Message): number | null {
    if (this.#has('takes small bodies only') && body.length > SMALL_BYTES) return 413;
    if (this.#has('breaks after a refusal') && this.#refused > 0) return 500;
    const id = headers['webhook-id'];
    if (!this.#has('remembers ids before it verifies') || id === undefined) return null;
    if (this.#seen.has(id)) return 204;
    this.#seen.add(id);
    return null;
  }

  #unverified(message: Message): number | null {
    if (this.#has('accepts bad signatures')) return null;
    if (this.#secrets.some((secret) => this.#isSigned(message, secret))) return null;
    this.#refused += 1;
    return this.#has('says gone instead of no') ? 410 : 401;
  }

  #isSigned({ headers, body }: Message, secret: string): boolean {
    const webhook = new Webhook(secret);
    const text = this.#has('verifies parsed bodies') && body !== '' ? JSON.stringify(JSON.parse(body)) : body;
    const signatures = headers['webhook-signature'] ?? '';
    const [first = ''] = signatures.split(' ');
    const given = this.#has('reads the first signature only') ? first : signatures;
    if (this.#has('ignores timestamps')) return isSignedAtAnyTime(webhook, { headers, body });
    try {
      webhook.verify(text, { ...headers, 'webhook-signature': given }, { jsonParse: false });
      return true;
    } catch (error) {
      if (error instanceof WebhookVerificationError) return false;
      throw error;
    }
  }

  #read({ headers, body }: Message): number {
    if (body === '' && !this.#has('crashes on empty bodies')) return 400;
    const event = JSON.parse(body) as ReceivedEvent;
    const unknown = Object.keys(event).some((name) => !MEMBERS.has(name));
    if (this.#has('refuses unknown fields') && unknown) return 422;
    if (this.#has('crashes on unknown types') && event.type.endsWith('.teleported'))
      throw new Error('unknown type');
    if (this.#has('refuses what is sent again') && headers['webhook-sent-again'] === 'true') return 400;
    if (this.#has('remembers ids before it verifies')) this.#seen.delete(event.id);
    return this.#apply(event);
  }

  #apply({ id, subject = '', epoch = '', sequence }: ReceivedEvent): number {
    if (this.#seen.has(id)) return this.#has('fails on duplicates') ? 500 : 204;
    this.#seen.add(id);
    const isLater = epoch > (this.#epochs[subject] ?? '') && !this.#has('knows no epochs');
    const last = isLater ? 0 : (this.states[subject] ?? 0);
    if (this.#has('refuses earlier events') && sequence < last) return 409;
    if (sequence > last || this.#has('applies in order of arrival')) {
      this.states[subject] = sequence;
      this.#epochs[subject] = epoch;
    }
    return 204;
  }
}

/** The library without its check of the timestamp. */
function isSignedAtAnyTime(webhook: Webhook, { headers, body }: Message): boolean {
  const {
    'webhook-id': id = '',
    'webhook-timestamp': seconds = '',
    'webhook-signature': given = '',
  } = headers;
  return given.split(' ').includes(webhook.sign(id, new Date(Number(seconds) * 1000), body));
}
