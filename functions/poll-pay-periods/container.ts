import { createPollContainer } from '../poll-container.ts';

export const container = createPollContainer(process.env);
