// Shows the keys that work on every screen, and those of the requests.
import { type ReactNode, useState } from 'react'
import { Button } from '../ui/button.tsx'
import { CheckboxField } from '../ui/checkbox-field.tsx'
import { Dialog } from '../ui/dialogs/dialog.tsx'
import { areSingleKeysOn, switchSingleKeys } from './single-keys.ts'
import { goKeys } from './use-keys.ts'

export function KeysDialog({ close }: { close: () => void }) {
  const [isOn, setOn] = useState(areSingleKeysOn)
  const turn = (next: boolean): void => {
    switchSingleKeys(next)
    setOn(next)
  }
  return (
    <Dialog title="Keyboard shortcuts" onClose={close}>
      <dl className="mb-4 grid grid-cols-[1fr_auto] gap-x-6 gap-y-2 text-sm">
        <Row keys={['Ctrl or ⌘', 'K']}>Search or jump to anything</Row>
        <Row keys={['?']}>Show these shortcuts</Row>
        {goKeys.map(({ letter, title }) => (
          <Row key={letter} keys={['g', letter]}>
            {title} of the project
          </Row>
        ))}
        <Row keys={['j', 'k']}>Next or previous request, Enter opens it</Row>
        <Row keys={['Esc']}>Close a dialog or a menu</Row>
      </dl>
      <CheckboxField name="single-keys" label="Shortcuts of single letters" checked={isOn} onTick={turn} />
      <div className="mt-4">
        <Button autoFocus onClick={close}>
          Close
        </Button>
      </div>
    </Dialog>
  )
}

function Row({ keys, children }: { keys: readonly string[]; children: ReactNode }) {
  return (
    <>
      <dt>{children}</dt>
      <dd className="flex gap-1">
        {keys.map(key => (
          <kbd key={key} className="rounded border border-line bg-raised px-1.5 font-sans text-xs/5">
            {key}
          </kbd>
        ))}
      </dd>
    </>
  )
}
