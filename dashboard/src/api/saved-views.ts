// The views of a project's requests that a person has saved, by name, in this browser. They stay after signing out, and
// another person does not see them.

const keyOf = (userId: string, projectId: string): string => `request-views ${userId} ${projectId}`

export interface SavedView {
  name: string
  /** The search of an address. */
  search: string
}

export function readSavedViews(userId: string, projectId: string): SavedView[] {
  const stored = new URLSearchParams(localStorage.getItem(keyOf(userId, projectId)) ?? '')
  return [...stored].map(([name, search]) => ({ name, search }))
}

export function writeSavedViews(userId: string, projectId: string, views: readonly SavedView[]): void {
  const key = keyOf(userId, projectId)
  if (views.length === 0) localStorage.removeItem(key)
  else localStorage.setItem(key, new URLSearchParams(views.map(({ name, search }) => [name, search])).toString())
}
