import { createCollectHandler } from './collect-handler.ts';
import { createCollectContainer } from './container.ts';

export const handler = createCollectHandler(createCollectContainer(process.env));
