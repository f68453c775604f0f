import { createReplayContainer } from './container.ts';
import { replayHandler } from './replay-handler.ts';

export const handler = replayHandler(createReplayContainer(process.env));
