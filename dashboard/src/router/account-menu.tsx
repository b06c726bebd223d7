// The menu of the signed-in user: the account, the operator's screens, help, and the end of the session.
import { Link } from '@tanstack/react-router'
import { signOut } from '../api/session.ts'
import { ActionButton, Button } from '../ui/button.tsx'
import { Switcher } from '../ui/switcher.tsx'

const { timeZone } = new Intl.DateTimeFormat().resolvedOptions()

export function AccountMenu({ email, showKeys }: { email: string; showKeys: () => void }) {
  return (
    <Switcher label="Account" current={email} isAtEnd avatar={email.charAt(0).toUpperCase()}>
      <Link to="/app/account">Security</Link>
      <Link to="/app/start">New project</Link>
      <Link to="/app/operator">Operator</Link>
      <hr className="my-1 border-line" />
      <a href="/docs">Documentation</a>
      <Button className="justify-start border-transparent px-3 font-normal shadow-none" onClick={showKeys}>
        Keyboard shortcuts
      </Button>
      <hr className="my-1 border-line" />
      <p className="px-3 py-1 text-sm text-soft">Times are in {timeZone}, unless UTC is named.</p>
      <ActionButton className="justify-start border-transparent px-3 font-normal shadow-none" run={signOut}>
        Sign out
      </ActionButton>
    </Switcher>
  )
}
