import * as z from 'zod';

/** What AWS allows in the name of a bus. */
const NAME = /^[\w./-]{1,256}$/;
const ARN = /^arn:[a-z-]+:events:[a-z0-9-]+:\d{12}:event-bus\/[\w./-]{1,256}$/;
/** AWS and its partners alone put events on theirs. */
const RESERVED = /(?:^|:event-bus\/)aws\./;

/** An EventBridge bus, by its name or its ARN. It is there before the stack, which does not make it. */
export const eventBusSchema = z
  .string()
  .refine((text) => NAME.test(text) || ARN.test(text), {
    error:
      'eventBus is the name or the ARN of an event bus, such as workforce or arn:aws:events:ap-southeast-2:123456789012:event-bus/workforce',
  })
  .refine((text) => !RESERVED.test(text), {
    error: 'a bus whose name begins with aws. takes events of AWS and its partners alone; use another one',
  });

/** Account and name of a bus that is given by its ARN; null for one that is given by its name. */
export function readBusPlace(eventBus: string): { readonly account: string; readonly name: string } | null {
  const [, account, name] = /^arn:[^:]+:events:[^:]+:([^:]+):event-bus\/(.+)$/.exec(eventBus) ?? [];
  return account === undefined || name === undefined ? null : { account, name };
}
