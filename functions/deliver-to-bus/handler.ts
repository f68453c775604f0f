import { watched } from '../watchdog.ts';
import { createBusHandler } from './bus-handler.ts';
import { createBusContainer } from './container.ts';

export const handler = watched(createBusHandler(createBusContainer(process.env)));
