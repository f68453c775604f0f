import { NotifierError } from '#shared/core/errors.ts';
import type { Assembly } from './assembly.ts';
import { LOCAL_ACCOUNT, LOCAL_REGION, localArn } from './local-account.ts';

/** Resolves the references and intrinsic functions of a template to local values. */
export interface Resolver {
  resolve(value: unknown): unknown;
  /** Physical name of a resource: that of the template, or else stack and logical id. */
  nameOf(logicalId: string): string;
}

const NAME_PROPERTIES = ['TableName', 'TopicName', 'QueueName', 'FunctionName', 'Name'] as const;

/** How the ARN of a resource is made of its name. */
const ARNS: Readonly<Record<string, (name: string) => string>> = {
  'AWS::DynamoDB::Table': (name) => localArn('dynamodb', `table/${name}`),
  'AWS::SNS::Topic': (name) => localArn('sns', name),
  'AWS::SQS::Queue': (name) => localArn('sqs', name),
  'AWS::Lambda::Function': (name) => localArn('lambda', `function:${name}`),
};

/**
 * Computes names from the template, so that a resource need not exist yet. Roles and keys do not exist here; references to
 * them only need some text.
 */
export function createResolver({ template, stackName }: Assembly, messagingEndpoint: string): Resolver {
  const typeOf = (logicalId: string) => template.Resources[logicalId]?.Type ?? '';
  const nameOf = (logicalId: string): string => {
    const { Properties = {} } = template.Resources[logicalId] ?? {};
    const given = NAME_PROPERTIES.map((property) => Properties[property]).find((name) => name !== undefined);
    if (given !== undefined) return String(resolve(given));
    // Required by SQS.
    const ending = Properties.FifoQueue === true ? '.fifo' : '';
    return `${stackName}-${logicalId}${ending}`;
  };
  const arnOf = (logicalId: string) =>
    ARNS[typeOf(logicalId)]?.(nameOf(logicalId)) ?? localArn('none', logicalId);
  const urlOf = (logicalId: string) => `${messagingEndpoint}/${LOCAL_ACCOUNT}/${nameOf(logicalId)}`;
  const pseudo: Readonly<Record<string, unknown>> = {
    'AWS::AccountId': LOCAL_ACCOUNT,
    'AWS::Region': LOCAL_REGION,
    'AWS::Partition': 'aws',
  };
  const resolve = createResolve({
    refer: (name) => {
      if (Object.hasOwn(pseudo, name)) return pseudo[name];
      if (typeOf(name) === 'AWS::SNS::Topic') return arnOf(name);
      return typeOf(name) === 'AWS::SQS::Queue' ? urlOf(name) : nameOf(name);
    },
    attribute: arnOf,
  });
  return { resolve, nameOf };
}

/** What the references of a template stand for. */
interface References {
  refer(name: string): unknown;
  /** An attribute of a resource: of those that a template here asks for, its ARN. */
  attribute(logicalId: string): string;
}

/** `${Name}` in a text. */
const SUBSTITUTION = /\$\{([^!][^}]*)\}/g;

/**
 * Resolves whatever refers to something, in any depth, by the intrinsic functions that the CDK writes into our template.
 * Throws a `NotifierError` (`template_unsupported`) for another one.
 */
function createResolve({ refer, attribute }: References): (value: unknown) => unknown {
  const intrinsics: Readonly<Record<string, (argument: unknown) => unknown>> = {
    Ref: (argument) => refer(String(argument)),
    'Fn::GetAtt': (argument) => attribute((argument as [string, string])[0]),
    'Fn::Sub': (argument) =>
      String(argument).replaceAll(SUBSTITUTION, (_, name: string) => String(refer(name))),
    'Fn::Join': (argument) => {
      const [separator, parts] = resolve(argument) as [string, unknown[]];
      return parts.join(separator);
    },
  };
  const resolve = (value: unknown): unknown => {
    if (Array.isArray(value)) return value.map(resolve);
    if (typeof value !== 'object' || value === null) return value;
    const [[name, argument] = ['', null], ...others] = Object.entries(value);
    if (others.length === 0 && (name === 'Ref' || name.startsWith('Fn::'))) {
      const intrinsic = intrinsics[name];
      if (intrinsic !== undefined) return intrinsic(argument);
      throw new NotifierError(
        'template_unsupported',
        `the template holds the function ${name}, which npm start cannot resolve`,
      );
    }
    const resolved = Object.entries(value).map(([key, item]) => [key, resolve(item)] as const);
    return Object.fromEntries(resolved);
  };
  return resolve;
}
