import { createPollContainer } from '../poll-container.ts';
import { createPollHandler } from '../poll-handler.ts';

export const handler = createPollHandler('pay-periods', createPollContainer(process.env));
