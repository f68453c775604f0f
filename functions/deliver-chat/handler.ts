import { createChatHandler } from './chat-handler.ts';
import { createChatContainer } from './container.ts';

export const handler = createChatHandler(createChatContainer(process.env));
