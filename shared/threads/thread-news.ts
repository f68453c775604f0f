import * as z from 'zod';
import { timesheetStorySchema } from '../core/messages/timesheet-story.ts';

const postedSchema = z.object({
  /** What of its thread it is about: the record, or one of several troubles of a kind. */
  item: z.string(),
  /** At most 78 characters. */
  heading: z.string(),
  line: z.string(),
  strong: z.array(z.string()).readonly().optional(),
  /** Where people open the record. */
  url: z.string().optional(),
  /** When it was observed (ms since 1970), and the zone of its connection. */
  at: z.number(),
  timeZone: z.string(),
  /** It only ends earlier news of the item: nobody has to act on it. */
  ends: z.boolean(),
  /** What it adds to the story of a timesheet, and the words of its rule. */
  story: timesheetStorySchema.optional().catch(undefined),
  words: z.string().optional(),
});
/** One alert, as far as the head of a thread needs it. */
export type Posted = z.output<typeof postedSchema>;

/** What a message says about one topic: a pay period, a timesheet, or the troubles of one kind of a connection. */
export const threadNewsSchema = z.object({
  /** Such as `period#main#9013_1`. */
  topic: z.string(),
  /** What it says, and what else it said of the topic before that, oldest first. */
  latest: postedSchema,
  before: z.array(postedSchema),
  /** How many alerts before these are left out. */
  left: z.int(),
});
export type ThreadNews = z.output<typeof threadNewsSchema>;

/** Kinds of topics, with which their names begin. */
type TopicKind = 'period' | 'timesheet' | 'trouble';

/** `timesheet#main#910001_4711`. */
export function toTopic(kind: TopicKind, connection: string, subject: string): string {
  return `${kind}#${connection}#${subject}`;
}

/** The record, or the kind of trouble, of a topic. A connection has no `#` in its name. */
export function subjectOf(topic: string): string {
  return topic.split('#').slice(2).join('#');
}

export function isTopicOf(kind: TopicKind, topic: string): boolean {
  return topic.startsWith(`${kind}#`);
}

/** All news, oldest first. */
export function listPosted({ before, latest }: Pick<ThreadNews, 'before' | 'latest'>): Posted[] {
  return [...before, latest];
}

/** Whether nobody has to act on any of it. */
export function onlyEnds(news: ThreadNews): boolean {
  return listPosted(news).every(({ ends }) => ends);
}
