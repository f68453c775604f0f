import { entry } from './parts/compose.ts';
import { createPollHandler } from './parts/poll-handler.ts';

/** Polls the pay periods of the connection in the request. */
export const handler = entry((variables) => createPollHandler('pay-periods', variables));
