import { watched } from '../watchdog.ts';
import { createCollectHandler } from './collect-handler.ts';
import { createCollectContainer } from './container.ts';

export const handler = watched(createCollectHandler(createCollectContainer(process.env)));
