import { expect, test } from 'vitest';
import { templateSchema } from '#local/aws/template/assembly.ts';
import { parseInterval } from '#local/aws/template/deployment.ts';
import { createResolver } from '#local/aws/template/resolver.ts';

/** A placeholder of `Fn::Sub`. */
const placeholder = (name: string) => `\${${name}}`;

const resolver = createResolver(
  {
    stackName: 'Fixture',
    template: templateSchema.parse({
      Resources: {
        Table: { Type: 'AWS::DynamoDB::Table' },
        Topic: {
          Type: 'AWS::SNS::Topic',
          Properties: { TopicName: { 'Fn::Sub': `${placeholder('AWS::Region')}-t` } },
        },
        Queue: { Type: 'AWS::SQS::Queue', Properties: { QueueName: 'jobs' } },
        Poll: { Type: 'AWS::Lambda::Function' },
        Key: { Type: 'AWS::KMS::Key' },
      },
    }),
    assetFolder: () => '',
  },
  'http://127.0.0.1:4566',
);

test.each([
  ['a resource without a name gets one from stack and logical id', { Ref: 'Table' }, 'Fixture-Table'],
  ['a topic is referred to by its ARN', { Ref: 'Topic' }, 'arn:aws:sns:us-east-1:000000000000:us-east-1-t'],
  ['a queue is referred to by its URL', { Ref: 'Queue' }, 'http://127.0.0.1:4566/000000000000/jobs'],
  ['an attribute of a queue', { 'Fn::GetAtt': ['Queue', 'Arn'] }, 'arn:aws:sqs:us-east-1:000000000000:jobs'],
  [
    'an attribute of a function',
    { 'Fn::GetAtt': ['Poll', 'Arn'] },
    'arn:aws:lambda:us-east-1:000000000000:function:Fixture-Poll',
  ],
  ['a pseudo parameter', { Ref: 'AWS::Partition' }, 'aws'],
  [
    'joined parts',
    { 'Fn::Join': ['', ['arn:', { Ref: 'AWS::Partition' }, ':', { Ref: 'Table' }]] },
    'arn:aws:Fixture-Table',
  ],
  [
    'a substitution',
    { 'Fn::Sub': `${placeholder('AWS::Region')}/${placeholder('Table')}` },
    'us-east-1/Fixture-Table',
  ],
  [
    'a resource that is not made has a placeholder',
    { 'Fn::GetAtt': ['Key', 'Arn'] },
    'arn:aws:none:us-east-1:000000000000:Key',
  ],
])('%s', (_, value, expected) => {
  expect(resolver.resolve(value)).toEqual(expected);
});

test('an unknown function is an error that names it', () => {
  expect(() => resolver.resolve({ 'Fn::ImportValue': 'x' })).toThrow('the function Fn::ImportValue');
});

test.each([
  ['rate(1 minute)', 60_000],
  ['rate(5 minutes)', 300_000],
  ['rate(1 day)', 86_400_000],
])('%s runs every %i ms', (expression, expected) => {
  expect(parseInterval(expression)).toBe(expected);
});

test.each(['at(2030-01-01T00:00:00)', 'cron(0 9 * * ? *)'])(
  '%s is an error: it has no fixed interval',
  (expression) => {
    expect(() => parseInterval(expression)).toThrow(`"${expression}" has no fixed interval`);
  },
);
