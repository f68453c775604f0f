import { watched } from '../watchdog.ts';
import { createReleaseContainer } from './container.ts';
import { createReleaseHandler } from './release-handler.ts';

export const handler = watched(createReleaseHandler(createReleaseContainer(process.env)));
