// The screens that are listed: those of a project or of a tenant, in the order of the routes.
import { type AnyRoute, type StaticDataRouteOption, useRouter, useRouterState } from '@tanstack/react-router'
import type { Place } from './place.ts'

type Listed = NonNullable<StaticDataRouteOption['listed']>

export interface Screen extends Listed {
  path: string
}

export interface ScreenGroup {
  title: Listed['group']
  screens: Screen[]
}

const order: readonly Listed['group'][] = ['Start', 'Observe', 'Build', 'Protect', 'Configure', 'Tenant']
const project = '/app/projects/$projectId'
const tenant = '/app/tenants/$tenantId'

/** Of the project, if the user is in one, else of the tenant. */
export function useScreenGroups(place: Place): ScreenGroup[] {
  const project = useScreensOfProject(place)
  const tenant = useScreensOfTenant(place)
  const screens = place.projectId === null ? tenant : project
  return order
    .map(title => ({ title, screens: screens.filter(({ group }) => group === title) }))
    .filter(group => group.screens.length > 0)
}

export function useScreensOfProject({ projectId }: Place): Screen[] {
  const { routesById } = useRouter()
  return projectId === null ? [] : listBelow(routesById, project).map(fill('$projectId', projectId))
}

export function useScreensOfTenant({ tenantId }: Place): Screen[] {
  const { routesById } = useRouter()
  return tenantId === null ? [] : listBelow(routesById, tenant).map(fill('$tenantId', tenantId))
}

/** The listed screen that is shown, or to which the shown one belongs. */
export function useCurrentScreen(place: Place): Screen | undefined {
  const pathname = useRouterState({ select: ({ location }) => location.pathname })
  const screens = [...useScreensOfProject(place), ...useScreensOfTenant(place)]
  return screens
    .filter(({ path }) => pathname === path || pathname.startsWith(`${path}/`))
    .sort((a, b) => b.path.length - a.path.length)[0]
}

function listBelow(routesById: Record<string, AnyRoute>, parent: string): Screen[] {
  return Object.values(routesById).flatMap(({ parentRoute, fullPath, options }) => {
    const listed: Listed | undefined = options.staticData?.listed
    if (parentRoute?.id !== parent || listed === undefined) return []
    return [{ ...listed, path: String(fullPath).replace(/\/$/, '') }]
  })
}

const fill =
  (param: string, id: string) =>
  (screen: Screen): Screen => ({ ...screen, path: screen.path.replace(param, id) })
