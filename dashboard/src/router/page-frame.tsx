// The frame around all screens: the navigation, the bar with the place and the account, and the screen itself.
import { Link, useRouterState } from '@tanstack/react-router'
import { Menu, Search } from 'lucide-react'
import { lazy, type ReactNode, Suspense, useEffect, useState } from 'react'
import type { SignedInUser } from '../api/queries.ts'
import { rememberProject } from '../api/recent-projects.ts'
import { FileLock } from '../screens/projects/file-lock.tsx'
import { DeployBar } from '../screens/settings/deploy-bar.tsx'
import { Button } from '../ui/button.tsx'
import { classNames } from '../ui/class-names.ts'
import { useKeptFocus } from '../ui/keep-focus.ts'
import { Logo } from '../ui/logo.tsx'
import { AccountMenu } from './account-menu.tsx'
import { Breadcrumbs } from './breadcrumbs.tsx'
import { KeysDialog } from './keys-dialog.tsx'
import { Navigation } from './navigation.tsx'
import { type Place, usePlace } from './place.ts'
import { NotFound } from './route-states.tsx'
import { useKeys } from './use-keys.ts'

const CommandMenu = lazy(() => import('./command-menu.tsx').then(({ CommandMenu }) => ({ default: CommandMenu })))

export function PageFrame({ user, children }: { user: SignedInUser; children: ReactNode }) {
  const place = usePlace(user)
  const path = useRouterState({ select: state => state.location.pathname })
  useKeptFocus()
  useEffect(() => {
    if (place.projectId !== null) rememberProject(place.projectId)
  }, [place.projectId])
  const [isNavigationOpen, setNavigationOpen] = useState(false)
  const [dialog, setDialog] = useState<'commands' | 'keys' | null>(null)
  useKeys(place, setDialog)
  // A navigation closes what is open, whatever led to it.
  useEffect(() => {
    if (path === '') return
    setNavigationOpen(false)
    setDialog(null)
  }, [path])
  return (
    <div className="flex min-h-dvh flex-col md:grid md:grid-cols-[13.5rem_minmax(0,1fr)] md:grid-rows-[auto_1fr]">
      <a href="#main" className="sr-only focus:not-sr-only focus:absolute focus:z-50 focus:bg-page focus:p-3">
        Skip to the content
      </a>
      {/* A navigation closes what is open in the bar. */}
      <header
        key={path}
        className="sticky top-0 z-20 flex min-h-12 items-center gap-1 border-b border-line bg-page px-2 md:col-start-2 md:px-4"
      >
        <Button
          aria-label="Menu"
          className="px-2 shadow-none md:hidden"
          aria-expanded={isNavigationOpen}
          aria-controls="navigation"
          onClick={() => setNavigationOpen(!isNavigationOpen)}
        >
          <Menu aria-hidden="true" className="size-4" />
        </Button>
        <Breadcrumbs user={user} place={place} />
        <div className="ml-auto flex items-center gap-1">
          <AccountMenu email={user.email} showKeys={() => setDialog('keys')} />
        </div>
      </header>
      <nav
        id="navigation"
        aria-label="Main"
        className={classNames(
          'flex-col overflow-y-auto border-line bg-side max-md:border-b md:sticky md:top-0 md:col-start-1 md:row-span-2 md:row-start-1 md:flex md:h-dvh md:border-r',
          isNavigationOpen ? 'flex' : 'hidden',
        )}
      >
        <SideHead openCommands={() => setDialog('commands')} />
        <Navigation place={place} tenantName={user.tenants.find(({ id }) => id === place.tenantId)?.name} />
      </nav>
      <Content place={place}>{children}</Content>
      <OpenDialog dialog={dialog} user={user} place={place} close={() => setDialog(null)} />
    </div>
  )
}

function Content({ place, children }: { place: Place & { isUnknown: boolean }; children: ReactNode }) {
  return (
    <div data-arranged className="min-w-0 md:col-start-2">
      {place.projectId !== null && !place.isUnknown && (
        <>
          <FileLock key={`lock ${place.projectId}`} projectId={place.projectId} />
          <DeployBar key={place.projectId} projectId={place.projectId} />
        </>
      )}
      <main id="main" tabIndex={-1} className="p-4 outline-none md:px-8 md:py-6">
        <div className="max-w-7xl">{place.isUnknown ? <NotFound /> : children}</div>
      </main>
    </div>
  )
}

interface OpenDialogProps {
  dialog: 'commands' | 'keys' | null
  user: SignedInUser
  place: Place
  close: () => void
}

function OpenDialog({ dialog, user, place, close }: OpenDialogProps) {
  if (dialog === 'keys') return <KeysDialog close={close} />
  if (dialog === null) return null
  return (
    <Suspense fallback={null}>
      <CommandMenu user={user} place={place} close={close} />
    </Suspense>
  )
}

function SideHead({ openCommands }: { openCommands: () => void }) {
  return (
    <div className="flex flex-col gap-2 px-3 pt-3 pb-3">
      <Link
        to="/app"
        className="flex items-center gap-2 px-1 text-base font-semibold text-ink no-underline max-md:hidden"
      >
        <Logo />
        Sallyport
      </Link>
      <Button
        className="justify-start px-2 font-normal whitespace-nowrap text-soft"
        aria-keyshortcuts="Control+K Meta+K"
        onClick={openCommands}
      >
        <Search aria-hidden="true" className="size-3.5" />
        Search or go to…
        <kbd className="ml-auto font-sans text-xs">⌘K</kbd>
      </Button>
    </div>
  )
}
