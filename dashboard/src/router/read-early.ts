// Begins to read what the first screen needs before its code is there: who is signed in, and what the frame shows of
// the project. An error is left to the screen, which reads again.
import { requestWithoutSession } from '../api/management.ts'
import { projectQuery, queryClient, sessionQuery, settingsQuery } from '../api/queries.ts'
import { readRecentProjects } from '../api/recent-projects.ts'
import { draftChangesQuery, warningsQuery } from '../screens/settings/queries.ts'

const projectPath = /^\/app\/projects\/([^/]+)/

export function readEarly(pathname: string): void {
  void queryClient.prefetchQuery(sessionQuery)
  const projectId = projectPath.exec(pathname)?.[1]
  // Signing out forgets them: who is not signed in would get errors alone.
  if (projectId === undefined || !readRecentProjects().includes(projectId)) return
  const path = { projectId }
  void queryClient.prefetchQuery({
    ...projectQuery(projectId),
    queryFn: () => requestWithoutSession('GET', '/auth/v1/projects/{projectId}', { path }),
  })
  void queryClient.prefetchQuery({
    ...settingsQuery(projectId),
    queryFn: () => requestWithoutSession('GET', '/auth/v1/projects/{projectId}/settings', { path }),
  })
  void queryClient.prefetchQuery({
    ...draftChangesQuery(projectId),
    queryFn: () => requestWithoutSession('GET', '/auth/v1/projects/{projectId}/settings/changes', { path }),
  })
  void queryClient.prefetchQuery({
    ...warningsQuery(projectId),
    queryFn: () => requestWithoutSession('GET', '/auth/v1/projects/{projectId}/settings/warnings', { path }),
  })
}
