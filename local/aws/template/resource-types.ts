/** Resources that are created on the local engines, or run. */
const APPLIED_TYPES = [
  'AWS::DynamoDB::Table',
  'AWS::SNS::Topic',
  'AWS::SNS::Subscription',
  'AWS::SQS::Queue',
  'AWS::Lambda::Function',
  'AWS::Lambda::EventSourceMapping',
  'AWS::Scheduler::Schedule',
] as const;
export type AppliedType = (typeof APPLIED_TYPES)[number];

/**
 * Resources that do not affect what happens to an event: permissions, keys, monitoring, names. A type in neither list is
 * an error, so that a new kind of resource is never silently ignored.
 */
const IGNORED_TYPES: ReadonlySet<string> = new Set([
  'AWS::CDK::Metadata',
  'AWS::CloudWatch::Alarm',
  'AWS::IAM::ManagedPolicy',
  'AWS::IAM::Policy',
  'AWS::IAM::Role',
  'AWS::KMS::Alias',
  'AWS::KMS::Key',
  'AWS::Lambda::EventInvokeConfig',
  'AWS::Lambda::Permission',
  'AWS::Logs::LogGroup',
  'AWS::Logs::MetricFilter',
  'AWS::Scheduler::ScheduleGroup',
  'AWS::SecretsManager::ResourcePolicy',
  'AWS::SecretsManager::Secret',
  'AWS::SNS::TopicPolicy',
  'AWS::SQS::QueuePolicy',
  'AWS::SSM::Parameter',
]);

export function isApplied(type: string): type is AppliedType {
  return (APPLIED_TYPES as readonly string[]).includes(type);
}

export function isIgnored(type: string): boolean {
  return IGNORED_TYPES.has(type);
}
