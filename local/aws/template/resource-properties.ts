import * as z from 'zod';

/** The used properties of the resources that are created, after references are resolved. */

const stringMap = z.record(z.string(), z.coerce.string());
const flag = z.union([z.boolean(), z.stringbool()]);

const keySchema = z.array(z.strictObject({ AttributeName: z.string(), KeyType: z.enum(['HASH', 'RANGE']) }));
export const tableProperties = z.looseObject({
  KeySchema: keySchema,
  AttributeDefinitions: z.array(
    z.strictObject({ AttributeName: z.string(), AttributeType: z.enum(['S', 'N', 'B']) }),
  ),
  GlobalSecondaryIndexes: z.undefined('npm start makes no secondary indexes').optional(),
  TimeToLiveSpecification: z.looseObject({ AttributeName: z.string(), Enabled: flag }).optional(),
});
export type TableProperties = z.output<typeof tableProperties>;

export const topicProperties = z.looseObject({
  FifoTopic: z.undefined('npm start makes no FIFO topics').optional(),
});

export const queueProperties = z.looseObject({
  FifoQueue: flag.optional(),
  ContentBasedDeduplication: flag.optional(),
  VisibilityTimeout: z.coerce.number().optional(),
  MessageRetentionPeriod: z.coerce.number().optional(),
  DelaySeconds: z.coerce.number().optional(),
  ReceiveMessageWaitTimeSeconds: z.coerce.number().optional(),
  RedrivePolicy: z
    .looseObject({ deadLetterTargetArn: z.string(), maxReceiveCount: z.coerce.number() })
    .optional(),
});

export const subscriptionProperties = z.looseObject({
  TopicArn: z.string(),
  /** All but `sqs` deliver outside AWS. */
  Protocol: z.enum(['sqs', 'email', 'email-json', 'sms', 'http', 'https']),
  Endpoint: z.string(),
  RawMessageDelivery: flag.optional(),
  FilterPolicy: z.record(z.string(), z.unknown()).optional(),
  FilterPolicyScope: z.string().optional(),
});

export const functionProperties = z.looseObject({
  Code: z.looseObject({ S3Key: z.string() }),
  Handler: z.string(),
  Environment: z.looseObject({ Variables: stringMap.default({}) }).prefault({}),
  Timeout: z.coerce.number().default(3),
  MemorySize: z.coerce.number().default(128),
});

export const scheduleProperties = z.looseObject({
  ScheduleExpression: z.string(),
  State: z.enum(['ENABLED', 'DISABLED']).default('ENABLED'),
  Target: z.looseObject({ Arn: z.string(), Input: z.string().default('{}') }),
});

export const eventSourceProperties = z.looseObject({
  EventSourceArn: z.string(),
  FunctionName: z.string(),
  BatchSize: z.coerce.number().default(10),
  Enabled: flag.default(true),
  FunctionResponseTypes: z.array(z.string()).default([]),
  FilterCriteria: z.undefined('npm start does not support filters on event source mappings').optional(),
});
