// The ids of the last rows that were shown, so that a list and a stream that overlap show each row once.
const maxIds = 2000

export function createRecentIds() {
  const ids = new Set<string>()
  return {
    /** False if the id is there already. */
    add(id: string): boolean {
      if (ids.has(id)) return false
      ids.add(id)
      const [oldest] = ids.size > maxIds ? ids : []
      if (oldest !== undefined) ids.delete(oldest)
      return true
    },
  }
}
