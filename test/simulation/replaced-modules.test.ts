// Each replaces modules of the product, which only a registry of their own undoes: one that all of them share.
import './replaced/absences.ts';
import './replaced/breadth.ts';
import './replaced/planners.ts';
import './replaced/reminders.ts';
import './replaced/standings.ts';
import './replaced/watermarks.ts';
