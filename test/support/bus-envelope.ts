interface BusEvent {
  readonly type: string;
  readonly source: string;
  readonly time: string;
  readonly sequence?: unknown;
}

/** What EventBridge sends to the target of a rule. */
export function inBusEnvelope(event: BusEvent) {
  return {
    version: '0',
    id: '17793124-05d4-b198-2fde-7ededc63b103',
    'detail-type': event.type,
    source: event.source,
    account: '123456789012',
    time: event.time,
    region: 'ap-southeast-2',
    resources: [],
    detail: event,
  };
}
