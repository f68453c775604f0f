import { watched } from '../watchdog.ts';
import { createChatHandler } from './chat-handler.ts';
import { createChatContainer } from './container.ts';

export const handler = watched(createChatHandler(createChatContainer(process.env)));
