import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { recordExamples } from '#test/kit/record-examples.ts';
import { fillPermissions } from './permissions-table.ts';

writeFileSync('kit/testing/example-events.json', `${JSON.stringify(await recordExamples(), null, 2)}\n`);

// Only now: the documents quote the examples.
const { generateEventDocuments } = await import('./event-documents.ts');
for (const folder of ['events', 'schemas']) mkdirSync(`docs/${folder}`, { recursive: true });
for (const { path, text } of generateEventDocuments()) {
  writeFileSync(path, text);
}
// The rules of the CDK are for the tests of the template.
process.env.CDK_VALIDATION = 'false';
writeFileSync('docs/security.md', fillPermissions(readFileSync('docs/security.md', 'utf8')));
