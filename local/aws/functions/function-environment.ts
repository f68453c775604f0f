import { TOKEN_VARIABLE } from '#shared/terminal/read-secret.ts';
import type { DeployedFunction } from '../template/deployment.ts';
import { type Endpoints, LOCAL_REGION, localArn, toCredentials } from '../template/local-account.ts';
import { isAwsSetting, NO_PROFILES } from '../user-settings.ts';
import type { VirtualClock } from './virtual-clock.ts';

/** What a function needs here that is not in the template. */
export interface FunctionRuntime {
  /** Environment of this process, with proxies and certificates. */
  readonly environment: NodeJS.ProcessEnv;
  readonly endpoints: Endpoints;
  /** `null` for real time. */
  readonly clock: VirtualClock | null;
}

/**
 * The environment of a function's thread: that of this process without what a function would not have in AWS, then the
 * template's, then what Lambda sets. So an `AWS_PROFILE` of the user never connects a function to a real account.
 */
export function buildFunctionEnvironment(
  deployed: DeployedFunction,
  { environment, endpoints }: FunctionRuntime,
): NodeJS.ProcessEnv {
  const { accessKeyId, secretAccessKey } = toCredentials(endpoints);
  const inherited = Object.entries(environment).filter(
    ([name]) => !isAwsSetting(name) && name !== TOKEN_VARIABLE && name !== 'NODE_OPTIONS',
  );
  return {
    ...Object.fromEntries(inherited),
    ...deployed.environment,
    ...buildLambdaVariables(deployed),
    ...NO_PROFILES,
    AWS_ACCESS_KEY_ID: accessKeyId,
    AWS_SECRET_ACCESS_KEY: secretAccessKey,
    AWS_ENDPOINT_URL_DYNAMODB: endpoints.dynamoDb,
    AWS_ENDPOINT_URL_SNS: endpoints.messaging,
    AWS_ENDPOINT_URL_SQS: endpoints.messaging,
    AWS_ENDPOINT_URL_SECRETS_MANAGER: endpoints.secretsManager,
    AWS_ENDPOINT_URL_SSM: endpoints.secretsManager,
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
