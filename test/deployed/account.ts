/** The account that moto gives to every caller, and the region of the test. */
export const ACCOUNT = '123456789012';
export const REGION = 'us-east-1';

export function buildArn(service: string, resource: string): string {
  const region = service === 'iam' ? '' : REGION;
  return `arn:aws:${service}:${region}:${ACCOUNT}:${resource}`;
}
