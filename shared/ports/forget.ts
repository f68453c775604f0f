import type { Person } from '../core/forget/forget-in.ts';

/** Takes people out of all that is stored beside the records, their names and their feeds' states. */
export interface PersonEraser {
  /** Rewrites or deletes what tells of a person, and returns how many items that were. A repetition changes nothing. */
  forgetPerson(person: Person): Promise<number>;
  /** Deletes all that is stored of a connection, and returns how many items that were. */
  forgetConnection(name: string): Promise<number>;
}
