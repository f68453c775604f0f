import type { DeployedFunction } from '../template/deployment.ts';
import { type Endpoints, LOCAL_CREDENTIALS, LOCAL_REGION, localArn } from '../template/local-account.ts';
import { VIRTUAL_CLOCK_VARIABLE } from './function-messages.ts';
import type { VirtualClock } from './virtual-clock.ts';

/** Variables of our own environment that a function must not see: it would not have them in AWS either. */
const WITHHELD = /^(?:AWS_|WORKFORCE_API_TOKEN$)/;

/** What surrounds a function here and is not in the template. */
export interface FunctionRuntime {
  /** Environment of this process; proxies, certificates and NODE_OPTIONS come from it. */
  readonly environment: NodeJS.ProcessEnv;
  readonly endpoints: Endpoints;
  /** `null` when functions live in real time. */
  readonly clock: VirtualClock | null;
}

/**
 * Environment of a function's process: ours without credentials, then the template's, then what Lambda itself sets.
 * An `AWS_PROFILE` of the user can so never lead a function to a real account.
 */
export function buildFunctionEnvironment(
  deployed: DeployedFunction,
  { environment, endpoints, clock }: FunctionRuntime,
): NodeJS.ProcessEnv {
  const inherited = Object.entries(environment).filter(([name]) => !WITHHELD.test(name));
  const nodeOptions = [environment.NODE_OPTIONS, deployed.environment.NODE_OPTIONS].filter(
    (options) => options !== undefined && options !== '',
  );
  return {
    ...Object.fromEntries(inherited),
    ...deployed.environment,
    ...(nodeOptions.length === 0 ? {} : { NODE_OPTIONS: nodeOptions.join(' ') }),
    ...buildLambdaVariables(deployed),
    AWS_ENDPOINT_URL_DYNAMODB: endpoints.dynamoDb,
    AWS_ENDPOINT_URL_SNS: endpoints.messaging,
    AWS_ENDPOINT_URL_SQS: endpoints.messaging,
    AWS_ENDPOINT_URL_SECRETS_MANAGER: endpoints.secretsManager,
    ...(clock === null ? {} : { [VIRTUAL_CLOCK_VARIABLE]: JSON.stringify(clock) }),
  };
}

function buildLambdaVariables({
  name,
  handler,
  codeFolder,
  memoryMb,
}: DeployedFunction): Record<string, string> {
  return {
    AWS_REGION: LOCAL_REGION,
    AWS_DEFAULT_REGION: LOCAL_REGION,
    AWS_ACCESS_KEY_ID: LOCAL_CREDENTIALS.accessKeyId,
    AWS_SECRET_ACCESS_KEY: LOCAL_CREDENTIALS.secretAccessKey,
    AWS_LAMBDA_FUNCTION_NAME: name,
    AWS_LAMBDA_FUNCTION_VERSION: '$LATEST',
    AWS_LAMBDA_FUNCTION_MEMORY_SIZE: String(memoryMb),
    AWS_LAMBDA_LOG_GROUP_NAME: `/aws/lambda/${name}`,
    AWS_LAMBDA_LOG_STREAM_NAME: 'local',
    LOCAL_FUNCTION_ARN: localArn('lambda', `function:${name}`),
    LAMBDA_TASK_ROOT: codeFolder,
    _HANDLER: handler,
  };
}
