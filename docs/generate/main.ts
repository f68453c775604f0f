import { mkdirSync, writeFileSync } from 'node:fs';
import { eventDocuments } from './event-documents.ts';

mkdirSync('docs/schemas', { recursive: true });
for (const { path, text } of eventDocuments()) writeFileSync(path, text);
