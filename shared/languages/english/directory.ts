/**
 * What is told of employees and departments. `{employee}` and `{department}` begin a sentence: a name, or how somebody is
 * called of whom none may be shown.
 */
export const DIRECTORY = {
  employee: 'Employee {id}',
  manager: 'employee {id}',
  department: 'Department {name}',
  place: 'department {id}',
  joined: '{employee} joined',
  joinedPlaces: '{employee} joined {places}',
  left: '{employee} left',
  leftPlaces: '{employee} left {places}',
  moved: '{employee} moved from {from} to {to}',
  worksNow: '{employee} works in {to}',
  worksAlso: '{employee} works in {to} as well',
  worksNoMore: '{employee} works in {from} no more',
  added: '{department} was added',
  renamed: '{department} has another name',
  managed: '{department} is managed by {manager} now',
  otherManager: '{department} has another manager, or none',
  noManager: '{department} has no manager any more',
  removed: '{department} was removed',
  stands: '{record} as it stands',
  isRemoved: '{record} is removed',
} as const;
