import { watched } from '../watchdog.ts';
import { createNamesContainer } from './container.ts';
import { createNamesHandler } from './names-handler.ts';

export const handler = watched(createNamesHandler(createNamesContainer(process.env)));
