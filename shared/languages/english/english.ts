import { FORMS } from './forms.ts';
import { LAYOUT } from './layout.ts';

/** Every text of a message, one table for each family. A text that stands in no table is no part of a message. */
export const ENGLISH_TABLES = { forms: FORMS, layout: LAYOUT } as const;
