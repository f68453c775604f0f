import type { AlertNews, ConsoleWords } from '../../core/definitions/event-definition.ts';
import {
  type DirectoryType,
  describeArrival,
  describeDeparture,
  describeManager,
  describeMove,
  nameSubject,
  type OfDirectory,
  type Says,
} from '../messages/directory-sentences.ts';

/** There may be many at once, none of which waits for an end. */
const NEWS: AlertNews = { countsRecords: true };
/** How alerts treat each type about the directory. */
export const DIRECTORY_NEWS: Readonly<Record<DirectoryType, AlertNews>> = {
  'employee.joined': NEWS,
  'employee.moved': NEWS,
  'employee.left': NEWS,
  'department.added': NEWS,
  'department.renamed': NEWS,
  'department.manager_changed': NEWS,
  'department.removed': NEWS,
};

/** What the console calls each type about the directory, and its mark. */
export const DIRECTORY_LOOKS: Readonly<Record<OfDirectory, ConsoleWords>> = {
  'employee.joined': ['employees joined', 'Joined', 'plus', 'calm'],
  'employee.moved': ['employees moved', 'Moved', 'edit', 'calm'],
  'employee.left': ['employees left', 'Left', 'minus', 'calm'],
  'employee.snapshot': ['employee snapshots', 'Snapshot', 'sum', 'calm'],
  'department.added': ['departments added', 'Added', 'plus', 'calm'],
  'department.renamed': ['departments renamed', 'Renamed', 'edit', 'calm'],
  'department.manager_changed': ['managers changed', 'Manager changed', 'edit', 'calm'],
  'department.removed': ['departments removed', 'Removed', 'minus', 'calm'],
  'department.snapshot': ['department snapshots', 'Snapshot', 'sum', 'calm'],
};

/** The sentence of each type, without its full stop. */
export const DIRECTORY_WORDS: Readonly<Record<DirectoryType, Says>> = {
  'employee.joined': describeArrival,
  'employee.moved': describeMove,
  'employee.left': describeDeparture,
  'department.added': (event, audience) => `${nameSubject(event, audience)} was added`,
  'department.renamed': (event, audience) => `${nameSubject(event, audience)} has another name`,
  'department.manager_changed': describeManager,
  'department.removed': (event, audience) => `${nameSubject(event, audience)} was removed`,
};
