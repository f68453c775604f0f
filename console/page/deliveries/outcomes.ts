import type { DeliveryOutcome } from '../../routes/deliveries.ts';
import type { Outcome } from '../parts/marks.tsx';

/** How each outcome looks and is called. */
export const OUTCOMES: Readonly<Record<DeliveryOutcome, { readonly mark: Outcome; readonly words: string }>> =
  {
    delivered: { mark: 'good', words: 'delivered' },
    waiting: { mark: 'wait', words: 'waiting' },
    failed: { mark: 'bad', words: 'given up' },
    untried: { mark: 'none', words: 'not yet tried' },
  };
