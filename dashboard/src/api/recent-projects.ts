// The projects that were opened last in this browser, as ids. Signing out forgets them.

const key = 'recent-projects'
const maxRemembered = 5

export function rememberProject(id: string): void {
  const ids = [id, ...readRecentProjects().filter(one => one !== id)].slice(0, maxRemembered)
  localStorage.setItem(key, ids.join(' '))
}

export function readRecentProjects(): string[] {
  return (localStorage.getItem(key) ?? '').split(' ').filter(Boolean)
}

export function forgetRecentProjects(): void {
  localStorage.removeItem(key)
}
