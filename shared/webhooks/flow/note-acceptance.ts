import { followAcceptance, type Outage } from '../acceptance.ts';
import type { WebhookStateStore } from './webhook-run.ts';

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
