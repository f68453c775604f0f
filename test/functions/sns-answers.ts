import type { PublishBatchCommandInput } from '@aws-sdk/client-sns';

/** What SNS answers to a batch that it takes whole. */
export function takeAll({ PublishBatchRequestEntries = [] }: PublishBatchCommandInput) {
  return { Successful: PublishBatchRequestEntries.map(({ Id }) => ({ Id })), Failed: [] };
}

/** One entry is refused, as when the key of the topic may not be used. */
export function takeAllBut(position: number, { PublishBatchRequestEntries = [] }: PublishBatchCommandInput) {
  const entries = PublishBatchRequestEntries.map(({ Id }) => ({ Id }));
  return {
    Successful: entries.filter((_entry, index) => index !== position),
    Failed: entries
      .filter((_entry, index) => index === position)
      .map(({ Id }) => ({ Id, Code: 'KMSAccessDenied', SenderFault: true })),
  };
}
