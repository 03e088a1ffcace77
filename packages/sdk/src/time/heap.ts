/** Something in a heap. */
export interface Entry<T> {
  /** @internal What it is ordered by; `move` changes it. */
  at: number;
  readonly value: T;
  /** @internal Of those at the same, the one that came first goes first. */
  readonly order: number;
  /** @internal Where it stands; -1 once it is out. */
  place: number;
}

/** A heap: the first is known at once; adding and removing, also from the middle, take O(log n). */
export interface Heap<T> {
  /** The one with the least `at`, or undefined where there is none. */
  first(): Entry<T> | undefined;
  add(at: number, value: T): Entry<T>;
  /** Puts it where it belongs by another `at`. */
  move(entry: Entry<T>, at: number): void;
  /** Takes it out; one that is out already stays out. */
  remove(entry: Entry<T>): void;
}

/** Creates an empty heap. */
export function createHeap<T>(): Heap<T> {
  const entries: Entry<T>[] = [];
  let added = 0;

  /** Puts the entry where it belongs on the way from this place to the root and to the leaves. */
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
