let count = 0;

/** The id of a task that is done so long after it was born: the server needs to remember none. */
export function newTaskid(bornAt: number, lastsMs: number): string {
  return `task-${bornAt}-${Math.round(lastsMs)}-${++count}`;
}

/** When a task was born, in milliseconds since 1970. */
export function bornAtOf(taskid: string): number {
  return Number(taskid.split("-")[1]);
}

/** When a task is done, in milliseconds since 1970. */
export function endOf(taskid: string): number {
  return bornAtOf(taskid) + Number(taskid.split("-")[2]);
}
