import { collectHandler } from './collect-handler.ts';
import { createCollectContainer } from './container.ts';

export const handler = collectHandler(createCollectContainer(process.env));
