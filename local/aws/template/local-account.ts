/** The one account and region that this machine pretends to be. Nothing here is secret: any key is accepted. */
export const LOCAL_REGION = 'us-east-1';
export const LOCAL_ACCOUNT = '000000000000';
export const LOCAL_CREDENTIALS = { accessKeyId: 'local', secretAccessKey: 'local' } as const;

/** Where each service of this machine listens. */
export interface Endpoints {
  readonly dynamoDb: string;
  /** SNS and SQS answer at one address. */
  readonly messaging: string;
  readonly secretsManager: string;
}

/** An ARN of this machine. */
export function localArn(service: string, resource: string): string {
  return `arn:aws:${service}:${LOCAL_REGION}:${LOCAL_ACCOUNT}:${resource}`;
}
