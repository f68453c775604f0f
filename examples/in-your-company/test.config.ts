import { defineNotifierConfig } from '#infra/config.ts';
import base from '../../notifier.config.ts';

export default defineNotifierConfig({
  ...base,
  stackName: 'workforce-notifier-test',
  // Nobody hears of the test but those who run it.
  people: {},
  webhooks: [],
  queues: [],
});
