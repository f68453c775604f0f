import { mkdirSync, writeFileSync } from 'node:fs';
import { generateCliDocument } from './cli-page.ts';
import { generateEventDocuments } from './event-documents.ts';

mkdirSync('docs/schemas/events', { recursive: true });
for (const { path, text } of [...generateEventDocuments(), generateCliDocument()]) {
  writeFileSync(path, text);
}
