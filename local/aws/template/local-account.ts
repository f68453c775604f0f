import type { Announcement } from '../engines/announcement.ts';

/** The account and region of the local engines. */
export const LOCAL_REGION = 'us-east-1';
export const LOCAL_ACCOUNT = '000000000000';
/** No secret: the access key is, and signatures are not checked. */
const SECRET_ACCESS_KEY = 'local';

/** Where the local services listen, and the access key without which they answer nothing. */
export type Endpoints = Announcement['endpoints'];

export function toCredentials({ accessKeyId }: Pick<Endpoints, 'accessKeyId'>) {
  return { accessKeyId, secretAccessKey: SECRET_ACCESS_KEY };
}

export function localArn(service: string, resource: string): string {
  return `arn:aws:${service}:${LOCAL_REGION}:${LOCAL_ACCOUNT}:${resource}`;
}
