// What the command menu finds: screens, projects, settings, models, end users and sections of the documentation.
import { useQueries, useQuery } from '@tanstack/react-query'
import { useDeferredValue } from 'react'
import { docsSectionsQuery } from '../api/docs-search.ts'
import { modelsQuery, projectsQuery, type SignedInUser } from '../api/queries.ts'
import { readRecentProjects } from '../api/recent-projects.ts'
import { endUsersQuery } from '../screens/end-users/queries.ts'
import { areas, fields } from '../screens/settings/fields.ts'
import { type Entry, findEntries, maxOfGroup } from './find-entries.ts'
import { type Screen, useScreensOfProject, useScreensOfTenant } from './listed-screens.ts'
import type { Place } from './place.ts'

const minSearched = 2

const everywhere: Entry[] = [
  { group: 'Go to', title: 'New project', words: 'create tenant start', path: '/app/start' },
  {
    group: 'Go to',
    title: 'Security',
    words: 'account password sessions passkey authenticator second factor profile sign out',
    path: '/app/account',
  },
  { group: 'Go to', title: 'Operator: overview', words: 'health installation', path: '/app/operator/overview' },
  { group: 'Go to', title: 'Operator: tenants', words: 'plan admin', path: '/app/operator' },
  { group: 'Go to', title: 'Operator: projects', words: 'admin', path: '/app/operator/projects' },
  { group: 'Go to', title: 'Operator: kill switches', words: 'stop emergency', path: '/app/operator/kill-switches' },
  { group: 'Go to', title: 'Operator: provider catalog', words: 'models', path: '/app/operator/catalog' },
  { group: 'Go to', title: 'Operator: access', words: 'operators credentials admin', path: '/app/operator/access' },
  { group: 'Go to', title: 'Operator: audit', words: 'who log chain sign-ins', path: '/app/operator/audit' },
  { group: 'Go to', title: 'Operator: usage', words: 'cost spend', path: '/app/operator/usage' },
  { group: 'Go to', title: 'Documentation', words: 'help docs guides', path: '/docs' },
]

/** Those that the text finds, best first in each group. Without a text: where people go most. */
export function useEntries(user: SignedInUser, place: Place, typed: string): Entry[] {
  const text = useDeferredValue(typed.trim().toLowerCase())
  const screens = [...useScreensOfProject(place), ...useScreensOfTenant(place)].map(toEntry)
  const projects = useProjects(user)
  const { settings, models } = useOfProject(place)
  const endUsers = useEndUsers(place, text)
  const docs = useDocs(text)
  if (text === '') return [...recentOf(projects, place), ...screens, ...everywhere]
  const goTo = [...findEntries(screens, text), ...findEntries(everywhere, text)]
  const groups = [goTo, ...[projects, settings, models].map(all => findEntries(all, text))]
  return [...namedFirst(groups, text).flat(), ...endUsers, ...findEntries(docs, text)]
}

/** A group that has what is called exactly so comes before the others. */
function namedFirst(groups: readonly Entry[][], text: string): Entry[][] {
  const isNamed = (group: Entry[]): boolean => group.some(({ title }) => title.toLowerCase() === text)
  return groups.toSorted((one, other) => Number(isNamed(other)) - Number(isNamed(one)))
}

const toEntry = ({ title, group, words, path }: Screen): Entry => ({
  group: 'Go to',
  title,
  path,
  ...(group === 'Tenant' && { note: 'Tenant' }),
  ...(words !== undefined && { words }),
})

interface ProjectEntry extends Entry {
  id: string
}

function useProjects(user: SignedInUser): ProjectEntry[] {
  const lists = useQueries({ queries: user.tenants.map(({ id }) => projectsQuery(id)) })
  return user.tenants.flatMap((tenant, index) =>
    (lists[index]?.data ?? []).map(({ id, name, slug }) => ({
      group: 'Projects',
      title: name,
      note: tenant.name,
      words: slug,
      path: `/app/projects/${id}`,
      id,
    })),
  )
}

function recentOf(projects: readonly ProjectEntry[], { projectId }: Place): Entry[] {
  return readRecentProjects()
    .flatMap(id => projects.filter(project => project.id === id && id !== projectId))
    .map(project => ({ ...project, group: 'Recent projects' }))
}

function useOfProject({ projectId, tenantId }: Place): { settings: Entry[]; models: Entry[] } {
  const { data } = useQuery({ ...modelsQuery(tenantId ?? ''), enabled: projectId !== null && tenantId !== null })
  if (projectId === null) return { settings: [], models: [] }
  const settings = areas.flatMap(area =>
    area.fields.map(field => ({
      group: 'Settings',
      title: fields[field].label,
      note: area.title,
      words: `${field.replaceAll('_', ' ')} ${fields[field].hint ?? ''}`,
      path: `/app/projects/${projectId}/settings#${field}`,
    })),
  )
  const models = (data?.models ?? []).map(({ displayName, modelId }) => ({
    group: 'Models',
    title: displayName,
    note: modelId,
    path: `/app/projects/${projectId}/models`,
  }))
  return { settings, models }
}

/** The API searches among them. */
function useEndUsers({ projectId }: Place, text: string): Entry[] {
  const isAsked = projectId !== null && text.length >= minSearched
  const { data } = useQuery({ ...endUsersQuery(projectId ?? '', { q: text }), enabled: isAsked })
  if (!isAsked || data === undefined) return []
  return data.data.slice(0, maxOfGroup).map(({ uid }) => ({
    group: 'End users',
    title: uid,
    path: `/app/projects/${projectId}/end-users/user?uid=${encodeURIComponent(uid)}`,
  }))
}

function useDocs(text: string): Entry[] {
  const { data = [] } = useQuery({ ...docsSectionsQuery, enabled: text.length >= minSearched })
  return data.map(({ title, page, url }) => ({ group: 'Documentation', title, note: page, path: url }))
}
