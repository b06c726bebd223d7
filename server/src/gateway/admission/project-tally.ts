// Keeps how many tokens are left of each project's day, for when the store is unavailable: as the store last reported
// it, or the database if the store reported nothing, corrected by what calls have cost since.

export class ProjectTally {
  /** Days since the epoch; 0 before the first report. */
  #day = 0
  /** Below 0 if calls cost more than they reserved. */
  #remaining = 0

  get day(): number {
    return this.#day
  }

  /** Null if nothing was reported for this day. */
  remainingOn(day: number): number | null {
    return this.#day === day ? this.#remaining : null
  }

  write(day: number, remaining: number): void {
    this.#day = day
    this.#remaining = remaining
  }

  /** Charges what a call cost beyond its reservation, or less than it. No-op for a call of another day. */
  charge(day: number, tokens: number): void {
    if (this.#day === day) this.#remaining -= tokens
  }
}

/** Returns the same object for a project every time, regardless of its config. */
export type TallyOf = (projectId: string) => ProjectTally

const maxProjects = 100_000

export function createProjectTallies(max = maxProjects): TallyOf {
  const tallies = new Map<string, ProjectTally>()
  return projectId => {
    const known = tallies.get(projectId)
    if (known !== undefined) return known
    if (tallies.size >= max) for (const oldest of tallies.keys().take(Math.ceil(max / 10))) tallies.delete(oldest)
    const tally = new ProjectTally()
    tallies.set(projectId, tally)
    return tally
  }
}
