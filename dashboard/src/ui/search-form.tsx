// Searches a list: a field and a button in one line. The search is part of the address, so it can be shared.
import { useId } from 'react'
import { Button } from './button.tsx'
import { controlClass } from './fields.tsx'

interface SearchFormProps {
  label: string
  /** What is searched for now. */
  q: string
  search: (q: string) => void
}

export function SearchForm({ label, q, search }: SearchFormProps) {
  const id = useId()
  return (
    <search>
      {/* A new search that came with the address replaces what is in the field. */}
      <form
        key={q}
        className="flex max-w-xl flex-wrap items-end gap-3"
        onSubmit={event => {
          event.preventDefault()
          search(String(new FormData(event.currentTarget).get('q') ?? ''))
        }}
      >
        <div className="flex min-w-48 grow flex-col gap-1">
          <label htmlFor={id} className="font-medium">
            {label}
          </label>
          <input id={id} name="q" type="search" dir="auto" maxLength={255} defaultValue={q} className={controlClass} />
        </div>
        <Button type="submit">Search</Button>
        {q !== '' && <Button onClick={() => search('')}>Show all</Button>}
      </form>
    </search>
  )
}
