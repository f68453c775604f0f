import { NotifierError } from '#shared/core/errors.ts';
import type { Assembly } from './assembly.ts';
import { LOCAL_ACCOUNT, LOCAL_REGION, localArn } from './local-account.ts';
import { isApplied } from './resource-types.ts';

/** Resolves the references and intrinsic functions of a template to local values. */
export interface Resolver {
  /** A resolved property; `AWS::NoValue` is `undefined` and left out of objects and lists. */
  resolve(value: unknown): unknown;
  /** Physical name of a resource: that of the template, or else stack and logical id. */
  nameOf(logicalId: string): string;
}

const NAME_PROPERTIES = ['TableName', 'TopicName', 'QueueName', 'FunctionName', 'Name'] as const;

/** Its functions throw a `NotifierError` (`template_unsupported`) for an unknown function or attribute. */
export function createResolver(assembly: Assembly, messagingEndpoint: string): Resolver {
  const { template, stackName } = assembly;
  const nameOf = (logicalId: string): string => {
    const { Properties = {} } = template.Resources[logicalId] ?? {};
    const given = NAME_PROPERTIES.map((property) => Properties[property]).find((name) => name !== undefined);
    if (given !== undefined) return String(resolve(given));
    // Required by SQS.
    const ending = Properties.FifoQueue === true ? '.fifo' : '';
    return `${stackName}-${logicalId}${ending}`;
  };
  const identityOf = (logicalId: string): Identity => {
    const type = typeOf(assembly, logicalId);
    return identify(type, isApplied(type) ? nameOf(logicalId) : logicalId, messagingEndpoint);
  };
  const resolve = createResolve(createReferences(assembly, identityOf));
  return { resolve, nameOf };
}

/** Resolves whatever refers to something, in any depth. Throws a `NotifierError` for a function that it does not know. */
export function createResolve(references: References): Resolve {
  const resolve = (value: unknown): unknown => {
    if (Array.isArray(value)) return value.map(resolve).filter((item) => item !== undefined);
    if (typeof value !== 'object' || value === null) return value;
    const entries = Object.entries(value);
    const [only] = entries;
    if (entries.length === 1 && only !== undefined && isIntrinsic(only[0])) {
      const intrinsic = intrinsics[only[0]];
      if (intrinsic === undefined) throw createUnsupportedError(`the function ${only[0]}`);
      return intrinsic(only[1]);
    }
    const resolved = entries.map(([key, item]) => [key, resolve(item)] as const);
    return Object.fromEntries(resolved.filter(([, item]) => item !== undefined));
  };
  const intrinsics = createIntrinsics(references, resolve);
  return resolve;
}

function createReferences(assembly: Assembly, identityOf: (logicalId: string) => Identity): References {
  const pseudo = buildPseudoParameters(assembly.stackName);
  const { Parameters } = assembly.template;
  return {
    refer: (name) => {
      if (Object.hasOwn(pseudo, name)) return pseudo[name];
      if (Object.hasOwn(Parameters, name)) return Parameters[name]?.Default ?? '';
      return identityOf(name).ref;
    },
    attribute: (logicalId, name) => {
      const value = identityOf(logicalId).attributes[name];
      if (value !== undefined) return value;
      const type = typeOf(assembly, logicalId);
      if (isApplied(type)) throw createUnsupportedError(`the attribute ${name} of ${logicalId} (${type})`);
      // Roles and keys do not exist here; references to them only need some text.
      return localArn('none', `${logicalId}/${name}`);
    },
  };
}

function buildPseudoParameters(stackName: string): Readonly<Record<string, string | undefined>> {
  return {
    'AWS::AccountId': LOCAL_ACCOUNT,
    'AWS::Region': LOCAL_REGION,
    'AWS::Partition': 'aws',
    'AWS::URLSuffix': 'amazonaws.com',
    'AWS::StackName': stackName,
    'AWS::StackId': localArn('cloudformation', `stack/${stackName}/local`),
    'AWS::NoValue': undefined,
  };
}

