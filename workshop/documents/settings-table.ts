import * as z from 'zod';

interface SettingSchema {
  readonly default?: unknown;
}

/** A table of the members of a schema. Throws when one has no meaning here, or a meaning no member. */
export function renderSettings(schema: z.ZodType, meanings: Readonly<Record<string, string>>): string {
  const settings = listSettings(z.toJSONSchema(schema, { io: 'input', unrepresentable: 'any' }));
  const unknown = [...settings.keys()].filter((name) => !(name in meanings));
  const gone = Object.keys(meanings).filter((name) => !settings.has(name));
  if (unknown.length + gone.length > 0)
    throw new Error(`settings differ: ${[...unknown, ...gone].join(', ')}`);
  const rows = Object.entries(meanings).map(([name, meaning]) => {
    const { default: preset } = settings.get(name) ?? {};
    return `| \`${name}\` | ${meaning} | ${preset === undefined ? '' : `\`${JSON.stringify(preset)}\``} |`;
  });
  return ['| Setting | Meaning | Default |', '|---|---|---|', ...rows].join('\n');
}

function listSettings(schema: z.core.JSONSchema.BaseSchema): Map<string, SettingSchema> {
  const parts = [schema, ...(schema.anyOf ?? []), ...(schema.oneOf ?? [])];
  return new Map(
    parts.flatMap(({ properties }) => Object.entries(properties ?? {}) as [string, SettingSchema][]),
  );
}
