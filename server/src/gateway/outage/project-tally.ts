// What is left of each project's day, for the time when the store cannot be asked: by what the store last said, or the
// database where the store said nothing, and what calls cost since. Knows no limits and no settings.

export class ProjectTally {
  /** Since the epoch; 0 before anything was said. */
  #day = 0
  /** Below 0 where calls cost more than they reserved. */
  #remaining = 0

  get day(): number {
    return this.#day
  }

  /** Null where nobody has said it of this day. */
  remainingOn(day: number): number | null {
    return this.#day === day ? this.#remaining : null
  }

  write(day: number, remaining: number): void {
    this.#day = day
    this.#remaining = remaining
  }

  /** A call of this day has cost this much more, or less, than it reserved; what is left of another day stays. */
  charge(day: number, tokens: number): void {
    if (this.#day === day) this.#remaining -= tokens
  }
}

/** Of one project, the same object every time, whichever config it has. */
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
