import { createPollContainer } from '../poll-container.ts';
import { createPollHandler } from '../poll-handler.ts';

export const handler = createPollHandler('timesheets', createPollContainer(process.env));
