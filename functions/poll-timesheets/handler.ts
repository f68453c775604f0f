import { createPollHandler } from '../poll-handler.ts';
import { container } from './container.ts';

export const handler = createPollHandler('timesheets', container);
