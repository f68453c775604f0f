import { mkdirSync, writeFileSync } from 'node:fs';
import { generateEventDocuments } from './event-documents.ts';

mkdirSync('docs/schemas', { recursive: true });
for (const { path, text } of generateEventDocuments()) writeFileSync(path, text);
