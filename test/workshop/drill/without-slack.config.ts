import { defineNotifierConfig } from '#shared/config/schema/notifier-config.ts';
import waysOut from '../../end-to-end/people/ways-out.config.ts';

/** One source, a Teams channel, an event bus and a webhook. */
export default defineNotifierConfig({
  ...waysOut,
  stackName: 'drilled',
  alerts: {
    channels: [{ name: 'board', kind: 'teams', secretName: 'teams-of-board' }],
    rules: [{ types: ['workforce.pay_period.closed'] }],
  },
});
