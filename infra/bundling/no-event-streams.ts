/**
 * Stands in for `@smithy/core/event-streams` in bundles: the SDK loads it when an operation streams events, which no
 * operation of DynamoDB, SNS, SQS or Secrets Manager does.
 */
export class EventStreamSerde {
  constructor() {
    throw new Error('event streams are left out of this bundle; see infra/bundling/bundling.ts');
  }
}

/** Asked for by the SDK together with the class above. */
export function eventStreamSerdeProvider(): never {
  throw new Error('event streams are left out of this bundle; see infra/bundling/bundling.ts');
}
