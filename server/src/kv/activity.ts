// A part of the store's contract: what happened in a project in each minute of the last hour, as counts by name. Knows
// nothing of what the names mean.

/** Names are few and fixed; counts are whole numbers. */
export type ActivityCounts = Readonly<Record<string, number>>

export interface ProjectActivity {
  projectId: string
  counts: ActivityCounts
}

export interface ActivityMinute {
  startsAt: number
  counts: ActivityCounts
}

export interface Activity {
  /** Adds to the current minute of each project. */
  addActivity(entries: readonly ProjectActivity[]): Promise<void>
  /** The minutes of the last hour in which something was added, oldest first, and the store's time. */
  findActivity(projectId: string): Promise<{ now: number; minutes: ActivityMinute[] }>
}

export const activityMinuteMs = 60_000
/** The current minute is one of them. */
export const activityMinutes = 60
