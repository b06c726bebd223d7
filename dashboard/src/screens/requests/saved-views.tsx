// The views of a project's requests that the person has saved: filters, chart and groups, by a name.
import { Link } from '@tanstack/react-router'
import { useState } from 'react'
import { readSavedViews, type SavedView, writeSavedViews } from '../../api/saved-views.ts'
import { useUser } from '../../api/session.ts'
import { Button } from '../../ui/button.tsx'
import { Dialog } from '../../ui/dialogs/dialog.tsx'
import { TextField } from '../../ui/fields.tsx'
import { Form, type FormValues } from '../../ui/form.tsx'
import { Chip } from './chip.tsx'
import { type RequestSearch, readRequestSearch, useRequestSearch } from './search.ts'

export function SavedViews({ projectId }: { projectId: string }) {
  const { id: userId } = useUser()
  const { search } = useRequestSearch()
  const [views, setViews] = useState(() => readSavedViews(userId, projectId))
  const [isAsking, setAsking] = useState(false)
  const shown = textOf(search)
  const keep = (next: SavedView[]): void => {
    writeSavedViews(userId, projectId, next)
    setViews(next)
  }
  const save = async ({ name = '' }: FormValues): Promise<void> => {
    keep([...views.filter(one => one.name !== name.trim()), { name: name.trim(), search: shown }])
    setAsking(false)
  }
  if (views.length === 0 && shown === '') return null
  return (
    <div className="flex flex-wrap items-center gap-2">
      {views.length > 0 && (
        <ul aria-label="Saved views" className="contents">
          {views.map(view => (
            <Chip
              key={view.name}
              isCurrent={view.search === shown}
              removeLabel={`Delete the view ${view.name}`}
              remove={() => keep(views.filter(({ name }) => name !== view.name))}
            >
              <Link
                to="/app/projects/$projectId/requests"
                params={{ projectId }}
                search={searchOf(view)}
                className="min-w-0 truncate font-medium text-ink no-underline"
              >
                <bdi>{view.name}</bdi>
              </Link>
            </Chip>
          ))}
        </ul>
      )}
      {shown !== '' && <Button onClick={() => setAsking(true)}>Save view</Button>}
      {views.length > 0 && <span className="text-xs text-soft">Views are kept in this browser.</span>}
      {isAsking && (
        <Dialog title="Save view" onClose={() => setAsking(false)}>
          <Form submit={save} submitLabel="Save" secondary={<Button onClick={() => setAsking(false)}>Cancel</Button>}>
            <TextField
              name="name"
              label="Name"
              required
              maxLength={60}
              pattern=".*\S.*"
              hint="The filters and the chart are kept in this browser, for you alone, also after you sign out."
            />
          </Form>
        </Dialog>
      )}
    </div>
  )
}

/** The same for the same view in any order of the address. */
function textOf(search: RequestSearch): string {
  const pairs = Object.entries(search).map(([name, value]) => [name, String(value)])
  return new URLSearchParams(pairs.sort(([a = ''], [b = '']) => (a < b ? -1 : 1))).toString()
}

const searchOf = ({ search }: SavedView): RequestSearch =>
  readRequestSearch(Object.fromEntries(new URLSearchParams(search)))
