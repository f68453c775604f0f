// biome-ignore-all lint/performance/noBarrelFile: the entry of the package for tests, and the only one.
/** What tests of subscribers import: `import { exampleEvent } from 'workforce-change-notifier/testing'`. */

export {
  type CheckedReceiver,
  checkReceiver,
  type ReceiverCheck,
  type ReceiverUnderTest,
} from './testing/check-receiver.ts';
export {
  type EventOverrides,
  type ExampleEvent,
  exampleEvent,
  exampleEvents,
} from './testing/example-event.ts';
export { type ShuffleOptions, shuffle } from './testing/shuffle.ts';
export { type SignedWebhook, signWebhook } from './testing/sign-webhook.ts';
