interface QueueSubscription {
  readonly name: string;
  readonly topics: readonly string[];
  readonly queueArn?: string | undefined;
}

export interface SubscribedQueueIssue {
  readonly path: readonly (string | number)[];
  readonly message: string;
}

/**
 * Finds existing queues that two entries subscribe to one topic. SNS would answer the second with the subscription of
 * the first, and refuse another filter, so that the deployment fails halfway.
 */
export function findSubscribedQueueIssues(
  subscriptions: readonly QueueSubscription[],
): SubscribedQueueIssue[] {
  const owners = new Map<string, string>();
  return subscriptions.flatMap(({ name, topics, queueArn }, index) => {
    if (queueArn === undefined) return [];
    const keys = topics.map((topic) => [topic, `${queueArn} ${topic}`] as const);
    const taken = keys.flatMap(([topic, key]) => {
      const owner = owners.get(key);
      return owner === undefined ? [] : [{ topic, owner }];
    });
    for (const [, key] of keys) owners.set(key, name);
    const [first] = taken;
    if (first === undefined) return [];
    const message = `the subscription ${JSON.stringify(first.owner)} subscribes this queue to the topic ${first.topic} already, and SNS allows that once; make one entry of the two, or use another queue`;
    return [{ path: ['subscriptions', index, 'queueArn'], message }];
  });
}
