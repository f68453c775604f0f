import { createReplayContainer } from './container.ts';
import { createReplayHandler } from './replay-handler.ts';

export const handler = createReplayHandler(createReplayContainer(process.env));
