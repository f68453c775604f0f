import * as z from 'zod';

/** What a replay looks at in an event. */
const replayableSchema = z.object({
  type: z.string(),
  subject: z.string().optional(),
  sequence: z.int(),
});

/** Which events of the log are wanted; what is not given does not matter. */
export interface Selection {
  /** Full names of types. */
  readonly types?: readonly string[] | undefined;
  /** Id of a record. */
  readonly record?: string | undefined;
}

/** An event of the log that is wanted. */
export interface Selected {
  readonly type: string;
  /** The CloudEvent as JSON, byte for byte as it was published. */
  readonly text: string;
}

/** Those of some texts that are wanted, in their order. A text that is no event of ours is none that is wanted. */
export function selectedOf(texts: readonly string[], { types, record }: Selection): Selected[] {
  return texts.flatMap((text) => {
    const event = replayableSchema.safeParse(JSON.parse(text));
    if (!event.success) return [];
    const { type, subject } = event.data;
    if (types !== undefined && !types.includes(type)) return [];
    return record !== undefined && subject !== record ? [] : [{ type, text }];
  });
}
