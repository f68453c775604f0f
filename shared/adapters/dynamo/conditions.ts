import type { PutItemCommandInput } from '@aws-sdk/client-dynamodb';
import { TABLE } from '../../config/table.ts';
import { ATTRIBUTE, toAttributes } from './attributes.ts';

/** What must hold of the stored item for a write to succeed. */
export type ItemCondition = Pick<
  PutItemCommandInput,
  'ConditionExpression' | 'ExpressionAttributeNames' | 'ExpressionAttributeValues'
>;

/** The clauses that more than one write uses; any other stands beside its write. */
export const DOES_NOT_EXIST = `attribute_not_exists(${TABLE.partitionKey})`;
/** No other writer changed the item since it was read. */
const IS_UNCHANGED = `#${ATTRIBUTE.revision} = :expectedRevision`;

/** The stored item still has this revision; with null, there is none yet. */
export function expectRevision(revision: number | null): ItemCondition {
  if (revision === null) return { ConditionExpression: DOES_NOT_EXIST };
  return {
    ConditionExpression: IS_UNCHANGED,
    ExpressionAttributeNames: { [`#${ATTRIBUTE.revision}`]: ATTRIBUTE.revision },
    ExpressionAttributeValues: toAttributes({ ':expectedRevision': revision }),
  };
}
