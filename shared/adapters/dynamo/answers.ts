import * as z from 'zod';
import { NotifierError } from '#shared/core/errors.ts';
import { type MemberAnswers, memberAnswerSchema } from '#shared/core/periods/members.ts';
import { ATTRIBUTE, bytesSchema, type Item, readItem } from './attributes.ts';
import { compressed, decompressed } from './compression.ts';
import { getItem, parseBody, toItem } from './items.ts';
import { toAnswersKey } from './keys.ts';
import type { Table } from './table.ts';

const itemSchema = z.object({ [ATTRIBUTE.body]: bytesSchema });
const answersSchema = z.record(z.string(), memberAnswerSchema);

/** What was answered about a pay period. What cannot be read counts as nothing: it is asked again and overwritten. */
export async function loadAnswers(
  table: Table,
  connection: string,
  payPeriodId: string,
): Promise<MemberAnswers> {
  const item = await getItem(table, 'loadAnswers', toAnswersKey(connection, payPeriodId));
  if (item === null) return new Map();
  try {
    const bytes = readItem(itemSchema, item)[ATTRIBUTE.body];
    return new Map(Object.entries(parseBody(answersSchema, item, decompressed(bytes))));
  } catch (error) {
    if (error instanceof NotifierError && error.code === 'store_item_unreadable') return new Map();
    throw error;
  }
}

/** `payPeriodId`: of which the answers are. */
export function toAnswersItem(
  connection: string,
  payPeriodId: string,
  { answers, expiresAt }: { readonly answers: MemberAnswers; readonly expiresAt: number },
): Item {
  const body = compressed(JSON.stringify(Object.fromEntries(answers)));
  return toItem(toAnswersKey(connection, payPeriodId), { [ATTRIBUTE.body]: body }, expiresAt);
}