function typeOf({ template }: Assembly, logicalId: string): string {
  const type = template.Resources[logicalId]?.Type;
  if (type === undefined)
    throw createUnsupportedError(`a reference to ${logicalId}, which is not one of its resources`);
  return type;
}

function createUnsupportedError(what: string): NotifierError {
  return new NotifierError(
    'template_unsupported',
    `the template holds ${what}, which npm start cannot resolve`,
  );
}

/** Values of `Ref` and `Fn::GetAtt` for a local resource. */
interface Identity {
  readonly ref: string;
  readonly attributes: Readonly<Record<string, string>>;
}

/** Identity of a resource. Computed from type and physical name, so the resource need not exist yet. */
function identify(type: string, name: string, messagingEndpoint: string): Identity {
  switch (type) {
    case 'AWS::DynamoDB::Table':
      return { ref: name, attributes: { Arn: localArn('dynamodb', `table/${name}`) } };
    case 'AWS::SNS::Topic': {
      const arn = localArn('sns', name);
      return { ref: arn, attributes: { TopicArn: arn, TopicName: name } };
    }
    case 'AWS::SQS::Queue': {
      const url = `${messagingEndpoint}/${LOCAL_ACCOUNT}/${name}`;
      return { ref: url, attributes: { Arn: localArn('sqs', name), QueueName: name, QueueUrl: url } };
    }
    case 'AWS::Lambda::Function':
      return { ref: name, attributes: { Arn: localArn('lambda', `function:${name}`) } };
    case 'AWS::Scheduler::Schedule':
      return { ref: name, attributes: { Arn: localArn('scheduler', `schedule/default/${name}`) } };
    default:
      return { ref: name, attributes: {} };
  }
}

/** What the references of a template stand for. */
interface References {
  refer(name: string): unknown;
  attribute(logicalId: string, name: string): string;
}

export type Resolve = (value: unknown) => unknown;
type Intrinsic = (argument: unknown) => unknown;

/** `${Name}` and `${Name.Attribute}`; `${!Literal}` is left alone. */
const SUBSTITUTION = /\$\{([^!][^}]*)\}/g;

/** Whether an object with this one key is an intrinsic function, not plain data. */
function isIntrinsic(key: string): boolean {
  return key === 'Ref' || key.startsWith('Fn::');
}

/** The intrinsic functions that CDK writes into the properties read here. */
function createIntrinsics(references: References, resolve: Resolve): Readonly<Record<string, Intrinsic>> {
  return {
    Ref: (argument) => references.refer(String(argument)),
    'Fn::GetAtt': (argument) => {
      const [logicalId, ...name] = Array.isArray(argument) ? argument : String(argument).split('.');
      return references.attribute(String(logicalId), name.join('.'));
    },
    'Fn::Sub': (argument) => {
      const [text, variables = {}] = Array.isArray(argument) ? argument : [argument];
      return substitute(String(text), resolve(variables) as Record<string, unknown>, references);
    },
    'Fn::Join': (argument) => {
      const [separator, parts] = resolve(argument) as [string, unknown[]];
      return parts.map(String).join(separator);
    },
    'Fn::Select': (argument) => {
      const [index, list] = resolve(argument) as [number | string, unknown[]];
      return list[Number(index)];
    },
    'Fn::Split': (argument) => {
      const [separator, text] = resolve(argument) as [string, string];
      return text.split(separator);
    },
  };
}

function substitute(text: string, variables: Record<string, unknown>, references: References): string {
  return text.replaceAll(SUBSTITUTION, (_, name: string) => {
    if (Object.hasOwn(variables, name)) return String(variables[name]);
    const dot = name.indexOf('.');
    if (dot < 0) return String(references.refer(name));
    return references.attribute(name.slice(0, dot), name.slice(dot + 1));
  });
}
