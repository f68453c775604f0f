import { PublishBatchCommand, type PublishBatchInput, SNSClient } from '@aws-sdk/client-sns';
import { mockClient } from 'aws-sdk-client-mock';
import { createSnsPublisher } from '#shared/adapters/sns/publisher.ts';
import { createSeededRandom } from '#test/shared/adapters/workforce-api/virtual-time.ts';
import { startBenchMachine } from '../bench-machine.ts';
import { median } from '../cpu.ts';
import { type Row, ratio } from '../row.ts';
import { sampleTimesheet } from '../sample-records.ts';

const SEED = 9;
const RECORDS = 1_000;

/** Requests to SNS per event, and bytes of an event, for 1,000 approvals. */
export async function measurePublishing(): Promise<Row[]> {
  const texts = await publishApprovals();
  const requests = await countRequests(texts);
  const bytes = median(texts.map((text) => Buffer.byteLength(text)));
  return [
    {
      topic: 'publishing',
      metric: 'SNS requests per event',
      baseline: 'one Publish per event',
      baselineValue: '1',
      ours: (requests / texts.length).toFixed(2),
      ratio: ratio(requests, texts.length),
      seed: SEED,
      limit: { value: requests / texts.length, atMost: 0.11 },
      count: requests / texts.length,
    },
    {
      topic: 'publishing',
      metric: 'bytes of an event, median',
      baseline: 'the source record as JSON',
      baselineValue: String(
        Buffer.byteLength(JSON.stringify(sampleTimesheet(0, '2026-11-16', createSeededRandom(SEED)))),
      ),
      ours: String(bytes),
      ratio: '',
      seed: SEED,
      count: bytes,
    },
  ];
}

/** Texts of the published events. */
async function publishApprovals(): Promise<string[]> {
  const machine = await startBenchMachine(0);
  const random = createSeededRandom(SEED);
  const records = Array.from({ length: RECORDS }, (_, index) => ({
    ...sampleTimesheet(index, '2026-11-16', random),
    approvedHours: null,
  }));
  await machine.poll(() => records);
  machine.published.length = 0;
  await machine.poll(() =>
    records.map((record) => ({ ...record, approvedHours: '2026-11-16T13:00:00.000Z' })),
  );
  await machine.stop();
  return machine.published;
}

/** Requests of the real publisher to an SNS that accepts everything. */
async function countRequests(texts: readonly string[]): Promise<number> {
  const sns = mockClient(SNSClient);
  sns.on(PublishBatchCommand).callsFake(({ PublishBatchRequestEntries = [] }: PublishBatchInput) => ({
    Successful: PublishBatchRequestEntries.map(({ Id }) => ({ Id, MessageId: Id })),
  }));
  const topicArns = { timesheets: 't', clockings: 'c', 'pay-periods': 'p', operations: 'o' };
  const client = new SNSClient({ region: 'local' });
  const sleep = () => Promise.resolve();
  const { requests } = await createSnsPublisher({ client, topicArns, sleep, random: () => 0.5 }).publish(
    texts,
  );
  return requests;
}
