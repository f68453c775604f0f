import { toIso } from '#shared/core/dates.ts';
import { describeFailure } from '#shared/core/errors.ts';
import { followAcceptance, type Outage } from '../acceptance.ts';
import type { WebhookRun, WebhookStateStore } from './webhook-run.ts';

type AcceptanceStore = Pick<WebhookStateStore, 'loadAcceptance' | 'saveAcceptance'>;

/** Notes when a webhook takes events. One for each process: it asks the table once an hour. */
export class AcceptanceNotes {
  readonly #store: AcceptanceStore;
  readonly #webhook: string;
  #at: number | null = null;

  constructor(store: AcceptanceStore, webhook: string) {
    this.#store = store;
    this.#webhook = webhook;
  }

  /** The outage that an accepted event ends, if it was a long one. */
  async note(now: number): Promise<Outage | null> {
    if (this.#at !== null && followAcceptance({ at: this.#at }, now) === null) return null;
    const known = await this.#store.loadAcceptance(this.#webhook);
    const next = followAcceptance(known, now);
    if (next !== null) await this.#store.saveAcceptance(this.#webhook, next);
    this.#at = next?.at ?? known?.at ?? now;
    return next?.outage?.to === now ? next.outage : null;
  }
}

/** What was accepted is in the delivery store: a failure here loses a note, and the next batch makes it. */
export async function noteAcceptance({
  ports,
  webhook,
}: Pick<WebhookRun, 'ports' | 'webhook'>): Promise<void> {
  const { acceptances, clock, telemetry } = ports;
  try {
    const ended = (await acceptances?.note(clock.now())) ?? null;
    if (ended === null) return;
    const [from, to] = [toIso(ended.from), toIso(ended.to)];
    telemetry.report({ outcome: 'webhook.resumed', webhook: webhook.name, from, to });
  } catch (error) {
    const reason = describeFailure(error);
    telemetry.report({ outcome: 'delivery.interrupted', webhook: webhook.name, reason });
  }
}
