/** A value in a heap. */
export interface Entry<T> {
  /** @internal The key that orders the heap; `move` changes it. */
  at: number;
  readonly value: T;
  /** @internal Entries with equal keys leave the heap in the order in which they were added. */
  readonly order: number;
  /** @internal The index in the heap's array; -1 once the entry was removed. */
  place: number;
}

/** A binary heap. Reading the first entry takes O(1); adding, moving and removing any entry take O(log n). */
export interface Heap<T> {
  /** Returns the entry with the smallest `at`, or undefined if the heap is empty. */
  first(): Entry<T> | undefined;
  /** Adds a value and returns its entry. */
  add(at: number, value: T): Entry<T>;
  /** Changes an entry's `at`. */
  move(entry: Entry<T>, at: number): void;
  /** Removes an entry; does nothing if it was removed before. */
  remove(entry: Entry<T>): void;
}

/** Creates an empty heap. */
export function createHeap<T>(): Heap<T> {
  const entries: Entry<T>[] = [];
  let added = 0;

  /** Moves the entry from this place up or down until the heap is in order. */
  function sift(entry: Entry<T>, from: number): void {
    let place = from;
    for (
      let parent: Entry<T> | undefined;
      place > 0 && (parent = entries[(place - 1) >> 1]) && isBefore(entry, parent);
    ) {
      put(parent, place);
      place = (place - 1) >> 1;
    }
    for (let child: Entry<T> | undefined; (child = firstChild(place)) && isBefore(child, entry);) {
      const next = child.place;
      put(child, place);
      place = next;
    }
    put(entry, place);
  }

  function firstChild(place: number): Entry<T> | undefined {
    const left = entries[2 * place + 1];
    const right = entries[2 * place + 2];
    return left && right && isBefore(right, left) ? right : left;
  }

  function put(entry: Entry<T>, place: number): void {
    entries[place] = entry;
    entry.place = place;
  }

  return {
    first: () => entries[0],
    add(at, value) {
      const entry: Entry<T> = { at, value, order: added++, place: entries.length };
      sift(entry, entries.length);
      return entry;
    },
    move(entry, at) {
      entry.at = at;
      sift(entry, entry.place);
    },
    remove(entry) {
      const { place } = entry;
      if (place < 0) return;
      entry.place = -1;
      const last = entries.pop();
      if (last && last !== entry) sift(last, place);
    },
  };
}

function isBefore(a: Entry<unknown>, b: Entry<unknown>): boolean {
  return a.at < b.at || (a.at === b.at && a.order < b.order);
}
