import { createPollContainer } from '../poll-container.ts';
import { createPollHandler } from '../poll-handler.ts';
import { watched } from '../watchdog.ts';

export const handler = watched(createPollHandler('timesheets', createPollContainer(process.env)));
