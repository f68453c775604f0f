import { watched } from '../watchdog.ts';
import { createReplayContainer } from './container.ts';
import { createReplayHandler } from './replay-handler.ts';

export const handler = watched(createReplayHandler(createReplayContainer(process.env)));
