import { createReleaseContainer } from './container.ts';
import { createReleaseHandler } from './release-handler.ts';

export const handler = createReleaseHandler(createReleaseContainer(process.env));
