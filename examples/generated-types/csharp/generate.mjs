/** Writes a C# class for each schema of the AsyncAPI document: `node generate.mjs ../../../docs/asyncapi.json Events`. */
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { CSharpGenerator } from '@asyncapi/modelina';

const [document = '', folder = ''] = process.argv.slice(2);

/** Without settings, Modelina takes what is always there but may be null for what is never null. */
const generator = new CSharpGenerator({
  typeMapping: {
    Boolean: (member) => toValueType('bool', member),
    Integer: (member) => toValueType('int', member),
    Float: (member) => toValueType('decimal', member),
    String: (member) => toTextType(member),
    Enum: () => 'string',
    Object: ({ constrainedModel }) => constrainedModel.name,
    Reference: ({ constrainedModel }) => constrainedModel.name,
    Array: ({ constrainedModel }) => `${constrainedModel.valueModel.type}[]`,
  },
  presets: [{ class: { accessor: ({ property, content }) => `${nameOnTheWire(property)}\n${content}` } }],
  processorOptions: { interpreter: { ignoreAdditionalProperties: true } },
});
const models = await generator.generateCompleteModels(readSchemas(), { namespace: 'Workforce.Events' });
mkdirSync(folder, { recursive: true });
// Modelina makes a nameless, empty model of each channel.
for (const { modelName, result } of models.filter(({ modelName }) => modelName !== '')) {
  writeFileSync(join(folder, `${modelName}.cs`), result);
}

/** Names of C# differ: `class` cannot be one. */
function nameOnTheWire({ unconstrainedPropertyName }) {
  return `[Newtonsoft.Json.JsonProperty("${unconstrainedPropertyName}")]`;
}

function toValueType(name, { constrainedModel, partOfProperty }) {
  const isAlwaysThere = (partOfProperty?.required ?? true) && !constrainedModel.options.isNullable;
  return isAlwaysThere ? name : `${name}?`;
}

/** A date has no time of day: it stays a text, or is made a `DateOnly` here from .NET 6 on. */
function toTextType(member) {
  const isInstant = member.constrainedModel.options.format === 'date-time';
  return isInstant ? toValueType('System.DateTimeOffset', member) : 'string';
}

/** Without `additionalProperties`, which would be a dictionary in each class: further members are ignored. */
function readSchemas() {
  return JSON.parse(readFileSync(document, 'utf8'), (name, value) =>
    name === 'additionalProperties' ? undefined : value,
  );
}
