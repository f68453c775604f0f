import { createPollContainer } from '../poll-container.ts';
import { createPollHandler } from '../poll-handler.ts';
import { startWatchdog } from '../watchdog.ts';

export const handler = createPollHandler('timesheets', createPollContainer(process.env), startWatchdog());
