/** The account that an emulator has from the start, and the region of the test. */
export const ACCOUNT = '123456789012';
export const REGION = 'us-east-1';

/** Both parts of the operator's credentials. The emulator takes anything. */
export const OPERATOR = 'test';

export function buildArn(service: string, resource: string): string {
  const region = service === 'iam' ? '' : REGION;
  return `arn:aws:${service}:${region}:${ACCOUNT}:${resource}`;
}
