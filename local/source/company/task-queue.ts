/** Future tasks, in order of time; at the same time, in the order they were added. */
export interface TaskQueue {
  /** `at` in milliseconds since 1970. */
  add(at: number, task: () => void): void;
  /** Removes and returns the earliest task due at or before an instant; `undefined` when there is none. */
  takeDue(until: number): QueuedTask | undefined;
}

interface QueuedTask {
  readonly at: number;
  readonly order: number;
  readonly task: () => void;
}

/** A binary heap: every simulated week adds and takes thousands of tasks. */
export function createTaskQueue(): TaskQueue {
  const heap: QueuedTask[] = [];
  let added = 0;
  return {
    add(at, task) {
      heap.push({ at, order: added, task });
      added += 1;
      siftUp(heap);
    },
    takeDue(until) {
      const first = heap[0];
      if (first === undefined || first.at > until) return undefined;
      const last = heap.pop();
      if (last !== undefined && heap.length > 0) {
        heap[0] = last;
        siftDown(heap);
      }
      return first;
    },
  };
}

function siftUp(heap: QueuedTask[]): void {
  let index = heap.length - 1;
  while (index > 0) {
    const parent = (index - 1) >> 1;
    if (!swapIfEarlier(heap, index, parent)) return;
    index = parent;
  }
}

function siftDown(heap: QueuedTask[]): void {
  let index = 0;
  for (;;) {
    const left = 2 * index + 1;
    const right = left + 1;
    const child = isEarlier(heap[right], heap[left]) ? right : left;
    if (!swapIfEarlier(heap, child, index)) return;
    index = child;
  }
}

function swapIfEarlier(heap: QueuedTask[], index: number, parent: number): boolean {
  const item = heap[index];
  const above = heap[parent];
  if (item === undefined || above === undefined || !isEarlier(item, above)) return false;
  heap[index] = above;
  heap[parent] = item;
  return true;
}

function isEarlier(left: QueuedTask | undefined, right: QueuedTask | undefined): boolean {
  if (left === undefined || right === undefined) return false;
  return left.at === right.at ? left.order < right.order : left.at < right.at;
}
