// The navigation beside the screens: those of the project in their groups, or those of the tenant.
import { Link } from '@tanstack/react-router'
import { Building2, type LucideIcon, UserCog } from 'lucide-react'
import type { ReactNode } from 'react'
import { type ScreenGroup, useCurrentScreen, useScreenGroups } from './listed-screens.ts'
import type { Place } from './place.ts'

interface NavigationProps {
  place: Place
  tenantName: string | undefined
}

export function Navigation({ place, tenantName }: NavigationProps) {
  const groups = useScreenGroups(place)
  const current = useCurrentScreen(place)?.path
  return (
    <div className="flex grow flex-col gap-3 px-2 pb-4">
      {groups.map(group => (
        <Group key={group.title} group={group} current={current} />
      ))}
      {place.projectId !== null && place.tenantId !== null && (
        <ul className="mt-auto border-t border-line pt-3">
          <Entry to={`/app/tenants/${place.tenantId}`} icon={Building2}>
            <span className="shrink-0 text-xs">Tenant</span> <bdi className="truncate">{tenantName}</bdi>
          </Entry>
          <Entry to={`/app/tenants/${place.tenantId}/members`} icon={UserCog}>
            Members
          </Entry>
        </ul>
      )}
    </div>
  )
}

function Group({ group: { title, screens }, current }: { group: ScreenGroup; current: string | undefined }) {
  return (
    <div>
      {title !== 'Start' && <p className="px-2 pb-0.5 text-xs font-medium text-soft">{title}</p>}
      <ul aria-label={title}>
        {screens.map(screen => (
          <Entry key={screen.path} to={screen.path} icon={screen.icon} isMarked={screen.path === current}>
            {screen.title}
          </Entry>
        ))}
      </ul>
    </div>
  )
}

interface EntryProps {
  to: string
  icon: LucideIcon
  /** The shown screen is this one, or belongs to it. */
  isMarked?: boolean
  children: ReactNode
}

function Entry({ to, icon: Icon, isMarked = false, children }: EntryProps) {
  return (
    <li>
      <Link
        to={to}
        activeOptions={{ exact: true, includeSearch: false }}
        data-marked={isMarked}
        className="group flex min-h-7 items-center gap-2 rounded-md px-2 py-0.5 text-sm text-soft no-underline hover:bg-raised hover:text-ink data-[marked=true]:bg-accent-tint data-[marked=true]:font-medium data-[marked=true]:text-ink"
      >
        <Icon aria-hidden="true" className="size-4 shrink-0 group-data-[marked=true]:text-accent" strokeWidth={1.75} />
        {children}
      </Link>
    </li>
  )
}
