import { createSlackContainer } from './container.ts';
import { slackHandler } from './slack-handler.ts';

export const handler = slackHandler(createSlackContainer(process.env));
