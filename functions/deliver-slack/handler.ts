import { createSlackContainer } from './container.ts';
import { createSlackHandler } from './slack-handler.ts';

export const handler = createSlackHandler(createSlackContainer(process.env));
