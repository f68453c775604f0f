import { createNamesContainer } from './container.ts';
import { createNamesHandler } from './names-handler.ts';

export const handler = createNamesHandler(createNamesContainer(process.env));
