/** The account and region of the local engines. Nothing here is secret: they accept any key. */
export const LOCAL_REGION = 'us-east-1';
export const LOCAL_ACCOUNT = '000000000000';
export const LOCAL_CREDENTIALS = { accessKeyId: 'local', secretAccessKey: 'local' } as const;

/** Where the local services listen. */
export interface Endpoints {
  readonly dynamoDb: string;
  /** SNS and SQS. */
  readonly messaging: string;
  readonly secretsManager: string;
}

export function localArn(service: string, resource: string): string {
  return `arn:aws:${service}:${LOCAL_REGION}:${LOCAL_ACCOUNT}:${resource}`;
}
