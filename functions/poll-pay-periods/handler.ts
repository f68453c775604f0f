import { pollHandler } from '../poll-handler.ts';
import { container } from './container.ts';

export const handler = pollHandler('pay-periods', container);
