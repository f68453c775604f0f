import { createPollContainer } from '../poll-container.ts';
import { createPollHandler } from '../poll-handler.ts';
import { startWatchdog } from '../watchdog.ts';

export const handler = createPollHandler('pay-periods', createPollContainer(process.env), startWatchdog());
