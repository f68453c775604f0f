import { createReleaseContainer } from './container.ts';
import { releaseHandler } from './release-handler.ts';

export const handler = releaseHandler(createReleaseContainer(process.env));
