// The command menu: one field that finds screens, projects, settings, models, end users and documentation.
import { useRouter } from '@tanstack/react-router'
import { Search } from 'lucide-react'
import { type KeyboardEvent, useEffect, useId, useRef, useState } from 'react'
import type { SignedInUser } from '../api/queries.ts'
import { Dialog } from '../ui/dialogs/dialog.tsx'
import { useEntries } from './command-entries.ts'
import type { Entry } from './find-entries.ts'
import type { Place } from './place.ts'

interface CommandMenuProps {
  user: SignedInUser
  place: Place
  close: () => void
}

export function CommandMenu({ user, place, close }: CommandMenuProps) {
  const { history } = useRouter()
  const id = useId()
  const [text, setText] = useState('')
  const [chosen, setChosen] = useState(0)
  const entries = useEntries(user, place, text)
  const current = Math.min(chosen, entries.length - 1)
  const open = ({ path }: Entry): void => {
    close()
    if (path.startsWith('/app')) history.push(path)
    else location.assign(path)
  }
  const press = (event: KeyboardEvent): void => {
    const target = targetOf(event.key, current, entries.length - 1)
    if (target !== undefined) {
      event.preventDefault()
      setChosen(target)
    } else if (event.key === 'Enter' && !event.nativeEvent.isComposing) {
      event.preventDefault()
      const entry = entries[current]
      if (entry !== undefined) open(entry)
    }
  }
  return (
    <Dialog title="Search or jump to" look="menu" onClose={close}>
      <div className="flex items-center gap-2 border-b border-line px-4">
        <Search aria-hidden="true" className="size-4 shrink-0 text-soft" />
        <input
          autoFocus
          type="text"
          role="combobox"
          aria-label="Search or jump to"
          aria-expanded={entries.length > 0}
          aria-controls={`${id}-list`}
          aria-autocomplete="list"
          {...(current >= 0 && { 'aria-activedescendant': `${id}-${current}` })}
          dir="auto"
          autoComplete="off"
          spellCheck={false}
          placeholder="A screen, a project, a setting, an end user, a question…"
          className="min-h-12 w-full bg-page text-base outline-none max-sm:text-[1rem]"
          value={text}
          onChange={event => {
            setText(event.currentTarget.value)
            setChosen(0)
          }}
          onKeyDown={press}
        />
      </div>
      <Results id={id} entries={entries} current={current} open={open} />
      {entries.length === 0 && <NothingFound place={place} />}
      <p className="border-t border-line px-4 py-2 text-xs text-soft">
        <kbd className="font-sans">↑ ↓</kbd> choose · <kbd className="font-sans">Enter</kbd> open ·{' '}
        <kbd className="font-sans">Esc</kbd> close
      </p>
    </Dialog>
  )
}

function NothingFound({ place: { projectId } }: { place: Place }) {
  return (
    <p className="px-4 py-8 text-center text-sm text-soft">
      Nothing found.{projectId === null && ' To find an end user, open a project and search there.'}
    </p>
  )
}

/** The entry that a key chooses. */
function targetOf(key: string, current: number, last: number): number | undefined {
  const targets: Record<string, number> = {
    ArrowDown: current < last ? current + 1 : 0,
    ArrowUp: current > 0 ? current - 1 : last,
    PageDown: last,
    PageUp: 0,
  }
  return targets[key]
}

interface ResultsProps {
  id: string
  entries: readonly Entry[]
  current: number
  open: (entry: Entry) => void
}

function Results({ id, entries, current, open }: ResultsProps) {
  const numbered = entries.map((entry, index) => ({ entry, index }))
  return (
    <div id={`${id}-list`} role="listbox" aria-label="Results" className="max-h-[50vh] overflow-y-auto p-2 empty:p-0">
      {[...Map.groupBy(numbered, ({ entry }) => entry.group)].map(([title, rows]) => (
        <fieldset key={title} aria-label={title} className="min-w-0">
          <p aria-hidden="true" className="px-2 pt-2 pb-1 text-xs font-medium text-soft">
            {title}
          </p>
          {rows.map(({ entry, index }) => (
            <Option
              key={`${entry.path} ${entry.title}`}
              id={`${id}-${index}`}
              entry={entry}
              isCurrent={index === current}
              open={open}
            />
          ))}
        </fieldset>
      ))}
    </div>
  )
}

interface OptionProps {
  id: string
  entry: Entry
  isCurrent: boolean
  open: (entry: Entry) => void
}

function Option({ id, entry, isCurrent, open }: OptionProps) {
  const row = useRef<HTMLButtonElement>(null)
  useEffect(() => {
    if (isCurrent) row.current?.scrollIntoView({ block: 'nearest' })
  }, [isCurrent])
  return (
    <button
      type="button"
      ref={row}
      id={id}
      role="option"
      tabIndex={-1}
      aria-selected={isCurrent}
      className="flex min-h-8 w-full items-center gap-3 rounded-md px-2 text-sm hover:bg-raised aria-selected:bg-accent-tint"
      onClick={() => open(entry)}
    >
      <bdi className="truncate">{entry.title}</bdi>
      {entry.note !== undefined && <bdi className="ml-auto truncate text-xs text-soft">{entry.note}</bdi>}
    </button>
  )
}
