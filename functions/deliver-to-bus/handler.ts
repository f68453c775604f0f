import { createBusHandler } from './bus-handler.ts';
import { createBusContainer } from './container.ts';

export const handler = createBusHandler(createBusContainer(process.env));
