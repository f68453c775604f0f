import { ListSubscriptionsByTopicCommand, NotFoundException, type SNSClient } from '@aws-sdk/client-sns';

/** Lists what is subscribed to a topic: ARNs of queues, and addresses. Nothing to a topic that is gone. */
export function createEndpointList(client: SNSClient): (topicArn: string) => Promise<ReadonlySet<string>> {
  return async (TopicArn) => {
    const endpoints = new Set<string>();
    let NextToken: string | undefined;
    try {
      do {
        const page = await client.send(new ListSubscriptionsByTopicCommand({ TopicArn, NextToken }));
        for (const { Endpoint } of page.Subscriptions ?? [])
          if (Endpoint !== undefined) endpoints.add(Endpoint);
        NextToken = page.NextToken;
      } while (NextToken !== undefined);
    } catch (error) {
      if (!(error instanceof NotFoundException)) throw error;
    }
    return endpoints;
  };
}
